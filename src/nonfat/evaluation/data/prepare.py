"""Build benchmark tensors from the raw public files that they were once extracted from."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import numpy as np
import polars as pl

from nonfat.errors import ConfigError, DataError
from nonfat.evaluation.data.progress import Tick, byte_bar
from nonfat.evaluation.data.raw_ads import read_ads
from nonfat.evaluation.data.raw_beijing import beijing_files, read_beijing
from nonfat.evaluation.data.raw_dblp import read_dblp
from nonfat.evaluation.data.tables import check_free, write_whole
from nonfat.evaluation.datasets import DATASETS, FOLDS

__all__ = ["ROWS", "Prepared", "prepare"]

ROWS: Mapping[str, int] = MappingProxyType(
    {"beijing": 10_000, "mobile-ads": 50_000, "dblp": 50_000}
)
"""What can be prepared, and how many rows are drawn unless told otherwise: as many as published."""

_HELD_OUT = 0.2


@dataclass(frozen=True)
class Prepared:
    """What `prepare` wrote.

    Attributes:
        folder: that holds the files.
        files: ``tensor.parquet``, ``labels.parquet`` and the five splits.
        rows: of the tensor.
        entities: how many, by mode.
    """

    folder: Path
    files: tuple[Path, ...]
    rows: int
    entities: dict[str, int]


def prepare(
    name: str,
    raw: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    rows: int | Literal["all"] | None = None,
    standardise: bool = True,
    seed: int = 0,
    overwrite: bool = False,
    progress: bool | None = None,
) -> Prepared:
    """Read raw files once or twice, front to back, and write a tensor and five splits of it.

    ``OUT/NAME-prepared/tensor.parquet`` has labels, ``time`` and ``value``; ``fold0.parquet`` to
    ``fold4.parquet`` have what benchmarks read: codes, time as a number (days since the first row,
    or the year), value, and ``split``, where split i holds out a fifth at random, by seed i;
    ``labels.parquet`` says which code is which label.

    Args:
        name: a key of `ROWS`.
        raw: the folder of Beijing's stations, the Avazu log, or dblp.xml; files may be gzipped.
        out: where the folder of the dataset is made; a ``--data`` folder.
        rows: how many to draw at random, or "all"; by default as many as `ROWS` says.
        standardise: Beijing's pollutants; counts are never rescaled.
        seed: of the draw.
        overwrite: replace files that are there.
        progress: True or False; None shows a bar on a terminal only.

    Raises:
        ConfigError: an option makes no sense, or a file is there already.
        DataError: the raw files cannot be understood.

    Example:
        >>> prepare("weather", "raw", "out")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: 'weather' cannot be prepared; the names are beijing, \
mobile-ads, dblp
    """
    count = _check(name, rows, standardise, seed)
    called = f"{name}-prepared"  # never taken for the published rows, in no table of results
    source, folder = Path(raw), Path(out) / called
    files = tuple(folder / f"{part}.parquet" for part in ("tensor", "labels", *_folds()))
    check_free(list(files), overwrite)
    sizes = [path.stat().st_size for path in _raw_files(name, source)]
    with byte_bar(progress, name, sum(sizes) * (2 if name == "dblp" else 1)) as tick:
        table = _read(name, source, count, seed, tick, standardise)
    if table.height < FOLDS:
        raise DataError(f"{source}: only {table.height} rows came of it, too few to split")
    modes = DATASETS[called]
    table = table.sort(*modes, "time")
    labels = {mode: table[mode].unique().sort() for mode in modes}
    write_whole(table, files[0])
    write_whole(_listed(labels), files[1])
    coded = _coded(table, labels)
    for fold, path in enumerate(files[2:]):
        write_whole(_split(coded, fold), path)
    return Prepared(folder, files, table.height, {mode: len(labels[mode]) for mode in modes})


def _folds() -> list[str]:
    return [f"fold{fold}" for fold in range(FOLDS)]


def _check(
    name: str, rows: int | Literal["all"] | None, standardise: bool, seed: int
) -> int | None:
    """How many rows to draw; None for all."""
    if name not in ROWS:
        raise ConfigError(f"{name!r} cannot be prepared; the names are {', '.join(ROWS)}")
    if not standardise and name != "beijing":
        raise ConfigError(f"raw values are an option of beijing; {name} has counts, never rescaled")
    if not 0 <= seed < 2**32:
        raise ConfigError(f"seed must be a whole number from 0 to 2³² - 1, got {seed!r}")
    if rows is None:
        return ROWS[name]
    if rows == "all":
        return None
    if rows < FOLDS:
        raise ConfigError(f"rows must be at least {FOLDS}, or 'all', got {rows!r}")
    return rows


def _raw_files(name: str, source: Path) -> list[Path]:
    if name == "beijing":
        return beijing_files(source)
    if not source.is_file():
        raise DataError(f"{source} does not exist, or is no file; expected the raw file of {name}")
    return [source]


def _read(
    name: str, source: Path, rows: int | None, seed: int, tick: Tick, standardise: bool
) -> pl.DataFrame:
    if name == "beijing":
        return read_beijing(source, rows, seed, tick, standardise=standardise)
    return (read_ads if name == "mobile-ads" else read_dblp)(source, rows, seed, tick)


def _listed(labels: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Which code is which label."""
    return pl.concat(
        [
            pl.DataFrame({"label": entries}).select(
                pl.lit(mode).alias("mode"),
                pl.int_range(pl.len(), dtype=pl.Int32).alias("code"),
                "label",
            )
            for mode, entries in labels.items()
        ]
    )


def _coded(table: pl.DataFrame, labels: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Codes for labels, and times as numbers."""
    time = pl.col("time")
    if table.schema["time"].is_temporal():
        time = (time - time.min()).dt.total_seconds() / 86_400
    codes = [
        pl.col(mode).replace_strict(entries, range(len(entries)), return_dtype=pl.Int32)
        for mode, entries in labels.items()
    ]
    return table.select(*codes, time.cast(pl.Float64), "value")


def _split(coded: pl.DataFrame, fold: int) -> pl.DataFrame:
    """Hold out a fifth of the rows at random."""
    order = np.random.default_rng(fold).permutation(coded.height)
    held = np.zeros(coded.height, dtype=bool)
    held[order[: round(_HELD_OUT * coded.height)]] = True
    part = pl.when(pl.Series(held)).then(pl.lit("test")).otherwise(pl.lit("train"))
    return coded.with_columns(part.alias("split"))
