"""Beijing's air from the UCI "Beijing Multi-Site Air-Quality Data".

A folder with one CSV file for each of twelve stations, hourly from March 2013 to February 2017.

What was decided:

* **Rows.** A measurement of one pollutant is a row. What is missing (NA) is left out.
* **Time.** The station's wall time; China has had no daylight saving in those years.
* **Values.** Carbon monoxide is in the thousands of µg/m³, sulphur dioxide in the tens, and one
  tensor holds both: each pollutant is standardised by its mean and standard deviation over the rows
  that are kept, held-out ones among them, as the published files are. `standardise=False` leaves
  µg/m³, for those who would rather scale by the training rows alone.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from nonfat.errors import DataError
from nonfat.evaluation.data.progress import Tick, ignore
from nonfat.evaluation.data.rawfiles import columns
from nonfat.evaluation.data.sampling import Sample

__all__ = ["beijing_files", "read_beijing"]

_POLLUTANTS = ("PM2.5", "PM10", "SO2", "NO2", "CO", "O3")
_MOMENT = ("year", "month", "day", "hour")
_SCHEMA: dict[str, Any] = {
    "site": pl.String,
    "pollutant": pl.String,
    "time": pl.Datetime("us"),
    "value": pl.Float64,
}


def beijing_files(folder: Path) -> list[Path]:
    """The stations' files.

    Raises:
        DataError: there are none.
    """
    found = sorted(folder.rglob("PRSA_Data_*.csv*")) if folder.is_dir() else []
    if not found:
        raise DataError(
            f"{folder} should be a folder that holds PRSA_Data_*.csv, one file for each station: "
            "unpack the archive from UCI there"
        )
    return found


def read_beijing(
    folder: Path,
    rows: int | None = None,
    seed: int = 0,
    tick: Tick = ignore,
    *,
    standardise: bool = True,
) -> pl.DataFrame:
    """Read site × pollutant × time.

    Memory is that of the rows that are kept, and of one station where all are.

    Args:
        folder: of the stations' files.
        rows: how many measurements to draw at random; None keeps all.
        seed: of the draw.
        tick: is told the bytes that were read.
        standardise: each pollutant over the rows kept; else µg/m³.

    Returns:
        Columns ``site``, ``pollutant``, ``time`` and ``value``.

    Raises:
        DataError: a file is missing or cannot be understood.
    """
    files = beijing_files(folder)
    if rows is None:
        # The files may be copies of one another, in part; the last one holds.
        table = pl.concat(
            [pl.DataFrame(list(_measured(path, tick)), _SCHEMA, orient="row") for path in files]
        ).unique(["site", "pollutant", "time"], keep="last")
    else:
        sample = Sample(rows, seed)
        for path in files:
            for *key, value in _measured(path, tick):
                sample.put(tuple(key), value)
        kept = ((*key, value) for key, value in sample.totals().items())
        table = pl.DataFrame(list(kept), _SCHEMA, orient="row")
    return _standardised(table) if standardise else table


def _measured(path: Path, tick: Tick) -> Iterator[tuple[str, str, datetime, float]]:
    """The measurements of a station."""
    for row in columns(path, (*_MOMENT, "station", *_POLLUTANTS), tick):
        try:
            time = datetime(*map(int, row[:4]))  # type: ignore[arg-type]
            found = [
                (row[4], name, time, float(text))
                for name, text in zip(_POLLUTANTS, row[5:], strict=True)
                if text not in ("NA", "")
            ]
        except ValueError as error:
            raise DataError(f"{path}: cannot read {','.join(row)} ({error})") from error
        yield from found


def _standardised(table: pl.DataFrame) -> pl.DataFrame:
    value = pl.col("value")
    mean, std = value.mean().over("pollutant"), value.std(ddof=0).over("pollutant")
    # A pollutant that never changes has no scale.
    scale = pl.when(std > 0).then(std).otherwise(1.0)
    return table.with_columns(((value - mean) / scale).alias("value"))
