"""Batches for the training loop: local entity tables, distinct times, fixed shapes.

A step sees only what its batch touches: rows of the entity tables, and distinct times. All shapes
follow from the batch size and never from N or d_k, so neither does the cost of a step.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Float, Int, Int32

from nonfat._typing import AnyArray
from nonfat.models.tensor_model import Batch
from nonfat.times import Entries

__all__ = ["ArraySource", "LocalBatch", "Source", "local_entries"]

Entities = tuple[Int[AnyArray, "..."] | None, ...]
"""For each mode the rows of the entity table that a batch needs; None stands for all."""


class LocalBatch(eqx.Module):
    """A batch whose positions point into the rows ``entities`` of the entity tables."""

    batch: Batch
    entities: Entities


@runtime_checkable
class Source(Protocol):
    """Where the training loop gets its batches from."""

    @property
    def size(self) -> int:
        """N, the number of training entries."""
        ...

    @property
    def steps(self) -> int:
        """Steps of one epoch."""
        ...

    def epoch(self, rng: np.random.Generator) -> Iterator[LocalBatch]:
        """The batches of one epoch, in chunks: stacked along a leading axis of steps."""
        ...


@dataclass(frozen=True)
class ArraySource:
    """Batches from arrays in memory, in a new random order each epoch.

    Attributes:
        codes: entity codes, none of them negative.
        time: on the model's clock.
        value: scaled.
        shape: d_k of each mode.
        batch_size: at most this many entries in a batch; batches of an epoch are of equal size.
        chunk: at most this many steps are handed out at once.
        offset: logarithms of the exposures; None stands for zeros.

    Example:
        >>> import numpy as np
        >>> source = ArraySource(np.zeros((10, 1), np.int32), np.arange(10.0), np.ones(10), (1,), 4)
        >>> source.steps, source.rows_per_batch
        (3, 4)
    """

    codes: Int32[np.ndarray, "N K"]
    time: Float[np.ndarray, "N"]
    value: Float[np.ndarray, "N"]
    shape: tuple[int, ...]
    batch_size: int
    chunk: int = 256
    offset: Float[np.ndarray, "N"] | None = None

    @property
    def size(self) -> int:
        """N, the number of training entries."""
        return len(self.value)

    @property
    def steps(self) -> int:
        """Steps of one epoch."""
        return -(-self.size // self.batch_size)

    @property
    def rows_per_batch(self) -> int:
        """B: equal batches; the last is filled up with the epoch's first rows."""
        return -(-self.size // self.steps)

    def epoch(self, rng: np.random.Generator) -> Iterator[LocalBatch]:
        """The batches of one epoch, in chunks: stacked along a leading axis of steps."""
        order = rng.permutation(self.size)
        rows = np.resize(order, (self.steps, self.rows_per_batch))
        for start in range(0, self.steps, self.chunk):
            batches = [self._batch(batch) for batch in rows[start : start + self.chunk]]
            yield jax.tree.map(lambda *leaves: np.stack(leaves), *batches)

    def _batch(self, rows: Int[np.ndarray, "B"]) -> LocalBatch:
        entries, entities = local_entries(
            self.codes[rows], self.time[rows], self.shape, self._distinct_times
        )
        share = self.size / len(rows)
        weights = tuple(
            np.ones(len(count)) if index is None else _weights(j, index, count, share)
            for index, j, count in zip(entities, entries.position.T, self._counts, strict=True)
        )
        weights = tuple(weight.astype(self.value.dtype) for weight in weights)
        value = self.value[rows]
        offset = np.zeros_like(value) if self.offset is None else self.offset[rows]
        return LocalBatch(Batch(entries, value, offset, weights), entities)

    @cached_property
    def _distinct_times(self) -> Float[np.ndarray, "T"] | None:
        """All distinct times, if they are few enough to be listed with every batch."""
        distinct = np.unique(self.time)
        return distinct if len(distinct) <= self.rows_per_batch else None

    @cached_property
    def _counts(self) -> tuple[Int[np.ndarray, "d"], ...]:
        """How often each entity occurs."""
        return tuple(
            np.bincount(column, minlength=d)
            for column, d in zip(self.codes.T, self.shape, strict=True)
        )


def _weights(
    position: Int[np.ndarray, "B"],
    index: Int[np.ndarray, "J"],
    count: Int[np.ndarray, "d"],
    share: float,
) -> Float[np.ndarray, "J"]:
    """The share of each entity's prior that belongs to a batch.

    (N/B) times the entity's rows in the batch over its rows in all: an unbiased estimate of one.
    """
    here = np.bincount(position, minlength=len(index))
    # The rows that fill up the table stand for an entity that may have no training rows at all.
    return share * here / np.maximum(count[np.minimum(index, len(count) - 1)], 1)


def local_entries(
    codes: Int[np.ndarray, "B K"],
    time: Float[np.ndarray, "B"],
    shape: tuple[int, ...],
    distinct_times: Float[np.ndarray, "T"] | None = None,
) -> tuple[Entries, Entities]:
    """Entries that point into the tables of their own entities.

    A mode with no more entities than rows keeps its whole table. Of a larger one the distinct
    entities of the rows are listed, filled up to B with an index beyond the table.

    Args:
        codes: entity codes.
        time: on the model's clock.
        shape: d_k of each mode.
        distinct_times: all times that occur, ascending; if None each row lists its own.

    Returns:
        The entries, and the rows of each mode's table that they point into.
    """
    B = len(codes)
    position = codes.astype(np.int32)
    entities: list[np.ndarray | None] = []
    for k, d in enumerate(shape):
        if d <= B:
            entities.append(None)
            continue
        found, position[:, k] = np.unique(codes[:, k], return_inverse=True)
        entities.append(_filled(found, B, d))
    times = time if distinct_times is None else distinct_times
    own = np.arange(B) if distinct_times is None else np.searchsorted(times, time)
    return Entries(position, times, own.astype(np.int32)), tuple(entities)


def _filled(found: Int[np.ndarray, "n"], size: int, beyond: int) -> Int32[np.ndarray, "J"]:
    """`found`, then distinct indices beyond the table: gathers clip them, scatters drop them."""
    spare = np.arange(beyond, beyond + size - len(found))
    return np.concatenate([found, spare]).astype(np.int32)
