"""Ways to hold rows out: at random, the latest, or all rows of some entities."""

from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from jaxtyping import Bool, Int64

from nonfat.data.events import Events
from nonfat.errors import ConfigError, DataError

__all__ = ["cold_entity_split", "random_split", "temporal_split"]

Split: TypeAlias = tuple[Int64[np.ndarray, "A"], Int64[np.ndarray, "B"]]
"""Positions of the rows to train on, and of the rows held out; both rising."""


def random_split(events: Events | int, fraction: float, seed: int) -> Split:
    """Holds out a random fraction of the rows.

    Args:
        events: the rows, or how many there are.
        fraction: the fraction to hold out, between 0 and 1.
        seed: the same seed gives the same split.

    Raises:
        DataError: one side would be empty.
        ConfigError: the fraction or the seed is no number.

    Example:
        >>> train, held = random_split(10, 0.3, seed=0)
        >>> len(train), len(held)
        (7, 3)
    """
    count = _count(events)
    held = np.zeros(count, dtype=bool)
    held[_some(count, fraction, seed, "rows")] = True
    return _sides(held)


def temporal_split(events: Events, fraction: float) -> Split:
    """Holds out the latest rows: as near to a fraction of them as whole times allow.

    Rows at the same time stay together.

    Args:
        events: the rows.
        fraction: the fraction of the rows to hold out, between 0 and 1.

    Raises:
        DataError: there is a single time, so one side would be empty.

    Example:
        >>> import polars as pl
        >>> table = pl.DataFrame({"site": list("abab"), "time": [1, 1, 2, 2], "value": [1.0] * 4})
        >>> [side.tolist() for side in temporal_split(Events.read(table), 0.3)]
        [[0, 1], [2, 3]]
    """
    _require_events(events)
    _check(fraction)
    times, counts = np.unique(events.time, return_counts=True)
    if len(times) < 2:
        raise DataError(
            f"cannot hold out the latest rows: all {len(events)} rows are at the same time"
        )
    later = len(events) - np.cumsum(counts)[:-1]  # rows after each time but the last
    cut = int(np.argmin(np.abs(later - fraction * len(events))))
    return _sides(events.time > times[cut])


def cold_entity_split(events: Events, mode: str | int, fraction: float, seed: int) -> Split:
    """Holds out all rows of some entities, so that they are unseen in training.

    Args:
        events: the rows.
        mode: the mode whose entities are held out, by name or position.
        fraction: the fraction of that mode's entities to hold out, between 0 and 1.
        seed: the same seed gives the same split.

    Raises:
        DataError: there is no such mode, or one side would be empty.

    Example:
        >>> import polars as pl
        >>> table = pl.DataFrame({"site": list("abab"), "time": [1, 1, 2, 2], "value": [1.0] * 4})
        >>> train, held = cold_entity_split(Events.read(table), "site", 0.5, seed=0)
        >>> sorted([train.tolist(), held.tolist()])
        [[0, 2], [1, 3]]
    """
    _require_events(events)
    codes = events.codes[:, _position(events, mode)]
    present = np.unique(codes)
    what = f"entities of mode {mode!r}"
    return _sides(np.isin(codes, present[_some(len(present), fraction, seed, what)]))


def _position(events: Events, mode: str | int) -> int:
    modes = events.schema.modes
    if isinstance(mode, str) and mode in modes:
        return modes.index(mode)
    if isinstance(mode, int) and 0 <= mode < len(modes):
        return mode
    raise DataError(f"no mode {mode!r}; the modes are {', '.join(repr(name) for name in modes)}")


def _require_events(events: Any) -> None:
    if not isinstance(events, Events):
        raise DataError(
            f"expected Events, got {type(events).__name__}; give Events: "
            "nf.Events.read(table, modes=...)"
        )


def _count(events: Any) -> int:
    """How many rows there are; tables that know their length will do."""
    if isinstance(events, Integral):
        return int(events)
    if isinstance(events, str) or not hasattr(events, "__len__"):
        _require_events(events)
    return len(events)


def _check(fraction: Any) -> None:
    if isinstance(fraction, bool) or not isinstance(fraction, int | float | np.number):
        raise ConfigError(
            f"the fraction to hold out must be a number between 0 and 1, got {fraction!r}"
        )
    if not 0 < fraction < 1:
        raise DataError(f"the fraction to hold out must lie between 0 and 1, got {fraction}")


def _check_seed(seed: Any) -> None:
    if isinstance(seed, bool) or not isinstance(seed, Integral) or int(seed) < 0:
        raise ConfigError(f"seed must be a whole number of at least 0, got {seed!r}")


def _some(count: int, fraction: float, seed: int, what: str) -> Int64[np.ndarray, "H"]:
    """Draws a fraction of ``count`` things: at least one, and not all of them."""
    _check(fraction)
    _check_seed(seed)
    if count < 2:
        raise DataError(f"cannot split {count} {what}: each side needs at least one")
    held = min(max(round(fraction * count), 1), count - 1)
    return np.random.default_rng(seed).permutation(count)[:held]


def _sides(held: Bool[np.ndarray, "N"]) -> Split:
    return np.flatnonzero(~held), np.flatnonzero(held)
