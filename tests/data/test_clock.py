"""Clock: the user's times to the unit interval and back, exact to the tick."""

import datetime as dt
import json
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonfat.data import Clock
from nonfat.errors import DataError

BERLIN = ZoneInfo("Europe/Berlin")
EPOCH_2020 = {"ns": 1_577_836_800 * 10**9, "us": 1_577_836_800 * 10**6, "ms": 1_577_836_800 * 10**3}


def there_and_back(column: pl.Series) -> pl.Series:
    clock = Clock.learn(column)
    assert Clock.from_json(json.loads(json.dumps(clock.to_json()))) == clock
    placed = clock.to_float(column)
    assert placed.dtype == np.float64
    assert placed.min() == 0.0
    assert placed.max() in (0.0, 1.0)
    assert clock.inside(placed).all()
    return clock.from_float(placed)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["ns", "us", "ms"]),
    st.sampled_from([None, "UTC", "Europe/Berlin", "Asia/Kathmandu"]),
    st.lists(st.integers(-(2**50), 2**50), min_size=1, max_size=10),
)
def test_datetimes_come_back_exactly(unit, zone, ticks):
    ticks = [EPOCH_2020[unit] + (tick if unit != "ms" else tick // 2**16) for tick in ticks]
    column = pl.Series(ticks).cast(pl.Datetime(unit, zone))
    back = there_and_back(column)
    assert back.dtype == column.dtype
    assert back.to_physical().to_list() == ticks


@settings(max_examples=30, deadline=None)
@given(st.lists(st.dates(), min_size=1, max_size=10))
def test_dates_come_back_exactly(days):
    assert there_and_back(pl.Series(days)).to_list() == days


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-(2**51), 2**51), min_size=1, max_size=10))
def test_integers_come_back_exactly(numbers):
    back = there_and_back(pl.Series(numbers, dtype=pl.Int64))
    assert back.dtype == pl.Int64
    assert back.to_list() == numbers


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=10))
def test_floats_come_back_to_rounding(numbers):
    back = there_and_back(pl.Series(numbers, dtype=pl.Float64)).to_numpy()
    np.testing.assert_allclose(back, numbers, rtol=1e-12, atol=1e-12 * np.abs(numbers).max())


def test_a_nanosecond_survives_on_top_of_an_epoch_of_1e18():
    clock = Clock.learn(pl.Series(np.array([10**18, 10**18 + 4], dtype="M8[ns]")))
    assert clock.to_float(np.array([10**18 + 1], dtype="M8[ns]")).tolist() == [0.25]
    numbers = Clock.learn([10**18, 10**18 + 4])
    assert numbers.to_float([10**18 + 1]).tolist() == [0.25]


@pytest.mark.parametrize("ours", ["ns", "us", "ms"])
@pytest.mark.parametrize("theirs", ["ns", "us", "ms"])
def test_units_may_differ(ours, theirs):
    span = [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 3)]
    clock = Clock.learn(pl.Series(span, dtype=pl.Datetime(ours)))
    asked = pl.Series([dt.datetime(2020, 1, 2)], dtype=pl.Datetime(theirs))
    assert clock.to_float(asked).tolist() == [0.5]


def test_zones_may_differ_and_summer_time_has_an_hour_less():
    night = pl.Series([dt.datetime(2021, 3, 28), dt.datetime(2021, 3, 29)])
    clock = Clock.learn(night.dt.replace_time_zone("Europe/Berlin"))
    utc = pl.Series([dt.datetime(2021, 3, 28, 10, 30)]).dt.replace_time_zone("UTC")
    assert clock.to_float(utc).tolist() == [0.5]  # 11.5 of 23 hours
    assert clock.from_float(np.array([0.5]))[0].isoformat() == "2021-03-28T12:30:00+02:00"


def test_both_half_past_two_of_an_autumn_night_come_back():
    first = dt.datetime(2020, 10, 25, 2, 30, tzinfo=BERLIN)
    moments = [first, first.replace(fold=1)]
    clock = Clock.learn(pd.Series(moments, dtype=object))
    back = clock.from_float(clock.to_float(moments)).to_list()
    assert clock.zone == "Europe/Berlin"
    assert [moment.fold for moment in back] == [0, 1]


