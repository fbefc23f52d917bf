"""From the published files to tables: one for each fold, codes, ``time``, ``value``, ``split``.

Nothing is rescaled, reordered or dropped: the values and times are those of the file.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from nonfat.errors import DataError
from nonfat.evaluation.data.registry import Layout
from nonfat.evaluation.data.unpickle import read_dictionary
from nonfat.evaluation.datasets import FOLDS

__all__ = ["convert"]

_PARTS = ("train", "test")
_Columns = tuple[Any, Any, Any]  # codes, times, values


def convert(layout: Layout, paths: Sequence[Path], modes: Sequence[str]) -> list[pl.DataFrame]:
    """Read published files, whose hashes have been checked, as the tables of all folds.

    Args:
        layout: how the files are made.
        paths: the files.
        modes: what the columns of codes are called.

    Raises:
        DataError: a file is not made in that way.
    """
    files = [(path, read_dictionary(path)) for path in paths]
    tables = []
    for fold in range(FOLDS):
        path, content = files[fold if layout == "file per fold" else 0]
        try:
            read = _READERS[layout]
            rows = [_numbers(*read(content, fold, part, len(modes))) for part in _PARTS]
            sizes = _sizes(content)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            told = f"{type(error).__name__}: {error}"
            raise DataError(f"{path} is not made as expected, at fold {fold} ({told})") from error
        parts = [
            _table(columns, part, modes, sizes, f"{path}, fold {fold}")
            for columns, part in zip(rows, _PARTS, strict=True)
        ]
        tables.append(pl.concat(parts))
    return tables


def _beijing(content: Mapping[str, Any], fold: int, part: str, count: int) -> _Columns:
    """Columns of one matrix: the codes, the time, the value."""
    rows = np.asarray(content[f"{part}_folds"][fold], dtype=float)
    if rows.ndim != 2 or rows.shape[1] != count + 2:
        raise ValueError(f"expected {count + 2} columns, got an array of shape {rows.shape}")
    return rows[:, :count], rows[:, count], rows[:, count + 1]


def _one_file(content: Mapping[str, Any], fold: int, part: str, _count: int) -> _Columns:
    data, start = content["data"][fold], part[:2]
    return data[f"{start}_ind"], data[f"{start}_T"], data[f"{start}_y"]


def _file_per_fold(content: Mapping[str, Any], _fold: int, part: str, _count: int) -> _Columns:
    return content[f"{part}_ind"], content[f"{part}_time"], content[f"{part}_y"]


_READERS: dict[Layout, Callable[[Mapping[str, Any], int, str, int], _Columns]] = {
    "beijing": _beijing,
    "one file": _one_file,
    "file per fold": _file_per_fold,
}


def _numbers(codes: Any, times: Any, values: Any) -> _Columns:
    """All as floats, which hold any code; times and values may be columns of a matrix."""
    times, values = (np.asarray(column, dtype=float).reshape(-1) for column in (times, values))
    return np.asarray(codes, dtype=float), times, values


def _sizes(content: Mapping[str, Any]) -> list[int] | None:
    """Entities per mode, where the file says."""
    said = content.get("nvec", content.get("ndims"))
    return None if said is None else [int(size) for size in np.ravel(said)]


def _table(
    columns: _Columns, part: str, modes: Sequence[str], sizes: list[int] | None, where: str
) -> pl.DataFrame:
    """One part of a fold, checked."""
    codes, times, values = columns
    if codes.ndim != 2 or codes.shape != (len(times), len(modes)) or len(values) != len(times):
        raise DataError(
            f"{where}: expected as many rows of {len(modes)} codes as times and values, got "
            f"{codes.shape}, {len(times)} and {len(values)}"
        )
    if not (np.isfinite(times).all() and np.isfinite(values).all()):
        raise DataError(f"{where}: times and values should be finite numbers")
    whole = np.nan_to_num(codes, nan=-1.0).clip(-1, 2**31 - 1).astype(np.int32)
    if (whole != codes).any() or (whole < 0).any():
        raise DataError(f"{where}: codes should be whole numbers from 0")
    if sizes is not None and (len(sizes) != len(modes) or (whole >= sizes).any()):
        raise DataError(f"{where}: codes do not fit the sizes that the file states, {sizes}")
    found = {mode: whole[:, place] for place, mode in enumerate(modes)}
    return pl.DataFrame(found | {"time": times, "value": values}).with_columns(split=pl.lit(part))
