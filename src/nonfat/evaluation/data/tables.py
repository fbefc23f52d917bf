"""Files of splits, written whole or not at all, and never over another by accident."""

import os
from pathlib import Path

import polars as pl

from nonfat.errors import ConfigError

__all__ = ["check_free", "write_whole"]


def check_free(paths: list[Path], overwrite: bool) -> None:
    """Refuse if one of the files is there and may not be replaced.

    Raises:
        ConfigError: one is there.

    Example:
        >>> check_free([Path("pyproject.tom")], overwrite=False)
    """
    taken = [path for path in paths if path.exists()]
    if taken and not overwrite:
        raise ConfigError(
            f"{taken[0]} exists; pass --overwrite to replace it (overwrite=True in Python)"
        )


def write_whole(table: pl.DataFrame, path: Path) -> None:
    """Write a Parquet file that takes its name once it is complete.

    Raises:
        ConfigError: it cannot be written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        table.write_parquet(draft)
        draft.replace(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror or error})") from error
    finally:
        if draft.parent.is_dir():
            draft.unlink(missing_ok=True)
