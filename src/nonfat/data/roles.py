"""Which column plays which part: modes, time or value."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nonfat.data.ingest import read_table
from nonfat.data.table import Table
from nonfat.data.wording import quoted
from nonfat.errors import DataError

__all__ = ["Roles", "assign", "open_with"]


@dataclass(frozen=True)
class Roles:
    """The names of the columns that matter.

    Attributes:
        modes: one column of entity ids per mode.
        time: the time column.
        value: the value column.
        exposure: the column that says for how long, or how much, each count was watched, if any.

    Example:
        >>> Roles(("site",), "when", "when")
        Traceback (most recent call last):
        nonfat.errors.DataError: column 'when' cannot play two parts; modes, time and value ...
    """

    modes: tuple[str, ...]
    time: str
    value: str
    exposure: str | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """All columns, in the order of a 2-D array: the value, which queries lack, comes last."""
        watched = () if self.exposure is None else (self.exposure,)
        return (*self.modes, self.time, *watched, self.value)

    def __post_init__(self) -> None:
        if not self.modes:
            raise DataError("no modes: name at least one column of entity ids in modes=[...]")
        seen: set[str] = set()
        for name in self.named:
            if name in seen:
                raise DataError(
                    f"column {name!r} cannot play two parts; modes, time and value need a column "
                    "each"
                )
            seen.add(name)


def assign(
    source: Any,
    modes: Sequence[Any] | str | None,
    time: Any,
    value: Any,
    *,
    apart: bool,
    exposure: Any = None,
) -> tuple[Table, Roles]:
    """Reads a table and decides its columns' roles.

    Args:
        source: any source of a table.
        modes: the mode columns; None stands for all columns but the others.
        time: the time column.
        value: the value column.
        apart: whether the values come apart from the table.
        exposure: the exposure column, if there is one.

    Raises:
        DataError: a column is missing, or named twice.
    """
    time, value = str(time), str(value)
    exposure = None if exposure is None else str(exposure)
    named = None if modes is None else _texts(modes)
    if isinstance(source, np.ndarray) and not source.dtype.names:
        if source.ndim != 2:
            read_table(source)  # which says that a table has rows and columns
        others = (1 if apart else 2) + (exposure is not None)
        roles = Roles(named or _numbered(source, others), time, value, exposure)
        return open_with(source, roles, need_value=not apart, apart=apart), roles
    table = read_table(source)
    _refuse_twice(table, value, apart)
    rest = tuple(name for name in table.names if name not in (time, value, exposure))
    roles = Roles(rest if named is None else named, time, value, exposure)
    _require(table, roles, need_value=not apart)
    return table, roles


def open_with(source: Any, roles: Roles, *, need_value: bool, apart: bool = False) -> Table:
    """Reads a table whose columns' roles are known; columns of a 2-D array go by position.

    Args:
        source: any source of a table.
        roles: which columns matter.
        need_value: whether the table must hold the values.
        apart: whether the values come apart from the table, which then must not hold them.

    Raises:
        DataError: a column is missing, or one too many.
    """
    names = None
    if isinstance(source, np.ndarray) and source.ndim == 2:
        names = _positional(source, roles, need_value=need_value)
    table = read_table(source, names)
    _refuse_twice(table, roles.value, apart)
    if roles.exposure is not None and roles.exposure not in table.names:
        raise DataError(
            f"no column {roles.exposure!r} in the table: counts were learned per unit of this "
            "exposure; add the column, with 1 for a rate per unit"
        )
    _require(table, roles, need_value=need_value)
    return table


def _refuse_twice(table: Table, value: str, apart: bool) -> None:
    if apart and value in table.names:
        raise DataError(
            f"the values came twice: apart, and as column {value!r} of the table; leave one out"
        )


def _texts(modes: Sequence[Any] | str) -> tuple[str, ...]:
    """The names as text; a lone name is one mode, not one mode per letter."""
    several = isinstance(modes, Iterable) and not isinstance(modes, str)
    return tuple(str(name) for name in modes) if several else (str(modes),)


def _numbered(array: np.ndarray, others: int) -> tuple[str, ...]:
    width = array.shape[1] if array.ndim == 2 else 0
    return tuple(f"mode_{at}" for at in range(width - others))


def _positional(array: np.ndarray, roles: Roles, *, need_value: bool) -> tuple[str, ...]:
    names = roles.named
    width = array.shape[1]
    if width == len(names) or (width == len(names) - 1 and not need_value):
        return names[:width]
    expected = names if need_value else (*names[:-1], f"[{roles.value}]")
    raise DataError(
        f"an array with {width} columns came, but its columns should be, in this order: "
        f"{', '.join(expected)}"
    )


def _require(table: Table, roles: Roles, *, need_value: bool) -> None:
    wanted = roles.named if need_value else roles.named[:-1]
    absent = [name for name in wanted if name not in table.names]
    if len(absent) > 1:
        raise DataError(
            f"no columns {quoted(absent)} in the table{_padded(absent, table)}; "
            f"its columns: {quoted(table.names)}"
        )
    for name in absent:
        table.position(name)


def _padded(absent: Sequence[str], table: Table) -> str:
    """A hint where names in the table differ by nothing but spaces around them."""
    padded = [name for name in table.names if name != name.strip() and name.strip() in absent]
    return f", but {quoted(padded)} with spaces around: rename them" if padded else ""
