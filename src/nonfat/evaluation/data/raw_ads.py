"""Clicks on mobile ads from the log of the Avazu contest on Kaggle (``train.gz``).

Ten days, 40 million rows.

What was decided:

* **Cell.** Banner position × site domain × app (``app_id``).
* **Rows.** One for each cell and hour in which its ads were shown; the value is how often they were
  clicked. Shown and not clicked is an observed zero, not shown is no row.
* **Time.** The hour of the log, which has no finer clock.
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

__all__ = ["read_ads"]

_RAW = ("banner_pos", "site_domain", "app_id", "hour", "click")
_MODES = ("banner_position", "site_domain", "mobile_app")
_CLICKS = {"0": 0, "1": 1}


def read_ads(
    path: Path, rows: int | None = None, seed: int = 0, tick: Tick = ignore
) -> pl.DataFrame:
    """Read banner position × site domain × app → clicks per hour.

    Memory is that of the rows that are kept.

    Args:
        path: of the log, CSV, plain or gzipped.
        rows: how many (cell, hour) to draw at random; None keeps all.
        seed: of the draw.
        tick: is told the bytes that were read.

    Returns:
        Columns ``banner_position``, ``site_domain``, ``mobile_app``, ``time`` and ``value``.

    Raises:
        DataError: the file cannot be understood.
    """
    sample = Sample(rows, seed)
    for key, click in _shown(path, tick):
        sample.add(key, click)
    kept = [(*key[:3], _moment(str(key[3]), path), n) for key, n in sample.totals().items()]
    schema: dict[str, Any] = dict.fromkeys(_MODES, pl.String)
    schema |= {"time": pl.Datetime("us"), "value": pl.Float64}
    return pl.DataFrame(kept, schema, orient="row")


def _shown(path: Path, tick: Tick) -> Iterator[tuple[tuple[str, ...], int]]:
    """Cell and hour of each ad that was shown, and whether it was clicked."""
    for row in columns(path, _RAW, tick):
        try:
            yield row[:4], _CLICKS[row[4]]
        except KeyError:
            raise DataError(f"{path}: click should be 0 or 1, got {row[4]!r}") from None


def _moment(hour: str, path: Path) -> datetime:
    try:
        return datetime.strptime(hour, "%y%m%d%H")
    except ValueError:
        raise DataError(f"{path}: hour should be written YYMMDDHH, got {hour!r}") from None
