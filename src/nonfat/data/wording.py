"""How the data layer speaks of rows and columns in its messages."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Bool

__all__ = ["quoted", "rows_where", "suggestion"]

_SHOWN = 3


def rows_where(bad: Bool[np.ndarray, "N"], content: pl.Series | None = None) -> str:
    """Names the first rows where ``bad`` holds, with what they hold, and counts the rest.

    Args:
        bad: one truth value per row.
        content: the column the rows are about; shown beside each row number when given.

    Example:
        >>> rows_where(np.array([False, True, True]), pl.Series(["1", "n/a", ""]))
        "row 1 ('n/a'), row 2 ('')"
        >>> rows_where(np.ones(5, dtype=bool))
        'row 0, row 1, row 2 and 2 more'
    """
    rows = np.flatnonzero(bad)
    shown = [_one_row(int(row), content) for row in rows[:_SHOWN]]
    rest = len(rows) - len(shown)
    return ", ".join(shown) + (f" and {rest:,} more" if rest else "")


def _one_row(row: int, content: pl.Series | None) -> str:
    return f"row {row}" if content is None else f"row {row} ({_short(content[row])})"


def _short(item: Any) -> str:
    text = repr(item)
    return text if len(text) <= 40 else text[:37] + "..."


def quoted(names: Sequence[str], limit: int = 20) -> str:
    """Lists names for a message, cut short when there are very many.

    Example:
        >>> quoted(["site", "when"])
        "'site', 'when'"
    """
    listed = ", ".join(repr(name) for name in names[:limit])
    rest = len(names) - limit
    return listed + (f" and {rest:,} more" if rest > 0 else "")


def suggestion(name: str, known: Sequence[str]) -> str:
    """Says which known name is closest to a misspelt one, or nothing.

    Example:
        >>> suggestion("sitte", ["site", "when"])
        "; did you mean 'site'?"
        >>> suggestion("x", ["site", "when"])
        ''
    """
    lowered = {other.lower(): other for other in known}
    close = get_close_matches(name.lower(), list(lowered), n=1, cutoff=0.6)
    return f"; did you mean {lowered[close[0]]!r}?" if close else ""
