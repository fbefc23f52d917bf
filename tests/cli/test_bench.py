"""``nonfat bench``: what it prints where, and its exit codes."""

import json

import numpy as np
import polars as pl
import pytest

from nonfat.estimators import ESTIMATORS


class Guess:
    """Guesses."""

    kind = "method"
    composition = "guess × luck"

    def __init__(self, modes=None, time="time", value="value", *, rank=3):
        self.rank = rank

    def fit(self, X):
        return self

    def evaluate(self, X):
        names = ("relative_rmse", "rmse", "mae", "crps", "coverage_95")
        return {"rows": len(X), **dict.fromkeys(names, 0.5), "log_likelihood": float("-inf")}


class Mark(Guess):
    """Guesses, as a reference."""

    kind = "reference"


class Broken(Guess):
    """Breaks."""

    def fit(self, X):
        raise ZeroDivisionError("by zero")


@pytest.fixture
def guesses(monkeypatch):
    """A registry of nothing but a method and a reference."""
    for name in list(ESTIMATORS):
        monkeypatch.delitem(ESTIMATORS, name)
    monkeypatch.setitem(ESTIMATORS, "CPCT", Guess)
    monkeypatch.setitem(ESTIMATORS, "CellMean", Mark)


@pytest.fixture
def data(tmp_path):
    """A folder with a Beijing of 20 rows."""
    code = np.arange(20) % 2
    table = {"site": code, "pollutant": code, "time": code / 2, "value": code / 3}
    split = {"split": ["train", "train", "train", "test"] * 5}
    (tmp_path / "beijing").mkdir()
    pl.DataFrame(table | split).write_parquet(tmp_path / "beijing" / "fold0.parquet")
    return tmp_path


def test_json_goes_to_stdout_and_progress_to_stderr(nonfat, guesses, data):
    typed = ("bench", "--suite", "beijing-quick", "--data", data, "--rank", 4, "--json")
    done = nonfat(*typed)
    assert done.code == 0
    assert done.err.splitlines()[0].startswith("[1/2] CPCT: relative RMSE 0.500, ")
    told = json.loads(done.out)
    assert (told["suite"], told["rank"], told["train_rows"]) == ("beijing-quick", 4, 15)
    method, reference = told["records"]
    assert (method["method"], method["rank"], method["relative_rmse"]) == ("CPCT", 4, 0.5)
    assert method["log_likelihood"] is None
    assert reference["kind"] == "reference"
    assert nonfat(*typed, "--quiet").err == ""


def test_a_table_to_read(nonfat, guesses, data, monkeypatch):
    monkeypatch.setenv("NONFAT_DATA", str(data))
    done = nonfat("bench", "--methods", "cpct,references", "--quiet")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("beijing-quick: beijing, fold 0, 15 rows to learn from, 5 to be")
    (row,) = (line for line in lines if line.startswith("CPCT "))
    assert "guess × luck" in row
    assert "0.500*" in row
    assert any("No method beats the references on relative RMSE" in line for line in lines)
    assert lines[-1].startswith("nonfat ")


def test_a_failing_method_is_told_and_the_exit_code_is_one(nonfat, guesses, data, monkeypatch):
    monkeypatch.setitem(ESTIMATORS, "GPCT", Broken)
    done = nonfat("bench", "--data", data)
    assert done.code == 1
    assert "[2/3] GPCT failed: ZeroDivisionError: by zero\n" in done.err
    assert "GPCT failed: ZeroDivisionError: by zero" in done.out
    assert "CPCT" in done.out


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["--suite", "bejing-quick"], "did you mean 'beijing-quick'?"),
        (["--methods", "CPTC"], "no method is called 'CPTC'; did you mean CPCT?"),
        (["--methods", "CPCT,"], "--methods: expected names separated by commas"),
        (["--rank", "0"], "rank must be a whole number of at least 1, got 0"),
        (["--data", "nowhere"], "the folder of benchmark data nowhere does not exist"),
        (["--suite", "dblp-quick"], "dblp/fold0.parquet does not exist"),
    ],
)
def test_mistakes(refuses, guesses, data, extra, told):
    assert told in refuses("bench", "--data", data, *extra)


def test_without_data_it_says_what_is_expected(refuses, guesses, monkeypatch):
    monkeypatch.delenv("NONFAT_DATA", raising=False)
    assert "--data FOLDER" in refuses("bench")
