"""The root command: help, version, unknown commands; and ``nonfat demo``, its work stood in for."""

import json
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

from nonfat import __version__
from nonfat.evaluation import demo


def test_help_lists_the_commands(nonfat):
    done = nonfat("--help")
    assert (done.code, done.err) == (0, "")
    names = ("fit", "predict", "evaluate", "trajectories", "methods", "bench", "demo", "data")
    for command in names:
        assert f"\n  {command} " in done.out
    assert "completion" not in done.out
    assert nonfat().out == done.out


def test_version(nonfat):
    done = nonfat("--version")
    assert (done.code, done.out, done.err) == (0, f"nonfat {__version__}\n", "")


def test_an_unknown_command(refuses):
    assert "No such command 'fti'" in (told := refuses("fti"))
    assert "Did you mean 'fit'? See 'nonfat --help'." in told
    assert "No such command 'xyz'. See 'nonfat --help'." in refuses("xyz")
    assert "No such option: --verison. Did you mean --version?" in refuses("--verison")


def stand_in(folder, *, tell, **options):
    scores = [
        demo.Scores("NONFAT", 0.25, 0.125, 2.5, -0.5, 0.1, 0.945),
        demo.Scores("cell mean", 1.0, 0.75, 9.0),
    ]
    rows = SimpleNamespace(height=7)
    chapter = SimpleNamespace(
        plan=demo.YEAR,
        train=rows,
        gaps=rows,
        later=rows,
        boundary=datetime(2013, 12, 12),
        gap_scores=scores,
        later_scores=scores,
        seconds=3.2,
    )
    tell(chapter)
    return demo.Demo([chapter], [folder / f"{options}.png"], 4.0)


def test_the_demo_is_told_in_tables(nonfat, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "run_demo", stand_in)
    lines = nonfat("demo", "--out", "here", "--seed", 3).out.splitlines()
    assert "2013 in daily means: 7 rows to learn from, 3 s" in lines
    (first, *_) = (line for line in lines if line.startswith("  NONFAT"))
    assert first.split() == ["NONFAT", "0.250", "0.125", "2.5", "-0.500", "0.100", "94.5%"]
    assert any(line.startswith("7 rows after 12 December") for line in lines)
    options = {"seed": 3, "progress": None, "overwrite": False}
    assert lines[-1].strip() == str(Path("here") / f"{options}.png")


def test_a_quiet_demo(nonfat, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "run_demo", stand_in)
    done = nonfat("demo", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_demo_as_json(nonfat, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "run_demo", stand_in)
    told = json.loads(nonfat("demo", "--json").out)
    (chapter,) = told["chapters"]
    assert (chapter["name"], chapter["train_rows"]) == ("year", 7)
    assert chapter["boundary"] == "2013-12-12T00:00:00"
    ours, mean = chapter["later"]["scores"]
    assert (ours["name"], ours["relative_rmse"], ours["coverage_95"]) == ("NONFAT", 0.25, 0.945)
    assert mean["crps"] is None
    (path,) = told["files"]
    assert "'progress': False" in path


def test_the_demo_keeps_its_hands_off_other_files(refuses, tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    told = refuses("demo", "--out", tmp_path)
    assert f"the folder {tmp_path} is not empty; pass --overwrite" in told
    assert "cannot be a folder" in refuses("demo", "--out", tmp_path / "thesis.tex")
