"""From a tidy frame of any library to what a display needs, with checks that explain."""

import difflib
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

import narwhals as nw
import numpy as np
import polars as pl

from nonfat.errors import ConfigError, DataError

_Label = TypeVar("_Label", bound=Hashable)

__all__ = ["as_table", "boundary_on_axis", "choose", "is_date", "times_on_axis"]


def as_table(frame: Any, columns: Iterable[str], what: str) -> pl.DataFrame:
    """The frame as polars, once it is known to have rows and the columns."""
    try:
        table = nw.from_native(frame, eager_only=True).to_polars()
    except TypeError as error:
        raise DataError(
            f"{what}: expected a data frame (polars, pandas, arrow), got {type(frame).__name__}; "
            "collect a lazy frame first"
        ) from error
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise DataError(f"{what}: no column is called {missing[0]!r}; there are {table.columns}")
    if table.is_empty():
        raise DataError(f"{what}: there are no rows, so nothing to draw")
    return table


def choose(known: Sequence[_Label], wanted: Sequence[_Label] | None, option: str) -> list[_Label]:
    """The wanted labels in the order asked for, or all; an unknown one is an error that helps."""
    if wanted is None:
        return list(known)
    if isinstance(wanted, str) or not wanted:
        raise ConfigError(f"{option}: expected a list of one label or more, got {wanted!r}")
    for label in wanted:
        if label not in known:
            raise ConfigError(f"{option}: the frame has no {label!r}; {_hint(label, known)}")
    return list(wanted)


def _hint(label: Hashable, known: Sequence[Hashable]) -> str:
    by_text = {str(other): other for other in known}
    close = difflib.get_close_matches(str(label), by_text, n=1)
    if close:
        return f"did you mean {by_text[close[0]]!r}?"
    shown = ", ".join(repr(other) for other in known[:8])
    return f"it has {shown}" + (", ..." if len(known) > 8 else "")


def times_on_axis(times: pl.Series) -> np.ndarray:
    """Times as matplotlib takes them: numbers, or datetimes as the clock on the wall shows them."""
    if times.dtype.is_numeric():
        return times.cast(pl.Float64).to_numpy()
    if is_date(times):
        wall = times.cast(pl.Datetime("us", _zone(times)))
        return wall.dt.replace_time_zone(None).to_numpy()
    raise DataError(
        f"the column {times.name!r} holds {times.dtype}; expected datetimes, dates or numbers"
    )


def is_date(times: pl.Series) -> bool:
    """Whether the times are calendar dates, with or without the hour."""
    return times.dtype == pl.Date or isinstance(times.dtype, pl.Datetime)


def boundary_on_axis(boundary: Any, times: pl.Series) -> Any:
    """The boundary as a point on the axis of ``times``: a number or a datetime without zone."""
    if boundary is None:
        return None
    if isinstance(boundary, np.datetime64):
        boundary = boundary.astype("datetime64[us]").item()
    point = pl.Series("boundary", [boundary])
    fits = is_date(point) if is_date(times) else point.dtype.is_numeric()
    if not fits:
        raise ConfigError(
            f"boundary={boundary!r} is not a point in time like those of the frame, which are "
            f"{times.dtype}"
        )
    if _zone(point) is not None and _zone(times) is not None:
        point = point.dt.convert_time_zone(str(_zone(times)))
    return times_on_axis(point)[0]


def _zone(times: pl.Series) -> str | None:
    return times.dtype.time_zone if isinstance(times.dtype, pl.Datetime) else None
