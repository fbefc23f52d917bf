"""Protocols: what is held out, and that it is the same each time."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from nonfat.errors import ConfigError, DataError
from nonfat.evaluation.datasets import Split
from nonfat.evaluation.protocols import PROTOCOLS, protocol

CUTS = [(name, part) for name, entry in PROTOCOLS.items() for part in entry.parts]


def made_up(rows=400):
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "site": rng.integers(5, size=rows),
            "pollutant": rng.integers(4, size=rows),
            "time": rng.uniform(0, 10, rows),
            "value": np.arange(rows, dtype=float),  # a value tells which row it is
        }
    )
    cut = rows * 4 // 5
    return Split("beijing", 0, ("site", "pollutant"), table[:cut], table[cut:])


SPLIT = made_up()
ALL = set(range(400))


def rows(frame):
    return set(frame["value"].cast(int).to_list())


@pytest.mark.parametrize(("name", "part"), CUTS)
def test_no_row_is_on_both_sides_and_a_cut_is_the_same_again(name, part):
    train, test = protocol(name).cut(SPLIT, part, seed=3)
    again = protocol(name).cut(SPLIT, part, seed=3)
    assert train.equals(again[0])
    assert test.equals(again[1])
    assert not rows(train) & rows(test)
    assert train.columns == test.columns == ["site", "pollutant", "time", "value"]
    if name != "learning-curve":
        assert rows(train) | rows(test) == ALL


@pytest.mark.parametrize("name", ["honest", "paper"])
def test_the_published_split_stays_as_it_is(name):
    train, test = protocol(name).cut(SPLIT, "published")
    assert train.equals(SPLIT.train)
    assert test.equals(SPLIT.test)


def test_resplits_are_five_different_splits_of_all_rows():
    held = [rows(protocol("resplit").cut(SPLIT, part)[1]) for part in PROTOCOLS["resplit"].parts]
    assert len(held) == 5
    assert {len(one) for one in held} == {80}
    assert all(a != b for i, a in enumerate(held) for b in held[:i])
    other = rows(protocol("resplit").cut(SPLIT, "random-1", seed=1)[1])
    assert other not in held


@pytest.mark.parametrize(("part", "share"), [("last-10%", 0.1), ("last-30%", 0.3)])
def test_forecasts_are_of_later_times_only(part, share):
    train, test = protocol("forecast").cut(SPLIT, part)
    assert train["time"].max() < test["time"].min()
    assert test["time"].min() >= 10 * (1 - share) - 0.1


def test_a_cold_cell_has_no_row_to_learn_from():
    train, test = protocol("cold-cell").cut(SPLIT, "cells")
    cells = [set(frame.select("site", "pollutant").iter_rows()) for frame in (train, test)]
    assert not cells[0] & cells[1]
    assert len(cells[1]) == 4  # a fifth of 5 × 4


def test_a_learning_curve_grows_and_is_judged_by_the_same_rows():
    cuts = [protocol("learning-curve").cut(SPLIT, part) for part in ("1%", "5%", "20%", "80%")]
    assert [train.height for train, _ in cuts] == [4, 20, 80, 320]
    assert all(rows(small) < rows(large) for (small, _), (large, _) in pairwise(cuts))
    assert all(test.equals(cuts[0][1]) for _, test in cuts)


def test_curves_hold_out_the_published_gaps_and_what_comes_last():
    train, test = protocol("curves").cut(SPLIT, "last-10%")
    assert train["time"].max() <= 9 + 0.1
    assert rows(SPLIT.test) < rows(test)


def test_only_the_paper_looks_while_it_trains():
    assert [name for name, entry in PROTOCOLS.items() if entry.looks] == ["paper"]


def test_mistakes():
    with pytest.raises(ConfigError, match="has no part 'last-20%'; its parts are last-10%"):
        protocol("forecast").cut(SPLIT, "last-20%")
    one_time = made_up(10)
    alone = Split("beijing", 0, one_time.modes, one_time.train[:1], one_time.test[:0])
    with pytest.raises(DataError, match="protocol forecast, part last-10%: no row is left"):
        protocol("forecast").cut(alone, "last-10%")