@pytest.mark.parametrize(
    ("column", "kind", "unit", "zone"),
    [
        (pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])), "datetime", "us", None),
        (pd.Series(pd.date_range("2020", periods=2, unit="ns")), "datetime", "ns", None),
        (pd.Series(pd.date_range("2020", periods=2, unit="s")), "datetime", "us", None),
        (
            pd.Series(pd.date_range("2020", periods=2, tz="Asia/Tokyo")),
            "datetime",
            "us",
            "Asia/Tokyo",
        ),
        (pd.Series(pd.date_range("2020", periods=2, tz="+02:00")), "datetime", "us", "UTC"),
        (pd.Series([dt.datetime(2020, 1, 1)] * 2, dtype=object), "datetime", "us", None),
        (pd.Series([dt.date(2020, 1, 1)] * 2, dtype=object), "date", "day", None),
        (pd.Series([1, 2.5], dtype=object), "float", "one", None),
        (pd.Series([1, 2], dtype="Int32"), "integer", "one", None),
        (np.array(["2020-01-01"], dtype="M8[D]"), "date", "day", None),
        ([dt.datetime(2020, 1, 1, tzinfo=dt.UTC)], "datetime", "us", "UTC"),
        (
            [dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 1, 1, tzinfo=BERLIN)],
            "datetime",
            "us",
            "UTC",
        ),
        (pl.Series([1, 2], dtype=pl.UInt8), "integer", "one", None),
        (pl.Series([1, 2**64 - 1], dtype=pl.UInt64), "float", "one", None),
        (pl.Series([1, 2], dtype=pl.Float32), "float", "one", None),
        (pl.Series([Decimal("1.5")]), "float", "one", None),
    ],
)
def test_every_kind_of_time_is_told(column, kind, unit, zone):
    clock = Clock.learn(column)
    assert (clock.kind, clock.unit, clock.zone) == (kind, unit, zone)
    assert clock.inside(clock.to_float(column)).all()


def test_outside_is_outside():
    clock = Clock.learn([dt.date(2020, 1, 1), dt.date(2020, 1, 11)])
    placed = clock.to_float([dt.date(2019, 12, 31), dt.date(2020, 1, 11), dt.date(2020, 1, 12)])
    assert clock.inside(placed).tolist() == [False, True, False]
    assert clock.from_float(np.array([1.1])).to_list() == [dt.date(2020, 1, 12)]


@pytest.mark.parametrize(
    ("lone", "later"),
    [
        (7, 8),
        (dt.date(2020, 1, 1), dt.date(2020, 1, 2)),
        (dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 1)),
    ],
)
def test_a_single_time_has_a_span_of_one_all_the_same(lone, later):
    clock = Clock.learn([lone, lone])
    placed = clock.to_float([lone, later])
    assert placed.tolist() == [0.0, 1.0]
    assert clock.inside(placed).tolist() == [True, False]
    assert clock.from_float(placed).to_list() == [lone, later]


def test_between_ticks():
    assert Clock.learn([2000, 2001]).from_float(np.array([0.5]), between=True).to_list() == [2000.5]
    days = Clock.learn([dt.date(2020, 1, 1), dt.date(2020, 1, 2)])
    assert days.from_float(np.array([0.5]), between=True).to_list() == [dt.datetime(2020, 1, 1, 12)]
    assert days.to_float([dt.datetime(2020, 1, 1, 12)]).tolist() == [0.5]
    assert Clock.learn([2000, 2001]).to_float([2000.5]).tolist() == [0.5]


NAIVE = [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2)]
ZONED = [moment.replace(tzinfo=dt.UTC) for moment in NAIVE]


