"""Protocols: which rows a method learns from, which judge it, and how often it may look.

Each is a value that the runner takes; nothing else in a benchmark depends on which one it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Bool

from nonfat.errors import ConfigError, DataError
from nonfat.estimators.options import choice
from nonfat.evaluation.datasets import Split

__all__ = ["PROTOCOLS", "Cut", "Protocol", "protocol"]

Cut = tuple[pl.DataFrame, pl.DataFrame]
"""Rows to learn from, rows to be judged by."""

_TEST_SHARE = 0.2
_RESPLITS = tuple(f"random-{number}" for number in range(1, 6))
_HORIZONS = {"last-10%": 0.1, "last-30%": 0.3}
_SHARES = {f"{percent}%": percent / 100 for percent in (1, 5, 20, 50, 80)}


@dataclass(frozen=True)
class Protocol:
    """One way to be fair, or not.

    Attributes:
        name: what users type.
        meaning: one line for tables.
        parts: names of the splits that it makes of a dataset.
        divide: from the dataset's published split, a part and a seed to that part's rows.
        pools: whether published training and test rows are one table to it, so that one fold
            stands for all.
        looks: whether the test rows are looked at while a method trains, and the best look counts
            (an *oracle*); otherwise they are looked at once.
        options: of methods that train.
    """

    name: str
    meaning: str
    parts: tuple[str, ...]
    divide: Callable[[Split, str, int], Cut]
    pools: bool = True
    looks: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def cut(self, split: Split, part: str, seed: int = 0) -> Cut:
        """The rows of one part; the same for the same rows and seed.

        Args:
            split: of the dataset, as published.
            part: one of `parts`.
            seed: of what is random.

        Raises:
            ConfigError: there is no such part.
            DataError: there are too few rows to divide.
        """
        if part not in self.parts:
            raise ConfigError(
                f"protocol {self.name} has no part {part!r}; its parts are {', '.join(self.parts)}"
            )
        train, test = self.divide(split, part, seed)
        if train.is_empty() or test.is_empty():
            raise DataError(
                f"protocol {self.name}, part {part}: no row is left to "
                f"{'learn from' if train.is_empty() else 'be judged by'}; {split.name} is too small"
            )
        return train, test


def _published(split: Split, _part: str, _seed: int) -> Cut:
    return split.train, split.test


def _resplit(split: Split, part: str, seed: int) -> Cut:
    """Every part is a draw of its own."""
    rows = _pooled(split)
    order = np.random.default_rng([seed, _RESPLITS.index(part)]).permutation(rows.height)
    return _sides(rows, np.isin(np.arange(rows.height), order[: _held_out(rows)]))


def _forecast(split: Split, part: str, _seed: int) -> Cut:
    """The last part of the time that the rows span, not of the rows: some times are busier."""
    rows = _pooled(split)
    return _sides(rows, _late(rows, rows, _HORIZONS[part]))


def _cold_cell(split: Split, _part: str, seed: int) -> Cut:
    """Some combinations of entities lose all their rows."""
    rows = _pooled(split)
    cells = rows.select(split.modes).unique().sort(split.modes)
    count = max(1, round(_TEST_SHARE * cells.height))
    chosen = np.random.default_rng(seed).permutation(cells.height)[:count]
    held = rows.with_row_index("_row").join(cells[np.sort(chosen)], on=split.modes, how="semi")
    return _sides(rows, np.isin(np.arange(rows.height), held["_row"].to_numpy()))


def _learning_curve(split: Split, part: str, seed: int) -> Cut:
    """The same test rows for all shares; the rows of a smaller share are among a larger one's."""
    rows = _pooled(split)
    order = np.random.default_rng(seed).permutation(rows.height)
    held, rest = order[: _held_out(rows)], order[_held_out(rows) :]
    count = round(_SHARES[part] * rows.height)
    return rows[np.sort(rest[:count])], rows[np.sort(held)]


def _curves(split: Split, _part: str, _seed: int) -> Cut:
    """Published gaps, and all that comes in the last tenth of the time."""
    rows = _pooled(split)
    late = _late(split.train, rows, 0.1)
    return split.train.filter(~late), pl.concat([split.test, split.train.filter(late)])


def _pooled(split: Split) -> pl.DataFrame:
    return pl.concat([split.train, split.test])


def _held_out(rows: pl.DataFrame) -> int:
    return round(_TEST_SHARE * rows.height)


def _late(rows: pl.DataFrame, among: pl.DataFrame, share: float) -> Bool[np.ndarray, "N"]:
    """Which rows come in the last share of the time that others span."""
    times = among["time"].to_numpy()
    boundary = times.max() - share * (times.max() - times.min())
    return rows["time"].to_numpy() > boundary


def _sides(rows: pl.DataFrame, held: Bool[np.ndarray, "N"]) -> Cut:
    return rows.filter(~held), rows.filter(held)


PROTOCOLS: dict[str, Protocol] = {
    entry.name: entry
    for entry in (
        Protocol(
            "honest",
            "validation inside the training rows, one look at the test rows",
            ("published",),
            _published,
            pools=False,
        ),
        Protocol(
            "paper",
            "oracle: the best epoch on the test rows, for each score by itself",
            ("published",),
            _published,
            pools=False,
            looks=True,
            options={"validation_fraction": 0.0},  # as the paper does, all rows are learnt from
        ),
        Protocol("resplit", "five random splits, 80% to 20%, of all rows", _RESPLITS, _resplit),
        Protocol("forecast", "the last part of the time held out", tuple(_HORIZONS), _forecast),
        Protocol("cold-cell", "a fifth of the cells held out whole", ("cells",), _cold_cell),
        Protocol(
            "learning-curve",
            "a share of all rows to learn from, the same fifth to be judged by",
            tuple(_SHARES),
            _learning_curve,
        ),
        Protocol(
            "curves",
            "published gaps and the last tenth of the time held out, for figures",
            ("last-10%",),
            _curves,
            pools=False,
        ),
    )
}
"""Every protocol that a user can ask for by name."""


def protocol(name: str) -> Protocol:
    """Look a protocol up by name.

    Raises:
        ConfigError: no protocol has this name.

    Example:
        >>> protocol("forecast").parts
        ('last-10%', 'last-30%')
        >>> protocol("honnest")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: protocol must be one of 'honest', 'paper', 'resplit', \
'forecast', 'cold-cell', 'learning-curve', 'curves', got 'honnest'; did you mean 'honest'?
    """
    return PROTOCOLS[choice("protocol", name, list(PROTOCOLS))]
