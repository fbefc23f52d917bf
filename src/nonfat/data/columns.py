"""One column of anything, as a polars Series; odd objects stay Python objects inside it."""

from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from nonfat.data.labels import is_missing, plain
from nonfat.errors import DataError

__all__ = ["as_series", "from_objects"]

_TIGHT: dict[type, type[pl.DataType]] = {
    str: pl.String,
    int: pl.Int64,
    float: pl.Float64,
    bool: pl.Boolean,
}
_CLEAN = {str, int, bool, type(None)}  # nothing in these to look into


def as_series(column: Any, name: str = "") -> pl.Series:
    """Reads one column: a polars, pandas or arrow series, a 1-D array or a list.

    Args:
        column: the column; a mixed one becomes a series of Python objects.
        name: what messages call it; by default the column's own name.

    Raises:
        DataError: this is not a column, or not of one dimension.

    Example:
        >>> as_series(np.array([1, 2]), "site").to_list()
        [1, 2]
        >>> as_series([(1, "a"), "b"]).dtype
        Object
    """
    series = _read(column)
    return series.rename(name) if name else series


def _read(column: Any) -> pl.Series:
    if isinstance(column, pl.Series):
        return column
    if isinstance(column, list | tuple):
        return from_objects(list(column))
    if isinstance(column, np.ndarray):
        return _from_numpy(column)
    try:
        series = nw.from_native(column, series_only=True)
    except TypeError:
        raise DataError(
            f"expected a column (a series, a 1-D array or a list), got {type(column).__name__}"
        ) from None
    return _from_narwhals(series)


def _from_narwhals(series: nw.Series) -> pl.Series:
    if series.implementation.is_pandas_like():
        name = series.name
        return _from_pandas(series).rename("" if name is None else str(name))
    return series.to_polars()


def _from_pandas(series: nw.Series) -> pl.Series:
    """Reads a pandas column without its detour through pyarrow, which users may not have."""
    dtype = series.dtype
    if isinstance(dtype, nw.Datetime) and dtype.time_zone:
        utc = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return _in_zone(_from_numpy(utc.to_numpy()), dtype.time_zone)
    if (dtype.is_numeric() and not dtype.is_decimal()) or dtype == nw.Boolean:
        return _with_gaps(series)
    if isinstance(dtype, nw.Datetime | nw.Duration):
        return _from_numpy(series.to_numpy())
    return from_objects(series.to_list())


def _in_zone(utc: pl.Series, zone: str) -> pl.Series:
    """Names the zone; one that only pandas knows (a fixed offset) is told in UTC instead."""
    instants = utc.dt.replace_time_zone("UTC")
    try:
        return instants.dt.convert_time_zone(zone)
    except pl.exceptions.PolarsError:
        return instants


def _with_gaps(series: nw.Series) -> pl.Series:
    """Keeps integers with gaps integers; pandas itself would hand them out as floats."""
    gaps = series.is_null()
    if not gaps.any():
        return _from_numpy(series.to_numpy())
    filler = False if series.dtype == nw.Boolean else 0
    values = _from_numpy(series.fill_null(filler).to_numpy())
    return values.set(pl.Series(gaps.to_numpy()), None)


def _from_numpy(array: np.ndarray) -> pl.Series:
    if array.ndim != 1:
        raise DataError(f"expected a column of one dimension, got an array of shape {array.shape}")
    kind = array.dtype.kind
    if kind in "US" or kind == "O" or isinstance(array, np.ma.MaskedArray):
        return from_objects(array.tolist())
    if kind in "Mm":
        return pl.Series(array.astype(_polars_unit(array.dtype)))
    if kind == "f":
        return pl.Series(array.astype(np.float32 if array.itemsize < 8 else np.float64))
    if kind in "biu":
        return pl.Series(array.astype(array.dtype.newbyteorder("=")))
    raise DataError(f"an array of type {array.dtype} cannot be a column")


def _polars_unit(dtype: np.dtype) -> str:
    unit, step = np.datetime_data(dtype)
    known = unit if unit in {"ms", "us", "ns", "D"} and step == 1 else "us"
    return f"{dtype.kind}8[{'us' if known == 'D' and dtype.kind == 'm' else known}]"


def _cleaned(items: list[Any]) -> list[Any]:
    return [item if type(item) is str else _plain_or_none(item) for item in items]


def _plain_or_none(item: Any) -> Any:
    return None if is_missing(item) else plain(item)


def from_objects(items: list[Any]) -> pl.Series:
    """Makes the tightest series that holds these Python objects without changing any.

    Example:
        >>> from_objects(["a", None, "b"]).dtype, from_objects([1, True]).dtype
        (String, Object)
    """
    cleaned = items if set(map(type, items)) <= _CLEAN else _cleaned(items)
    kinds = set(map(type, cleaned)) - {type(None)}
    dtype = _TIGHT.get(kinds.pop()) if len(kinds) == 1 else None
    if dtype is not None:
        try:
            return pl.Series(cleaned, dtype=dtype)
        except (OverflowError, TypeError, pl.exceptions.PolarsError):
            pass  # integers beyond 64 bits
    # polars judges a list by its first item (and would swap members of an Enum for their values)
    return pl.Series([object(), *cleaned], dtype=pl.Object)[1:]
