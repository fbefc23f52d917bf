"""``nonfat bench run``, ``table`` and ``figures``: parsing, streams, exit codes."""

import json

import numpy as np
import polars as pl
import pytest

from nonfat.estimators.references import CellMean

BRIEF = (
    "--methods",
    "GlobalMean,CellMean",
    "--datasets",
    "beijing",
    "--protocols",
    "honest",
    "--jobs",
    "1",
)


@pytest.fixture
def data(tmp_path):
    """A folder with a Beijing of 60 rows."""
    rng = np.random.default_rng(0)
    code = np.arange(60) % 3
    table = {"site": code, "pollutant": code % 2, "time": np.arange(60) / 4}
    split = {"value": rng.normal(size=60), "split": ["train", "train", "train", "test"] * 15}
    (tmp_path / "beijing").mkdir()
    pl.DataFrame(table | split).write_parquet(tmp_path / "beijing" / "fold0.parquet")
    return tmp_path


def test_run_then_table(nonfat, data):
    out = data / "r"
    typed = ("bench", "run", *BRIEF, "--data", data, "--out", out)
    done = nonfat(*typed)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"2 cells run, 0 were there already, 0 failed; records are in {out / 'cells'}\n"
    )
    again = nonfat(*typed, "--quiet")
    assert (again.code, again.out, again.err) == (0, "", "")
    assert "0 cells run, 2 were there already" in nonfat(*typed).out
    (path, _) = sorted((out / "cells").iterdir())
    record = json.loads(path.read_text())
    assert record["cell"]["method"] == "CellMean"
    assert record["status"] == "done"

    table = nonfat("bench", "table", out)
    assert table.code == 0
    assert "| CellMean | reference | " in table.out
    written = nonfat("bench", "table", out, "--format", "csv", "--out", data / "t.csv")
    assert (written.code, written.out) == (0, "")
    assert (data / "t.csv").read_text().startswith("table,score,dataset,method,")


def test_pack_then_table(nonfat, refuses, data):
    assert nonfat("bench", "run", *BRIEF, "--data", data, "--out", data / "r").code == 0
    packed = nonfat("bench", "pack", data / "r", "--out", data / "records.jsonl")
    assert (packed.code, packed.out) == (0, f"2 records are in {data / 'records.jsonl'}\n")
    again = nonfat("bench", "table", data, "--scores", "crps,width_80")
    assert again.out == nonfat("bench", "table", data / "r", "--scores", "crps,width_80").out
    typed = ("bench", "pack", data / "r", "--out", data / "records.jsonl")
    assert "exists; pass --overwrite" in refuses(*typed)


def test_models_are_kept_if_asked(nonfat, data):
    typed = ("bench", "run", *BRIEF, "--data", data, "--out", data / "r", "--keep-models")
    assert nonfat(*typed).code == 0
    names = sorted(path.name for path in (data / "r" / "models").iterdir())
    assert names[0] == "beijing.fold0.honest.published.CellMean.seed0.nonfat"


def test_a_failed_cell_is_told_and_the_exit_code_is_one(nonfat, data, monkeypatch):
    def broken(self, *_):
        raise ZeroDivisionError("by zero")

    whole = CellMean._fit_rule
    monkeypatch.setattr(CellMean, "_fit_rule", broken)
    typed = ("bench", "run", *BRIEF, "--data", data, "--out", data / "r")
    done = nonfat(*typed)
    assert done.code == 1
    assert "CellMean.seed0 failed: ZeroDivisionError: by zero\n" in done.out
    assert "| CellMean | reference | failed | failed |" in nonfat("bench", "table", data / "r").out
    monkeypatch.setattr(CellMean, "_fit_rule", whole)
    assert nonfat(*typed).code == 1
    assert nonfat(*typed, "--retry").code == 0


def test_ctrl_c_says_what_is_kept(nonfat, data, monkeypatch):
    def stopped(self, *_):
        raise KeyboardInterrupt

    monkeypatch.setattr(CellMean, "_fit_rule", stopped)
    done = nonfat("bench", "run", *BRIEF, "--data", data, "--out", data / "r", "--quiet")
    assert done.code == 130
    assert done.err == (
        f"nonfat: interrupted; 1 of 2 cells were run and are kept in {data / 'r'}; the same "
        "command goes on from there\n"
    )


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["--suite", "papr"], "suite must be one of 'paper', 'robust', got 'papr'"),
        (["--methods", "CPTC"], "no method is called 'CPTC'; did you mean CP"),
        (["--datasets", "peking"], "dataset must be one of"),
        (["--protocols", "honnest"], "did you mean 'honest'?"),
        (["--ranks", "two"], "--ranks: expected whole numbers such as 0,2 or 0-4, got 'two'"),
        (["--folds", "7"], "fold must be"),
        (["--jobs", "0"], "jobs must be a whole number of at least 1, got 0"),
        (["--backend", "spark"], "backend must be one of"),
        (["--data", "nowhere"], "the folder of benchmark data nowhere does not exist"),
    ],
)
def test_mistakes(refuses, data, extra, told):
    typed = ("bench", "run", *BRIEF, "--data", data, "--out", data / "r", *extra)
    assert told in refuses(*typed)
    assert not (data / "r" / "cells").exists()


def test_mistakes_with_tables_and_figures(refuses, data, tmp_path):
    assert "holds no benchmark records" in refuses("bench", "table", data)
    assert "exists; pass --overwrite" in refuses("bench", "table", data, "--out", __file__)
    assert "nowhere does not exist" in refuses("bench", "figures", data, "--data", "nowhere")
    assert "Missing option" in refuses("bench", "run")
