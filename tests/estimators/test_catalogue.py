"""Estimators by name: spelling, kinds, and options that a method lacks."""

import pytest

import nonfat as nf
from nonfat.errors import ConfigError
from nonfat.estimators import ESTIMATORS
from nonfat.estimators.catalogue import Method, create, find, methods


class Plain:
    """A plain predictor.

    With more to say.
    """

    kind, composition = "reference", ""

    def __init__(self, modes=None, time="time", value="value"):
        self.modes, self.time, self.value = modes, time, value


class Composed(nf.NONFAT):
    composition = "discrete steps × CP"


@pytest.fixture
def more(monkeypatch):
    """Two more estimators in the registry."""
    monkeypatch.setitem(ESTIMATORS, "CellMean", Plain)
    monkeypatch.setitem(ESTIMATORS, "CPDTL", Composed)


def test_methods_come_first_and_say_what_they_are(more):
    found = {method.name: method for method in methods()}
    assert set(found) == set(ESTIMATORS)
    assert found["CellMean"] == Method("CellMean", "reference", "", "A plain predictor.")
    assert found["CPDTL"].composition == "discrete steps × CP"
    kinds = [method.kind for method in methods()]
    assert kinds == sorted(kinds)  # "method" before "reference"


def test_every_estimator_says_what_it_is():
    for method in methods():
        assert method.summary.endswith(".")
        assert (method.composition == "") == (method.kind == "reference")


def test_the_case_of_a_name_does_not_matter(more):
    assert find("CELLMEAN") == find("cellmean") == "CellMean"
    assert isinstance(create("cpdtl", {}), Composed)


def test_a_typo_is_answered_with_a_suggestion(more):
    with pytest.raises(ConfigError, match=r"'cellmaen'; did you mean CellMean\? 'nonfat methods'"):
        find("cellmaen")


def test_wishes_reach_only_those_who_know_them(more):
    model = create("cpdtl", {"time": "when"}, {"rank": 2, "likelyhood": "x"})
    assert (model.time, model.rank) == ("when", 2)
    assert isinstance(create("cellmean", {}, {"rank": 2}), Plain)


def test_options_win_over_wishes():
    assert create("NONFAT", {"rank": 4}, {"rank": 2}).rank == 4


def test_an_option_that_a_method_lacks_is_refused(more):
    with pytest.raises(ConfigError, match=r"CellMean has no option rank$"):
        create("CellMean", {"rank": 2})
