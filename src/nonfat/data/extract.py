"""The columns that matter, checked, without the rows that have no value."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Bool, Float64, Int64

from nonfat.data.coding import check_ids
from nonfat.data.columns import as_series
from nonfat.data.moments import Moments, read_moments
from nonfat.data.notice import notice
from nonfat.data.roles import Roles
from nonfat.data.table import Table
from nonfat.data.text import ids_from_text, times_from_text, values_from_text
from nonfat.data.values import read_exposure, read_values
from nonfat.errors import DataError

__all__ = ["Columns", "extract"]


@dataclass(frozen=True, eq=False)
class Columns:
    """What `extract` took from a table.

    Attributes:
        table: the table; if its source was text, the columns now have their types.
        ids: the entity ids, one series per mode.
        moments: the times.
        values: the values, if they were asked for.
        exposure: the exposures, if there is a column of them.
        rows: each row's number in the table.
    """

    table: Table
    ids: tuple[pl.Series, ...]
    moments: Moments
    values: Float64[np.ndarray, "N"] | None
    exposure: Float64[np.ndarray, "N"] | None
    rows: Int64[np.ndarray, "N"]


def extract(table: Table, roles: Roles, *, need_value: bool, y: Any = None) -> Columns:
    """Takes the columns that matter, checks every row, then drops rows without a value.

    Args:
        table: the table.
        roles: which columns matter.
        need_value: whether values matter.
        y: the values, if they are not a column of the table.

    Raises:
        DataError: some rows cannot be used as they are.

    Warns:
        DataWarning: rows without a value were dropped.
    """
    try:
        return _extract(table, roles, need_value, y)
    except DataError as error:
        if table.lines is None:
            raise
        raise DataError(table.located(str(error))) from None


def _extract(table: Table, roles: Roles, need_value: bool, y: Any) -> Columns:
    table = _settle(table, roles, has_value=need_value and y is None)
    ids = tuple(check_ids(_ids(table, name)) for name in roles.modes)
    moments = read_moments(table.column(roles.time))
    every = np.arange(len(table))
    if not need_value:
        exposure = _exposure(table, roles, np.ones(len(table), dtype=bool))
        return Columns(table, ids, moments, None, exposure, every)
    values = read_values(table.column(roles.value) if y is None else _apart(table, roles, y))
    kept = ~np.isnan(values)
    exposure = _exposure(table, roles, kept)
    if kept.all():
        return Columns(table, ids, moments, values, exposure, every)
    _report_dropped(kept, roles.value)
    ids = tuple(column.filter(pl.Series(kept)) for column in ids)
    exposure = None if exposure is None else exposure[kept]
    return Columns(table, ids, moments.where(kept), values[kept], exposure, every[kept])


def _settle(table: Table, roles: Roles, *, has_value: bool) -> Table:
    """Gives the columns of a text source the types that their roles ask for."""
    if not table.is_text:
        return table
    typed = {name: ids_from_text(table.verbatim(name)) for name in roles.modes}
    readers = {roles.time: times_from_text}
    if roles.exposure is not None:
        readers[roles.exposure] = values_from_text
    if has_value:
        readers[roles.value] = values_from_text
    for name, reader in readers.items():
        column = table.column(name)
        typed[name] = reader(column) if column.dtype == pl.String else column
    return table.typed(typed)


def _ids(table: Table, name: str) -> pl.Series:
    """The ids; an array has one type for all columns, so there whole floats mean integers."""
    ids = table.column(name)
    if table.arrays and ids.dtype == pl.Float64 and (ids.is_finite() & (ids == ids.round())).all():
        return ids.cast(pl.Int64)
    return ids


def _exposure(
    table: Table, roles: Roles, kept: Bool[np.ndarray, "N"]
) -> Float64[np.ndarray, "N"] | None:
    """The exposures; rows that have no value need none."""
    return None if roles.exposure is None else read_exposure(table.column(roles.exposure), kept)


def _apart(table: Table, roles: Roles, y: Any) -> pl.Series:
    series = as_series(y, roles.value)
    if len(series) != len(table):
        raise DataError(f"y has {len(series)} values, but the table has {len(table)} rows")
    return series


def _report_dropped(kept: Bool[np.ndarray, "N"], name: str) -> None:
    dropped = np.flatnonzero(~kept)
    if not kept.any():
        raise DataError(f"every one of the {len(kept)} values in column {name!r} is missing")
    first = ", ".join(str(row) for row in dropped[:3])
    notice(
        f"dropped {len(dropped)} of {len(kept)} rows with a missing value in column {name!r} "
        f"(first rows: {first})"
    )
