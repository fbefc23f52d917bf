"""Estimators that cost nothing and a data folder of a few rows, for tests of benchmarks."""

import numpy as np
import polars as pl
import pytest

from evaluation.guesses import Breaking, Guess, Mark
from nonfat.estimators import ESTIMATORS


class Fake:
    """Answers with its own scores.

    It is not even a real estimator.
    """

    kind = "method"
    composition = "guess × luck"
    scores = (0.5, 0.0)
    seen: list = []  # noqa: RUF012  (the tables and options that it was given)

    def __init__(self, modes=None, time="time", value="value", *, rank=3, seed=0):
        self.modes, self.time, self.value = modes, time, value
        self.rank, self.seed = rank, seed

    def fit(self, X):
        self.seen.append(("fit", X))
        return self

    def evaluate(self, X):
        self.seen.append(("evaluate", X))
        error, likelihood = self.scores
        found = {"relative_rmse": error, "rmse": 2 * error, "mae": error, "crps": None}
        return {"rows": len(X), **found, "log_likelihood": likelihood, "coverage_95": float("nan")}


class FakeMean(Fake):
    """Answers with other scores, and has no options."""

    kind = "reference"
    composition = "nothing"
    scores = (0.75, None)

    def __init__(self, modes=None, time="time", value="value"):
        self.modes, self.time, self.value = modes, time, value


class Broken(FakeMean):
    """Breaks."""

    kind = "method"

    def fit(self, X):
        raise ZeroDivisionError("by\nzero")


@pytest.fixture
def fakes(monkeypatch):
    """A registry of a method (CPCT), a reference (CellMean) and a method that breaks (GPCT)."""
    entries = {"CellMean": FakeMean, "CPCT": Fake, "GPCT": Broken}
    for name in list(ESTIMATORS):
        monkeypatch.delitem(ESTIMATORS, name)
    for name, kind in entries.items():
        monkeypatch.setitem(ESTIMATORS, name, kind)
    monkeypatch.setattr(Fake, "seen", [])
    return Fake


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory):
    """Fold 0 of a Beijing of 60 rows."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "site": rng.integers(3, size=60),
            "pollutant": rng.integers(2, size=60),
            "time": np.arange(60) / 4,
            "value": rng.normal(size=60),
            "split": np.where(np.arange(60) % 5, "train", "test"),
        }
    )
    (folder / "beijing").mkdir()
    table.write_parquet(folder / "beijing" / "fold0.parquet")
    return folder


@pytest.fixture
def guesses(monkeypatch):
    """A registry of a method (CPCT), a reference (CellMean) and a method that breaks (GPCT)."""
    for name in list(ESTIMATORS):
        monkeypatch.delitem(ESTIMATORS, name)
    for name, kind in {"CellMean": Mark, "CPCT": Guess, "GPCT": Breaking}.items():
        monkeypatch.setitem(ESTIMATORS, name, kind)
    monkeypatch.setattr(Guess, "fits", [])
    return Guess
