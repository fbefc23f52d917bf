"""The published benchmark splits, read from a folder on this machine.

The folder has one Parquet file for each dataset and fold, ``beijing/fold0.parquet`` and so on:
integer codes, one column per mode, then ``time``, ``value`` and ``split`` ("train" or "test").
"""

import os
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from nonfat.errors import ConfigError, DataError
from nonfat.evaluation.data.cache import table_folder

__all__ = ["DATASETS", "FOLDS", "VARIABLE", "Split", "find_folder", "load_fold"]

DATASETS: dict[str, tuple[str, ...]] = {
    "beijing": ("site", "pollutant"),
    "mobile-ads": ("banner_position", "site_domain", "mobile_app"),
    "dblp": ("author", "conference", "keyword"),
    "dblp-one-file": ("author", "conference", "keyword"),
    "ctr10k": ("banner_position", "site_domain", "mobile_app"),
    # Built from raw files by whoever runs this: not the published rows, so not their names.
    "beijing-prepared": ("site", "pollutant"),
    "mobile-ads-prepared": ("banner_position", "site_domain", "mobile_app"),
    "dblp-prepared": ("author", "conference", "keyword"),
}
"""The modes of each dataset."""

FOLDS = 5
VARIABLE = "NONFAT_DATA"
"""The environment variable that names the folder."""

_PARTS = ("train", "test")


@dataclass(frozen=True, eq=False)
class Split:
    """One fold of a dataset.

    Attributes:
        name: of the dataset.
        fold: its number.
        modes: the columns of codes.
        train: rows to learn from: modes, ``time`` and ``value``.
        test: rows to look at once, the same columns.
    """

    name: str
    fold: int
    modes: tuple[str, ...]
    train: pl.DataFrame
    test: pl.DataFrame


def find_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """The folder of the benchmark data: given, else of ``NONFAT_DATA``, else what was fetched.

    Raises:
        ConfigError: no folder is named and nothing was fetched, or there is none of that name.

    Example:
        >>> find_folder("nowhere")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: the folder of benchmark data nowhere does not exist; it should \
hold beijing/fold0.parquet and so on
    """
    named = folder or os.environ.get(VARIABLE)
    if not named:
        fetched = table_folder()
        if fetched.is_dir():
            return fetched
        raise ConfigError(
            "no benchmark data: name a folder that holds beijing/fold0.parquet and so on with "
            f"--data FOLDER (folder= in Python) or the environment variable {VARIABLE}, or "
            "download it: nonfat data fetch beijing"
        )
    path = Path(named)
    if not path.is_dir():
        raise ConfigError(
            f"the folder of benchmark data {path} does not exist; it should hold "
            "beijing/fold0.parquet and so on"
        )
    return path


def load_fold(name: str, fold: int = 0, folder: str | os.PathLike[str] | None = None) -> Split:
    """Read one split of a dataset.

    Args:
        name: a key of `DATASETS`.
        fold: from 0 to 4.
        folder: as `find_folder` takes it.

    Raises:
        ConfigError: there is no such dataset, fold or folder.
        DataError: the file is missing, or is not such a table.

    Example:
        >>> load_fold("peking")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: no dataset is called 'peking'; the names are beijing, \
mobile-ads, dblp, dblp-one-file, ctr10k, beijing-prepared, mobile-ads-prepared, dblp-prepared
    """
    if name not in DATASETS:
        raise ConfigError(f"no dataset is called {name!r}; the names are {', '.join(DATASETS)}")
    if fold not in range(FOLDS):
        raise ConfigError(f"fold must be a whole number from 0 to {FOLDS - 1}, got {fold!r}")
    path = find_folder(folder) / name / f"fold{fold}.parquet"
    modes = DATASETS[name]
    table = _checked(_read(path), modes, path)
    train, test = (
        table.filter(pl.col("split") == part).select(*modes, "time", "value") for part in _PARTS
    )
    return Split(name, fold, modes, train, test)


def _read(path: Path) -> pl.DataFrame:
    if not path.is_file():
        raise DataError(
            f"{path} does not exist; expected a Parquet file with that fold's rows (see 'nonfat "
            "data list' for what there is, and 'nonfat data fetch')"
        )
    try:
        return pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{path} cannot be read as Parquet ({error})") from error


def _checked(table: pl.DataFrame, modes: tuple[str, ...], path: Path) -> pl.DataFrame:
    """The table, if it can be a split."""
    expected = (*modes, "time", "value", "split")
    missing = [column for column in expected if column not in table.columns]
    if missing:
        raise DataError(
            f"{path} lacks {', '.join(missing)}; expected the columns {', '.join(expected)}, got "
            f"{', '.join(table.columns)}"
        )
    for column in modes:
        if not table.schema[column].is_integer():
            raise DataError(
                f"{path}: {column} should hold integer codes, its type is {table.schema[column]}"
            )
    for column in ("time", "value"):
        _check_numbers(table[column], path)
    found = table["split"].cast(pl.String).unique().sort().to_list()
    if set(found) != set(_PARTS):
        raise DataError(
            f"{path}: split should say 'train' or 'test', and both should occur; it says "
            f"{', '.join(repr(part) for part in found) or 'nothing'}"
        )
    return table


def _check_numbers(column: pl.Series, path: Path) -> None:
    if not column.dtype.is_numeric():
        raise DataError(f"{path}: {column.name} should be numbers, its type is {column.dtype}")
    bad = len(column) - int(column.is_finite().fill_null(False).sum())
    if bad:
        raise DataError(f"{path}: {column.name} is missing or not finite in {bad} rows")
