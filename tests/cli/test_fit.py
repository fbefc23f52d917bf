"""``nonfat fit``: what it prints, what it saves, and what it refuses before training."""

import json
import warnings

import pytest

import nonfat as nf


def test_it_prints_the_summary_and_where_the_model_is(nonfat, air, tmp_path):
    out = tmp_path / "air.nonfat"
    done = nonfat("fit", air.table, *air.names, "--rank", 1, "--epochs", 2, "--out", out)
    assert done.code == 0
    assert done.err == ""
    assert done.out.startswith("NONFAT: level by site (3), pollutant (2) over when\n")
    assert done.out.endswith(f"saved {out}\n")
    assert nf.load(out).get_params()["rank"] == 1


def test_options_reach_the_estimator_and_the_rest_keep_its_defaults(
    nonfat, air, tmp_path, monkeypatch
):
    seen = {}

    def fit(self, table):
        seen.update(self.get_params(), table=table)
        return nf.load(air.model)

    monkeypatch.setattr(nf.NONFAT, "fit", fit)
    out = tmp_path / "air.nonfat"
    done = nonfat(
        *("fit", air.parquet, "--time", "when", "--out", out, "--quiet", "--rank", 2),
        *("--method", "nonfat", "--preset", "paper", "--seed", 3, "--dtype", "float64"),
    )
    assert (done.code, done.out, done.err) == (0, "", "")
    asked = {"time": "when", "rank": 2, "preset": "paper", "seed": 3, "dtype": "float64"}
    expected = nf.NONFAT().get_params() | asked | {"progress": False, "table": air.parquet}
    assert seen == expected
    assert out.exists()


def test_json(nonfat, air, tmp_path):
    out = tmp_path / "air.nonfat"
    done = nonfat("fit", air.table, *air.names, *air.brief, "--out", out, "--json")
    told = json.loads(done.out)
    assert told["path"] == str(out)
    assert told["method"] == "NONFAT"
    assert (told["rows"], told["training_rows"], told["epochs"]) == (60, 54, 2)
    assert {"best_epoch", "validation", "elbo", "seconds", "skipped"} < set(told)


def test_an_existing_file_is_refused_before_anything_is_read(refuses, nonfat, air):
    before = air.model.read_bytes()
    told = refuses("fit", "nowhere.csv", "--out", air.model)
    assert told == (f"nonfat: error: --out: {air.model} exists; pass --overwrite to replace it\n")
    assert air.model.read_bytes() == before


@pytest.mark.parametrize("method", ["interpolation", "CELLMEAN"])
def test_references_are_methods_too(nonfat, air, tmp_path, method):
    out = tmp_path / "air.nonfat"
    done = nonfat("fit", air.table, *air.names, "--method", method, "--out", out, "--json")
    told = json.loads(done.out)
    assert (done.code, told["rows"], told["training_rows"]) == (0, 60, 60)
    assert told["method"].lower() == method.lower()
    assert nonfat("predict", out, air.queries).code == 0


def test_overwrite(nonfat, air, tmp_path):
    out = tmp_path / "air.nonfat"
    out.write_text("old")
    done = nonfat("fit", air.table, *air.names, *air.brief, "--out", out, "--overwrite")
    assert done.code == 0
    assert nf.load(out).fit_.provenance.rows == 60


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["--method", "NONFT"], "no method is called 'NONFT'; did you mean NONFAT?"),
        (["--method", "xyz"], "no method is called 'xyz'; 'nonfat methods' lists all of them\n"),
        (["--method", "celmean"], "did you mean CellMean?"),
        (["--method", "CellMean", "--rank", "3"], "CellMean has no option rank"),
        (["--preset", "papr"], "did you mean 'paper'?"),
        (["--rank", "0"], "rank must be a whole number of at least 1, got 0"),
        (["--epochs", "0"], "epochs must be a whole number of at least 1, got 0"),
        (["--seed", "-1"], "seed must be a whole number of at least 0, got -1"),
        (["--dtype", "float16"], "dtype must be one of 'float32', 'float64', got 'float16'"),
        (["--modes", "site,"], "--modes: expected names separated by commas, got 'site,'"),
        (["--modes", "sight"], "no column 'sight' in the table"),
        (["--time", "whn"], "no column 'whn' in the table"),
        (["--rank", "five"], "Invalid value for '--rank'"),
        (
            ["--mods", "site"],
            "No such option: --mods. Did you mean --modes? See 'nonfat fit --help",
        ),
    ],
)
def test_mistakes(refuses, air, tmp_path, extra, told):
    typed = ("fit", air.table, *air.names, "--out", tmp_path / "m.nonfat", *extra)
    assert told in refuses(*typed)
    assert not list(tmp_path.iterdir())


def test_files_that_cannot_be(refuses, air, tmp_path):
    assert "does not exist" in refuses("fit", "nowhere.csv", "--out", tmp_path / "m")
    assert "supported endings" in refuses("fit", __file__, "--out", tmp_path / "m")
    folder = tmp_path / "no" / "m.nonfat"
    assert f"the folder {folder.parent} does not exist" in refuses(
        "fit", air.table, "--out", folder
    )
    assert "is a folder" in refuses("fit", air.table, "--out", tmp_path)


def test_out_is_required(refuses, air):
    assert "'--out'" in refuses("fit", air.table)
    assert "DATA" in refuses("fit")


def test_a_warning_is_one_line(nonfat, air, tmp_path):
    text = air.table.read_text().splitlines()
    site, pollutant, when, _ = text[1].split(",")
    gappy = tmp_path / "gappy.csv"
    gappy.write_text("\n".join([*text, f"{site},{pollutant},{when},"]))
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        done = nonfat("fit", gappy, *air.names, *air.brief, "--out", tmp_path / "m.nonfat")
    assert done.code == 0
    assert done.err.startswith("nonfat: warning: ")
    assert done.err.count("\n") == 1


def test_ctrl_c_before_there_is_a_model(nonfat, air, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(nf.NONFAT, "fit", stop)
    done = nonfat("fit", air.table, *air.names, "--out", tmp_path / "m.nonfat")
    assert (done.code, done.out) == (130, "")
    assert done.err == "nonfat: interrupted; nothing was saved\n"
    assert not list(tmp_path.iterdir())


def test_ctrl_c_once_there_is_one(nonfat, air, tmp_path, monkeypatch):
    fit = nf.NONFAT.fit

    def stopped(self, table):
        warnings.warn("training was interrupted", nf.TrainingInterrupted, stacklevel=2)
        return fit(self, table)

    monkeypatch.setattr(nf.NONFAT, "fit", stopped)
    out = tmp_path / "m.nonfat"
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        done = nonfat("fit", air.table, *air.names, *air.brief, "--out", out)
    assert done.code == 0
    assert done.err == "nonfat: warning: training was interrupted\n"
    assert out.exists()


def test_our_own_mistakes_keep_their_traceback(nonfat, air, tmp_path, monkeypatch):
    monkeypatch.setattr(nf.NONFAT, "fit", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        nonfat("fit", air.table, *air.names, "--out", tmp_path / "m.nonfat")
