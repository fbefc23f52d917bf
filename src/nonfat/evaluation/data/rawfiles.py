"""Raw public files, plain or gzipped, read from front to back in bounded memory."""

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from nonfat.errors import DataError
from nonfat.evaluation.data.progress import Tick, Watched, ignore

__all__ = ["columns", "opened"]

_FAULTS = (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error)


@contextmanager
def opened(path: Path, tick: Tick = ignore) -> Iterator[BinaryIO]:
    """A file's content; what is gzipped is known by its first bytes, whatever its name.

    Raises:
        DataError: it cannot be read, here or while the caller reads.
    """
    try:
        with Watched(path, tick) as raw, io.BufferedReader(raw) as plain:
            if plain.peek(2)[:2] == b"\x1f\x8b":
                with gzip.GzipFile(fileobj=plain) as unzipped:
                    yield cast(BinaryIO, unzipped)
            else:
                yield plain
    except _FAULTS as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path} cannot be read ({reason})") from error


def columns(path: Path, names: Sequence[str], tick: Tick = ignore) -> Iterator[tuple[str, ...]]:
    """Some columns of a CSV file with a header, row by row.

    Raises:
        DataError: the file cannot be read, lacks one of them, or has a row that is too short.
    """
    with opened(path, tick) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        reader = csv.reader(text)
        header = next(reader, [])
        missing = [name for name in names if name not in header]
        if missing:
            raise DataError(f"{path} lacks {', '.join(missing)}; expected a header with them")
        places = [header.index(name) for name in names]
        for row in reader:
            try:
                found = tuple([row[place] for place in places])
            except IndexError:
                raise DataError(
                    f"{path}, line {reader.line_num}: expected {len(header)} fields, got {len(row)}"
                ) from None
            yield found