@pytest.mark.parametrize(
    ("trained", "asked", "words"),
    [
        (
            NAIVE,
            [1.5],
            r"are datetimes without a time zone, but these times are numbers \(floats\)",
        ),
        ([1, 2], NAIVE, r"are numbers \(integers\), but these times are datetimes without"),
        (
            NAIVE,
            ZONED,
            r"without a time zone, but these times are datetimes with a time zone \('UTC'\)",
        ),
        (ZONED, NAIVE, r"with a time zone \('UTC'\), but these times are datetimes without"),
        ([dt.date(2020, 1, 1)], [3], r"are dates, but these times are numbers \(integers\)"),
    ],
)
def test_other_kinds_of_time_are_refused(trained, asked, words):
    with pytest.raises(DataError, match=words):
        Clock.learn(trained).to_float(asked)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pl.Series("when", [1, None, 3]), r"'when' is missing in row 1 \(None\)"),
        (pl.Series("when", [1.0, float("nan")]), r"'when' is missing in row 1 \(nan\)"),
        (pl.Series("when", [1.0, float("-inf")]), r"'when' is infinite in row 1 \(-inf\)"),
        (pd.Series(pd.to_datetime([None, "2020"]), name="when"), r"'when' is missing in row 0"),
        (pd.Series([pd.NaT, dt.date(2020, 1, 1)], name="when"), r"'when' is missing in row 0"),
        (pl.Series("when", [None, None]), r"'when' is missing in row 0 \(None\), row 1"),
        (pl.Series("when", ["2020"]), r"'when' holds strings such as '2020' in row 0; parse them"),
        (
            pl.Series("when", [True]),
            r"'when' holds truth values such as True in row 0; use numbers",
        ),
        (pl.Series("when", [dt.timedelta(1)]), r"'when' holds durations .*total_seconds"),
        (pl.Series("when", [dt.time(1)]), r"'when' holds Time"),
        (
            pd.Series([1, "x"], name="when"),
            r"'when' mixes numbers such as 1 in row 0 with other things in row 1 \('x'\)",
        ),
        (
            pd.Series([NAIVE[0], ZONED[0]], name="when", dtype=object),
            r"mixes naive datetimes .* row 1",
        ),
        (pd.Series(["x", 1], name="when"), r"'when' holds no times in row 0 \('x'\)"),
        (
            pd.Series([True, 1], name="when", dtype=object),
            r"'when' holds no times in row 0 \(True\)",
        ),
    ],
)
def test_what_is_no_time_is_refused_by_row(column, words):
    with pytest.raises(DataError, match=words):
        Clock.learn(column)


def test_an_empty_column_has_no_clock_but_can_be_asked():
    empty = pl.Series([], dtype=pl.Int64)
    with pytest.raises(DataError, match="one or more times"):
        Clock.learn(empty)
    assert Clock.learn([1, 2]).to_float(empty).shape == (0,)
    assert len(Clock.learn([1, 2]).from_float(np.zeros(0))) == 0


def test_extremes_are_answered_or_refused_but_never_wrapped():
    clock = Clock.learn(pl.Series(np.array([0, 10], dtype="M8[ns]")))
    far = pl.Series([dt.datetime(9999, 1, 1)], dtype=pl.Datetime("ms"))
    assert clock.to_float(far)[0] == pytest.approx(253_370_764_800e9 / 10)
    wide = Clock.learn([-(2**63), 2**63 - 1])
    assert wide.to_float([-(2**63), 0, 2**63 - 1]).tolist() == [0.0, 0.5, 1.0]
    with pytest.raises(DataError, match="too far apart; rescale"):
        Clock.learn([-1.7e308, 1.7e308])
    with pytest.raises(DataError, match="too far from the training range"):
        Clock.learn([0.0, 1e-300]).to_float([1e300])
    with pytest.raises(DataError, match="this far away cannot be told as datetimes"):
        clock.from_float(np.array([1e19]))
    with pytest.raises(DataError, match="this far away cannot be told as dates"):
        Clock.learn([dt.date(2020, 1, 1)]).from_float(np.array([1e10]))
    with pytest.raises(DataError, match="not finite"):
        clock.from_float(np.array([np.nan]))
