"""Tables in files: CSV (also tab-separated, also gzipped) and Parquet."""

import gzip
import zlib
from pathlib import Path

import polars as pl

from nonfat.data.faults import fault
from nonfat.errors import DataError

__all__ = ["read_file"]

_SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
_PARQUET = (".parquet", ".pq")


def read_file(path: Path) -> tuple[pl.DataFrame, bool]:
    """Reads one file.

    Returns:
        The frame, and whether it is text: then every column holds strings, and blank lines are
        rows of nulls.

    Raises:
        DataError: the file is missing, of no known kind, or damaged.
    """
    suffix = _suffix(path)
    if not path.is_file():
        what = "is a folder; name one file in it" if path.is_dir() else "does not exist"
        raise DataError(f"the file {str(path)!r} {what}")
    try:
        if suffix in _PARQUET:
            return pl.read_parquet(path, glob=False), False
        return _read_text(path, _SEPARATORS[suffix]), True
    except DataError:
        raise
    except (pl.exceptions.PolarsError, OSError, EOFError, UnicodeError, zlib.error) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"the file {str(path)!r} cannot be read: {reason}") from error


def _suffix(path: Path) -> str:
    known = (*_SEPARATORS, *_PARQUET)
    lowered = path.name.lower()
    for suffix in known:
        if lowered.endswith(suffix):
            return suffix
    raise DataError(
        f"cannot tell from its name what kind of file {str(path)!r} is; "
        f"supported endings: {', '.join(known)}"
    )


def _read_text(path: Path, separator: str) -> pl.DataFrame:
    # not left to polars, which may take a damaged archive for text
    source = gzip.decompress(path.read_bytes()) if path.name.lower().endswith(".gz") else path
    try:
        frame = pl.read_csv(source, separator=separator, infer_schema=False, glob=False)
    except pl.exceptions.PolarsError as error:
        raw = source if isinstance(source, bytes) else source.read_bytes()
        if (reason := fault(raw, separator)) is None:
            raise
        raise DataError(f"the file {str(path)!r} cannot be read: {reason}") from error
    _check_separator(path, separator, frame.columns)
    twice = [name for name in frame.columns if _is_repeat(name, frame.columns)]
    if twice:
        original = twice[0].rpartition("_duplicated_")[0]
        raise DataError(
            f"several columns of {str(path)!r} are called {original!r}; rename or drop them"
        )
    return frame


def _check_separator(path: Path, separator: str, names: list[str]) -> None:
    other = next((mark for mark in (";", "\t", "|", ",") if mark in names[0]), None)
    if len(names) == 1 and other is not None:
        raise DataError(
            f"the file {str(path)!r} seems to be separated by {other!r}, not by {separator!r}; "
            "save it as .csv with commas or as .tsv with tabs"
        )


def _is_repeat(name: str, names: list[str]) -> bool:
    """Whether polars renamed this column because its name had come before."""
    original, mark, number = name.rpartition("_duplicated_")
    return bool(mark) and number.isdigit() and original in names
