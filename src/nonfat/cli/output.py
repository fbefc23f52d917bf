"""Where answers go: table files, CSV on stdout, JSON, aligned text."""

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, time
from pathlib import Path
from typing import Any

import typer

__all__ = ["aligned", "check_file", "check_table", "print_json", "show_or_write"]

_ENDINGS = (".csv", ".parquet")


def check_file(path: Path, overwrite: bool) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    from nonfat.errors import ConfigError

    if path.is_dir():
        raise ConfigError(f"--out: {path} is a folder; give the name of a file inside it")
    if not path.parent.is_dir():
        raise ConfigError(f"--out: the folder {path.parent} does not exist; create it first")
    if path.exists() and not overwrite:
        raise ConfigError(f"--out: {path} exists; pass --overwrite to replace it")


def check_table(path: Path | None, overwrite: bool, as_json: bool = False) -> None:
    """`check_file` for a table; None stands for stdout, the only place for JSON."""
    if path is None:
        return
    if as_json:
        from nonfat.errors import ConfigError

        raise ConfigError("--json prints to stdout; leave out --out, or leave out --json")
    if path.suffix.lower() not in _ENDINGS:
        from nonfat.errors import ConfigError

        raise ConfigError(f"--out: {path} should end in {' or '.join(_ENDINGS)}")
    check_file(path, overwrite)


def show_or_write(frame: Any, path: Path | None, as_json: bool = False) -> None:
    """A frame of any kind as a file, or on stdout as CSV or as a list of JSON objects."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True).to_polars()
    if as_json:
        print_json(table.to_dicts())
    elif path is None:
        typer.echo(table.write_csv(), nl=False)
    else:
        with _whole(path) as draft:
            write = table.write_csv if path.suffix.lower() == ".csv" else table.write_parquet
            write(draft)


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """A file beside `path` that takes its place once it is written to the end."""
    from nonfat.errors import ConfigError

    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        raise ConfigError(f"--out: {path} cannot be written ({error.strerror or error})") from error
    finally:
        draft.unlink(missing_ok=True)


def print_json(tree: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
    """A JSON object or a list of them.

    Numbers that JSON does not know (NaN, infinities) become null, and times become text.
    """
    typer.echo(json.dumps(_known(tree), indent=2, default=_text))


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _known(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _known(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_known(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Rows as columns of text: the first `left` flush left, the others flush right.

    Example:
        >>> print(aligned([["rows", "20"], ["rmse", "0.5"]]))
        rows   20
        rmse  0.5
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)
