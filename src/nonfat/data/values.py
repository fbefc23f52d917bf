"""The value column as floats."""

from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Bool, Float64

from nonfat.data.wording import rows_where
from nonfat.errors import DataError

__all__ = ["read_exposure", "read_values"]


def read_values(series: pl.Series) -> Float64[np.ndarray, "N"]:
    """Reads a value column; truth values become 0 and 1, and what is missing becomes NaN.

    The NaN is for the caller to drop.

    Raises:
        DataError: the column holds no numbers, or some are infinite.

    Example:
        >>> read_values(pl.Series([True, None, False])).tolist()
        [1.0, nan, 0.0]
    """
    values = _floats(series, "value")
    infinite = np.isinf(values)
    if infinite.any():
        raise DataError(
            f"value column '{series.name}' is infinite in {rows_where(infinite, series)}; "
            "drop these rows or make the values missing"
        )
    return values


def read_exposure(series: pl.Series, needed: Bool[np.ndarray, "N"]) -> Float64[np.ndarray, "N"]:
    """Reads an exposure column: for how long, or how much, each count was watched.

    Args:
        series: the column.
        needed: the rows that need an exposure; others may miss it.

    Raises:
        DataError: the column holds no numbers, or some are missing, infinite or not above zero.

    Example:
        >>> read_exposure(pl.Series("days", [2, 0]), np.array([True, True]))
        Traceback (most recent call last):
        nonfat.errors.DataError: exposure column 'days' should hold numbers above 0, but not in \
row 1 (0); a cell that was not watched has no count: drop these rows
    """
    exposure = _floats(series, "exposure")
    bad = needed & ~(np.isfinite(exposure) & (exposure > 0))
    if bad.any():
        raise DataError(
            f"exposure column '{series.name}' should hold numbers above 0, but not in "
            f"{rows_where(bad, series)}; a cell that was not watched has no count: drop these rows"
        )
    return exposure


def _floats(series: pl.Series, part: str) -> Float64[np.ndarray, "N"]:
    """The numbers of a column; what is missing becomes NaN."""
    if series.dtype == pl.Object:
        _refuse_objects(series, part)
        series = pl.Series(series.name, [_float(item) for item in series.to_list()], pl.Float64)
    if not (series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.Null)):
        raise DataError(_no_numbers(series, part))
    return series.cast(pl.Float64).fill_null(np.nan).to_numpy()


def _float(item: Any) -> float | None:
    try:
        return None if item is None else float(item)
    except OverflowError:  # an integer of more than 300 digits
        return float("inf")


def _refuse_objects(series: pl.Series, part: str) -> None:
    numbers = (int, float, Decimal, type(None))  # a bool is an int
    odd = np.array([not isinstance(item, numbers) for item in series.to_list()], dtype=bool)
    if odd.any():
        raise DataError(
            f"{part} column '{series.name}' should hold numbers, but not in "
            f"{rows_where(odd, series)}; {_CONVERT}"
        )


_CONVERT = "convert it first (pandas.to_numeric, or .cast(pl.Float64) in polars)"


def _no_numbers(series: pl.Series, part: str) -> str:
    holds = "strings" if series.dtype == pl.String else str(series.dtype)
    present = series.is_not_null().to_numpy()
    return (
        f"{part} column '{series.name}' should hold numbers, but it holds {holds}: "
        f"{rows_where(present, series)}; {_CONVERT}"
    )
