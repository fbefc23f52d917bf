"""A time column as exact numbers: whole ticks wherever the user's type counts in ticks."""

import datetime as dt
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from jaxtyping import Bool, Float64, Int, Int64

from nonfat.data.wording import rows_where
from nonfat.errors import DataError

__all__ = ["TICK", "Kind", "Moments", "Unit", "read_moments"]

Kind = Literal["integer", "float", "date", "datetime"]
Unit = Literal["one", "day", "ms", "us", "ns"]

TICK: dict[str, int] = {"one": 1, "ns": 1, "us": 10**3, "ms": 10**6, "day": 86_400 * 10**9}
"""The length of a tick: in nanoseconds for what the calendar counts, else 1."""

_NUMBERS = (int, float)


@dataclass(frozen=True, eq=False)
class Moments:
    """A time column, read.

    Attributes:
        ticks: the times; integers unless the kind is "float". Zoned times count in UTC.
        kind: what the user's times are.
        unit: how long a tick is.
        zone: the user's time zone, if the times have one.
    """

    ticks: Int64[np.ndarray, "N"] | Float64[np.ndarray, "N"]
    kind: Kind
    unit: Unit = "one"
    zone: str | None = None

    def where(self, kept: Bool[np.ndarray, "N"] | Int[np.ndarray, "M"]) -> "Moments":
        """Only some of the times, by truth value or by position."""
        return Moments(self.ticks[kept], self.kind, self.unit, self.zone)

    @property
    def described(self) -> str:
        """What these times are, in words."""
        return describe(self.kind, self.zone)


def describe(kind: Kind, zone: str | None) -> str:
    """Says in words what kind of times these are.

    Example:
        >>> describe("datetime", "UTC")
        "datetimes with a time zone ('UTC')"
    """
    if kind == "datetime":
        return f"datetimes with a time zone ({zone!r})" if zone else "datetimes without a time zone"
    return {"integer": "numbers (integers)", "float": "numbers (floats)", "date": "dates"}[kind]


def read_moments(series: pl.Series) -> Moments:
    """Reads a time column.

    Raises:
        DataError: some times are missing or infinite, or the column holds no times.

    Example:
        >>> read_moments(pl.Series([dt.date(1970, 1, 2)])).ticks.tolist()
        [1]
    """
    if series.dtype == pl.Object:
        _refuse_missing(series, series.is_null())
        series = _typed(series)
    _refuse_missing(series, series.is_null())
    dtype = series.dtype
    if dtype.is_integer():
        whole = series.cast(pl.Int64, strict=False)
        if not whole.null_count():  # else beyond 64 bits, where only floats reach
            return Moments(whole.to_numpy(), "integer")
    if dtype.is_numeric():
        return Moments(_finite(series), "float")
    if dtype == pl.Date:
        return Moments(series.to_physical().cast(pl.Int64).to_numpy(), "date", "day")
    if isinstance(dtype, pl.Datetime):
        ticks = series.to_physical().to_numpy()
        return Moments(ticks, "datetime", dtype.time_unit, dtype.time_zone)
    raise DataError(_no_times(series))


def _finite(series: pl.Series) -> Float64[np.ndarray, "N"]:
    times = series.cast(pl.Float64).to_numpy()
    _refuse_missing(series, pl.Series(np.isnan(times)))
    infinite = np.isinf(times)
    if infinite.any():
        raise DataError(
            f"{_called(series)} is infinite in {rows_where(infinite, series)}; "
            "drop these rows or give them a time"
        )
    return times


def _called(series: pl.Series) -> str:
    return f"time column '{series.name}'" if series.name else "the list of times"


def _refuse_missing(series: pl.Series, missing: pl.Series) -> None:
    if missing.any():
        raise DataError(
            f"{_called(series)} is missing in {rows_where(missing.to_numpy(), series)}; "
            "drop these rows or give them a time"
        )


def _no_times(series: pl.Series) -> str:
    holds = {pl.String: "strings", pl.Boolean: "truth values", pl.Duration: "durations"}
    advice = {
        pl.String: "parse them first (pandas.to_datetime, or .str.to_datetime() in polars)",
        pl.Duration: "turn them into numbers first (.dt.total_seconds())",
    }
    base = series.dtype.base_type()
    return (
        f"{_called(series)} holds {holds.get(base, str(series.dtype))} such as "
        f"{series[0]!r} in row 0; {advice.get(base, 'use numbers, dates or datetimes')}"
    )


def _typed(series: pl.Series) -> pl.Series:
    """Gives a column of Python objects its type, if all its objects are of one kind."""
    items: list[Any] = series.to_list()
    families = np.array([_family(item) for item in items], dtype=object)
    odd = (families != families[0]) | (families == "no times")
    if odd.any():
        raise DataError(
            f"{_called(series)} mixes {families[0]} such as {items[0]!r} in row 0 with "
            f"other things in {rows_where(odd, series)}; use one kind of time throughout"
            if families[0] != "no times"
            else f"{_called(series)} holds no times in {rows_where(odd, series)}; "
            "use numbers, dates or datetimes"
        )
    if families[0] == "numbers":
        return pl.Series(series.name, np.array(items, dtype=np.float64))
    if families[0] == "dates":
        return pl.Series(series.name, items, dtype=pl.Date)
    return _datetimes(series.name, items)


def _family(item: Any) -> str:
    if isinstance(item, dt.datetime):
        return "zoned datetimes" if item.utcoffset() is not None else "naive datetimes"
    if isinstance(item, dt.date):
        return "dates"
    number = isinstance(item, _NUMBERS) and not isinstance(item, bool)
    return "numbers" if number else "no times"


def _datetimes(name: str, items: list[dt.datetime]) -> pl.Series:
    if items[0].utcoffset() is None:
        return pl.Series(name, items, dtype=pl.Datetime("us"))
    utc = [item.astimezone(dt.UTC).replace(tzinfo=None) for item in items]
    zones = {getattr(item.tzinfo, "key", None) for item in items}
    zone = zones.pop() if len(zones) == 1 else None
    instants = pl.Series(name, utc, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC")
    return instants.dt.convert_time_zone(zone or "UTC")
