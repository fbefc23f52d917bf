"""Reads a table from any source: frames, files and arrays."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from nonfat.data.columns import as_series
from nonfat.data.files import read_file
from nonfat.data.table import Table
from nonfat.data.text import numbers_on_sight
from nonfat.data.wording import quoted
from nonfat.errors import DataError

__all__ = ["read_table"]


def read_table(source: Any, names: Sequence[str] | None = None) -> Table:
    """Reads a table.

    Args:
        source: a pandas, polars or arrow frame; anything else that narwhals knows, such as a
            duckdb relation or a polars LazyFrame (collected into polars); a path to a CSV or
            Parquet file; or a 2-D or structured NumPy array.
        names: what to call the columns of a 2-D array; ignored for sources that have names.

    Returns:
        The table, which remembers what kind of frame it came from.

    Raises:
        DataError: the source cannot be read, has no rows, or has two columns of one name.

    Example:
        >>> read_table(np.array([["a", "1"], ["b", "2"]]), names=["site", "when"]).names
        ('site', 'when')
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | Path):
        frame, is_text = read_file(Path(source).expanduser())
        return _from_file(frame) if is_text else Table(_eager(frame))
    if isinstance(source, np.ndarray):
        return _from_array(source, names)
    return Table(_from_frame(source))


def _eager(frame: Any) -> nw.DataFrame:
    return nw.from_native(frame, eager_only=True)


def _from_frame(source: Any) -> nw.DataFrame:
    try:
        frame = nw.from_native(source)
    except TypeError:
        raise DataError(
            f"cannot read a table from {type(source).__name__}; give a pandas, polars or arrow "
            "frame, the path of a CSV or Parquet file, or a 2-D NumPy array"
        ) from None
    except nw.exceptions.DuplicateError:  # only pandas and arrow admit twins
        names = [str(name) for name in getattr(source, "column_names", None) or source.columns]
        twins = sorted({name for name in names if names.count(name) > 1})
        raise DataError(
            f"several columns are called {quoted(twins)}; rename or drop them"
        ) from None
    return frame.collect("polars") if isinstance(frame, nw.LazyFrame) else frame


def _from_file(frame: pl.DataFrame) -> Table:
    """Blank lines are no rows; where they shift the numbers of rows, lines are remembered."""
    blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    if not blank.any():
        return _from_text(frame)
    table = _from_text(frame.filter(~blank))
    broken = frame.select(pl.any_horizontal(pl.all().str.contains("\n", literal=True)).any()).item()
    return table if broken else replace(table, lines=np.flatnonzero(~blank.to_numpy()) + 2)


def _from_text(frame: pl.DataFrame) -> Table:
    """Types what is a number on sight, and keeps the text where a float could not give it back."""
    frame = frame.with_columns(pl.all().replace("", None))
    typed = [numbers_on_sight(frame[name]) for name in frame.columns]
    written = {series.name: frame[series.name] for series in typed if series.dtype == pl.Float64}
    return Table(_eager(pl.DataFrame(typed)), written=written)


def _from_array(array: np.ndarray, names: Sequence[str] | None) -> Table:
    if array.dtype.names:
        fields = {str(name): as_series(array[name]) for name in array.dtype.names}
        return Table(_eager(pl.DataFrame(fields)), arrays=True)
    columns = _named_columns(array, names)
    if array.dtype.kind == "U":
        text = _from_text(pl.DataFrame({name: part.tolist() for name, part in columns.items()}))
        return Table(text.frame, arrays=True, written=text.written)
    parts = {name: as_series(part) for name, part in columns.items()}
    return Table(_eager(pl.DataFrame(parts)), arrays=True)


def _named_columns(array: np.ndarray, names: Sequence[str] | None) -> dict[str, np.ndarray]:
    if array.ndim != 2:
        raise DataError(
            f"an array needs two dimensions, rows and columns, but its shape is {array.shape}"
        )
    if array.dtype.kind not in "biufOU":
        raise DataError(
            f"an array of type {array.dtype} cannot be a table; "
            "use numbers, strings or objects, or a frame"
        )
    known = [str(at) for at in range(array.shape[1])] if names is None else list(names)
    if len(known) != array.shape[1]:
        raise DataError(
            f"an array with {array.shape[1]} columns cannot have the {len(known)} columns "
            f"{quoted(known)}"
        )
    return {name: array[:, at] for at, name in enumerate(known)}
