"""Suites, and who runs in them."""

import pytest

from nonfat.errors import ConfigError
from nonfat.evaluation.datasets import DATASETS, FOLDS
from nonfat.evaluation.suites import SUITES, contenders, suite


def test_every_suite_can_be_run():
    for name, entry in SUITES.items():
        assert suite(name) is entry
        assert entry.dataset in DATASETS
        assert entry.fold in range(FOLDS)
        assert contenders(entry.methods, entry.skips)


def test_all_is_everything_methods_first(fakes):
    rows = contenders(["all"])
    assert [row.name for row in rows] == ["CPCT", "GPCT", "CellMean"]
    assert [row.kind for row in rows] == ["method", "method", "reference"]
    assert rows[0].composition == "guess × luck"


def test_references_are_all_references(fakes):
    assert [row.name for row in contenders(["references"])] == ["CellMean"]
    assert [row.name for row in contenders(["cpct", "References"])] == ["CPCT", "CellMean"]


def test_each_runs_once_whatever_the_case(fakes):
    assert [row.name for row in contenders(["cpct", "CPCT", "all"])] == ["CPCT", "GPCT", "CellMean"]


def test_the_paper_preset_is_a_name_of_its_own():
    (row,) = contenders(["nonfat-paper"])
    assert (row.name, row.estimator, row.options) == (
        "NONFAT-paper",
        "NONFAT",
        {"preset": "paper"},
    )
    assert {"NONFAT", "NONFAT-paper"} <= {row.name for row in contenders(["all"])}


def test_what_a_suite_skips_runs_if_it_is_named(fakes):
    skips = frozenset({"GPCT"})
    assert [row.name for row in contenders(["all"], skips)] == ["CPCT", "CellMean"]
    assert [row.name for row in contenders(["GPCT"], skips)] == ["GPCT"]


def test_names_that_choose_nobody(fakes):
    with pytest.raises(ConfigError, match=r"no method is called 'CPTC'; did you mean CPCT\?"):
        contenders(["CPTC"])
    with pytest.raises(ConfigError, match="no method is left to run of 'references'"):
        contenders(["references"], frozenset({"CellMean"}))
