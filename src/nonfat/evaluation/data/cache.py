"""The folder on this machine for what was downloaded and what was made of it."""

import os
import sys
from pathlib import Path

__all__ = ["VARIABLE", "cache_folder", "raw_folder", "table_folder"]

VARIABLE = "NONFAT_CACHE"
"""The environment variable that names the folder."""


def cache_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """The one that is given, else that of ``NONFAT_CACHE``, else the usual one of this system.

    Example:
        >>> cache_folder("somewhere").name
        'somewhere'
    """
    named = folder or os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else _usual()


def raw_folder(name: str, folder: str | os.PathLike[str] | None = None) -> Path:
    """Where the published files of a dataset are kept as they came.

    Example:
        >>> raw_folder("beijing", "cache").parts
        ('cache', 'raw', 'beijing')
    """
    return cache_folder(folder) / "raw" / name


def table_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Where the splits made of them are: this folder holds beijing/fold0.parquet and so on.

    Example:
        >>> table_folder("cache").parts
        ('cache', 'data')
    """
    return cache_folder(folder) / "data"


def _usual() -> Path:
    """Where this system keeps what can be had again."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "nonfat"
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "nonfat"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "nonfat"
