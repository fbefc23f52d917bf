"""``nonfat methods``, and methods in ``nonfat fit``."""

import json

import nonfat as nf
from nonfat.estimators import ESTIMATORS


class Counting(nf.NONFAT):
    """Counts, not measurements."""

    composition = "made up × CP"
    asked: dict = {}  # noqa: RUF012

    def __init__(self, modes=None, time="time", value="value", *, likelihood="auto", exposure=None):
        super().__init__(modes, time, value)
        self.likelihood, self.exposure = likelihood, exposure

    def fit(self, X, y=None):
        self.asked.update(likelihood=self.likelihood, exposure=self.exposure)
        return nf.load(X)


def test_each_method_has_a_line(nonfat, monkeypatch):
    monkeypatch.setitem(ESTIMATORS, "CPFT", Counting)
    done = nonfat("methods")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert len(lines) == len(ESTIMATORS)
    (line,) = (line for line in lines if line.startswith("CPFT "))
    assert line.split(maxsplit=1)[1].split("  ")[0] == "made up × CP"
    assert line.endswith("  Counts, not measurements.")


def test_methods_as_json(nonfat):
    told = json.loads(nonfat("methods", "--json").out)["methods"]
    assert {method["name"] for method in told} == set(ESTIMATORS)
    assert all(set(method) == {"name", "kind", "composition", "summary"} for method in told)


def test_likelihood_and_exposure_reach_the_method(nonfat, air, tmp_path, monkeypatch):
    monkeypatch.setitem(ESTIMATORS, "CPFT", Counting)
    done = nonfat(
        *("fit", air.model, "--out", tmp_path / "m.nonfat", "--method", "cpft", "--quiet"),
        *("--likelihood", "poisson", "--exposure", "days"),
    )
    assert (done.code, done.err) == (0, "")
    assert Counting.asked == {"likelihood": "poisson", "exposure": "days"}


def test_an_option_that_a_method_lacks_is_one_plain_line(refuses, air, tmp_path, monkeypatch):
    monkeypatch.setitem(ESTIMATORS, "CPFT", Counting)
    out = tmp_path / "m.nonfat"
    told = refuses("fit", air.table, "--out", out, "--method", "cpft", "--rank", 3)
    assert told == "nonfat: error: CPFT has no option rank\n"


def test_help_says_where_the_methods_are(nonfat):
    assert "nonfat methods" in nonfat("fit", "--help").out
    assert "\n  methods " in nonfat("--help").out
