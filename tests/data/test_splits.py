"""Splits: disjoint, exhaustive, repeatable, never empty."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonfat.data import Events, cold_entity_split, random_split, temporal_split
from nonfat.errors import ConfigError, DataError

fractions = st.floats(0.01, 0.99)
seeds = st.integers(0, 2**32)


def events_at(times, sites=None) -> Events:
    sites = [f"s{at % 3}" for at in range(len(times))] if sites is None else sites
    return Events.read(pl.DataFrame({"site": sites, "time": times, "value": [1.0] * len(times)}))


def check_sides(count, train, held):
    assert len(train)
    assert len(held)
    assert sorted([*train, *held]) == list(range(count))
    assert (np.diff(train) > 0).all()
    assert (np.diff(held) > 0).all()


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 200), fractions, seeds)
def test_random_split(count, fraction, seed):
    train, held = random_split(count, fraction, seed)
    check_sides(count, train, held)
    assert abs(len(held) - fraction * count) <= 1
    again = random_split(count, fraction, seed)
    np.testing.assert_array_equal(held, again[1])


def test_random_split_takes_events_and_leaves_the_global_state_alone():
    state = np.random.get_state()[1].copy()
    train, held = random_split(events_at([1, 2, 3, 4]), 0.5, seed=3)
    np.testing.assert_array_equal(np.random.get_state()[1], state)
    check_sides(4, train, held)
    assert any((random_split(50, 0.5, 0)[1] != random_split(50, 0.5, 1)[1]).tolist())


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 8), min_size=4, max_size=40), fractions)
@pytest.mark.filterwarnings("ignore:a single entity")
def test_temporal_split(times, fraction):
    events = events_at(times)
    if len(set(times)) < 2:
        return
    train, held = temporal_split(events, fraction)
    check_sides(len(times), train, held)
    assert events.time[train].max() < events.time[held].min()


def test_temporal_split_is_as_near_to_the_fraction_as_whole_times_allow():
    events = events_at([5, 1, 1, 2, 3, 3, 3, 4])
    assert temporal_split(events, 0.25)[1].tolist() == [0, 7]
    assert temporal_split(events, 0.6)[1].tolist() == [0, 4, 5, 6, 7]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=40), fractions, seeds)
@pytest.mark.filterwarnings("ignore:a single entity")
def test_cold_entity_split(sites, fraction, seed):
    events = events_at(list(range(len(sites))), sites)
    if len(set(sites)) < 2:
        return
    train, held = cold_entity_split(events, "site", fraction, seed)
    check_sides(len(sites), train, held)
    assert not {sites[row] for row in train} & {sites[row] for row in held}
    np.testing.assert_array_equal(held, cold_entity_split(events, 0, fraction, seed)[1])


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.1, float("nan")])
def test_a_fraction_lies_between_0_and_1(fraction):
    for split in (
        lambda: random_split(5, fraction, 0),
        lambda: temporal_split(events_at([1, 2, 3]), fraction),
        lambda: cold_entity_split(events_at([1, 2, 3]), "site", fraction, 0),
    ):
        with pytest.raises(DataError, match="fraction to hold out must lie between 0 and 1, got"):
            split()


@pytest.mark.filterwarnings("ignore:a single entity")
def test_what_cannot_be_split_is_refused():
    with pytest.raises(DataError, match="cannot split 1 rows: each side needs at least one"):
        random_split(1, 0.5, 0)
    with pytest.raises(DataError, match="all 3 rows are at the same time"):
        temporal_split(events_at([2, 2, 2]), 0.5)
    with pytest.raises(DataError, match="cannot split 1 entities of mode 'site'"):
        cold_entity_split(events_at([1, 2], ["a", "a"]), "site", 0.5, 0)
    with pytest.raises(DataError, match="no mode 'sit'; the modes are 'site'"):
        cold_entity_split(events_at([1, 2]), "sit", 0.5, 0)
    with pytest.raises(DataError, match="no mode 1"):
        cold_entity_split(events_at([1, 2]), 1, 0.5, 0)


@pytest.mark.parametrize("thing", [pl.DataFrame({"site": ["a"]}), None, "table.csv"])
def test_splits_by_time_or_entity_need_events(thing):
    text = (
        rf"expected Events, got {type(thing).__name__}; give Events: nf\.Events\.read\(table, modes"
    )
    with pytest.raises(DataError, match=text):
        temporal_split(thing, 0.5)
    with pytest.raises(DataError, match=text):
        cold_entity_split(thing, "site", 0.5, 0)


def test_a_random_split_needs_rows_or_their_number():
    for thing in (None, "table.csv"):
        with pytest.raises(DataError, match=f"expected Events, got {type(thing).__name__}"):
            random_split(thing, 0.5, 0)
    check_sides(4, *random_split(np.int64(4), 0.5, 0))


@pytest.mark.parametrize("fraction", ["0.2", None, True, [0.2]])
def test_a_fraction_is_a_number(fraction):
    text = "the fraction to hold out must be a number between 0 and 1, got"
    for split in (
        lambda: random_split(5, fraction, 0),
        lambda: temporal_split(events_at([1, 2, 3]), fraction),
        lambda: cold_entity_split(events_at([1, 2, 3]), "site", fraction, 0),
    ):
        with pytest.raises(ConfigError, match=text):
            split()


@pytest.mark.parametrize("seed", ["0", None, 1.5, -1, True])
def test_a_seed_is_a_whole_number(seed):
    text = "seed must be a whole number of at least 0, got"
    with pytest.raises(ConfigError, match=text):
        random_split(5, 0.5, seed)
    with pytest.raises(ConfigError, match=text):
        cold_entity_split(events_at([1, 2, 3]), "site", 0.5, seed)
