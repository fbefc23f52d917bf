"""Get a published dataset: download, check, convert, keep in the cache."""

import os
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from nonfat.errors import DataError, StoppedError
from nonfat.evaluation.data.cache import raw_folder, table_folder
from nonfat.evaluation.data.convert import convert
from nonfat.evaluation.data.download import download
from nonfat.evaluation.data.progress import byte_bar
from nonfat.evaluation.data.registry import Source, SourceFile, find_source
from nonfat.evaluation.data.tables import write_whole
from nonfat.evaluation.datasets import DATASETS, FOLDS

__all__ = ["Fetched", "fetch"]


@dataclass(frozen=True)
class Fetched:
    """What `fetch` did.

    Attributes:
        name: of the dataset.
        folder: that holds its splits.
        downloaded: the published files that were not there before.
        written: the splits that were not there before, or were replaced.
    """

    name: str
    folder: Path
    downloaded: tuple[Path, ...]
    written: tuple[Path, ...]


def fetch(
    name: str,
    cache: str | os.PathLike[str] | None = None,
    *,
    overwrite: bool = False,
    progress: bool | None = None,
) -> Fetched:
    """Download a dataset's published files, check them, and write their splits as tables.

    What is in the cache is not fetched again, and an interrupted download goes on.

    Args:
        name: of the dataset, as ``nonfat data list`` shows it.
        cache: a folder; by default that of ``NONFAT_CACHE``, else the usual one of this system.
        overwrite: write the splits anew, over those that are there.
        progress: True or False; None shows a bar on a terminal only.

    Raises:
        ConfigError: there is no such dataset to fetch, or the cache cannot be written.
        DataError: a file cannot be had, or is not the published one.
        StoppedError: Ctrl-C; the same call goes on with what was downloaded.

    Example:
        >>> fetch("weather")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: there is nothing to fetch: weather comes with a package: \
pip install "nonfat[demo]", then see nonfat.evaluation.weather
    """
    source = find_source(name)
    folder = table_folder(cache) / name
    paths = [folder / f"fold{fold}.parquet" for fold in range(FOLDS)]
    wanted = [path for path in paths if overwrite or not path.exists()]
    if not wanted:
        return Fetched(name, folder, (), ())
    raw = raw_folder(name, cache)
    try:
        new = tuple(raw / file.name for file in source.files if _get(file, raw, progress))
    except KeyboardInterrupt as stopped:
        raise StoppedError(
            f"what was downloaded so far is kept in {raw}; the same command goes on from there"
        ) from stopped
    for path, table in zip(paths, _tables(source, raw), strict=True):
        if path in wanted:
            write_whole(table, path)
    return Fetched(name, folder, new, tuple(wanted))


def _tables(source: Source, raw: Path) -> list[pl.DataFrame]:
    assert source.layout is not None
    return convert(source.layout, [raw / file.name for file in source.files], DATASETS[source.name])


def _get(file: SourceFile, raw: Path, progress: bool | None) -> bool:
    """Have a published file in the cache; whether it had to be downloaded."""
    path = raw / file.name
    if not path.exists():
        with byte_bar(progress, file.name) as tick:
            download(file.address, path, file.check, tick)
        return True
    # It may have been copied there by hand, so this one has to show its hash too.
    if not file.check.matches(path):
        raise DataError(
            f"{path} is not the published file: its {file.check.kind} should be "
            f"{file.check.digest}; it was not read. Remove it and fetch again, or copy the right "
            "file there"
        )
    return False
