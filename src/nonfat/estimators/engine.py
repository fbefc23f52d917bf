"""Answers of a trained model for any number of rows, in bounded memory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float64, Int, Key

from nonfat._typing import AnyArray
from nonfat.data import Events
from nonfat.estimators.finite import require_finite
from nonfat.estimators.likelihoods import check_possible
from nonfat.likelihoods import Observes
from nonfat.models import Predictive, TensorModel
from nonfat.times import Entries
from nonfat.training import DType, local_entries, scoped

__all__ = ["Engine", "log_exposure"]

_ROWS = (64, 1024)  # rows in a compiled call: one size for a few queries, one for many

Newcomers = tuple[Float[AnyArray, "S _"], ...] | None
Entities = tuple[Int[AnyArray, "_"] | None, ...]


def log_exposure(events: Events) -> Float64[np.ndarray, "N"]:
    """What the exposure adds to each row's latent value: nothing where there is none."""
    return np.zeros(len(events)) if events.exposure is None else np.log(events.exposure)


def _padded(array: np.ndarray, size: int) -> np.ndarray:
    """The array with copies of its first row behind it."""
    return np.concatenate([array, np.repeat(array[:1], size - len(array), axis=0)])


def _local(
    codes: Int[np.ndarray, "B K"], time: Float[np.ndarray, "B"], shape: tuple[int, ...]
) -> tuple[Entries, Entities]:
    """`local_entries` where -1 points at the row behind the table: a newcomer's."""
    unseen = codes < 0
    entries, entities = local_entries(np.where(unseen, 0, codes), time, shape)
    behind = [d if index is None else len(index) for d, index in zip(shape, entities, strict=True)]
    position = np.where(unseen, np.array(behind, np.int32), entries.position)
    return Entries(position, entries.times, entries.time_position), entities


@eqx.filter_jit
def _predictive(
    model: TensorModel,
    entities: Entities,
    entries: Entries,
    offset: Float[AnyArray, "B"],
    noise: Float[AnyArray, "S D"],
    newcomers: Newcomers,
) -> Predictive:
    f, s2 = model.take(entities).latent_samples(entries, noise, newcomers)
    return Predictive(f + offset, s2, model.likelihood)


@eqx.filter_jit
def _summary(
    predictive: Predictive, levels: Float[AnyArray, "Q"]
) -> tuple[Array, Array, Array, Array]:
    mean, variance = predictive.observed()
    _, latent_variance = predictive.signal()
    return mean, jnp.sqrt(latent_variance), jnp.sqrt(variance), predictive.quantile(levels)


@eqx.filter_jit
def _log_density(predictive: Predictive, y: Float[AnyArray, "B"]) -> Float[Array, "B"]:
    return predictive.log_density(y)


def _density_of(predictive: Predictive, y: Float[np.ndarray, "_"]) -> Float[Array, "B"]:
    """Of values that may be fewer than the rows of a compiled call."""
    return _log_density(predictive, _padded(y, predictive.f.shape[1]))


@eqx.filter_jit
def _observations(predictive: Predictive, key: Key[Array, ""]) -> Float[Array, "S B"]:
    return predictive.sample(key)


@eqx.filter_jit
def _path(
    model: TensorModel,
    entries: Entries,
    offset: Float[AnyArray, "B"],
    key: Key[Array, ""],
    part: Int[Array, ""],
) -> Float[Array, "B"]:
    m = model.draw(entries, key, part) + offset
    noise_key = jax.random.fold_in(jax.random.fold_in(key, 1), part)
    return model.likelihood.sample(noise_key, m)


@dataclass(frozen=True, eq=False)
class Engine:
    """Predictions in the model's own units, a fixed number of rows at a time.

    All rows share the same draws, so the answer for a row does not depend on the rows around it.

    Attributes:
        model: a trained model.
        shape: d_k of each mode.
        dtype: of the model's parameters.
        draws: S, draws of the trajectories.
        seed: of the draws.
    """

    model: TensorModel
    shape: tuple[int, ...]
    dtype: DType
    draws: int
    seed: int

    @property
    def observes(self) -> Observes:
        """What kind of value the likelihood is of."""
        return self.model.likelihood.observes

    @cached_property
    def _noise(self) -> Float[np.ndarray, "S D"]:
        """Standard-normal draws in opposite pairs, so that their mean is exactly zero."""
        half = -(-self.draws // 2)
        first = np.random.default_rng(self.seed).standard_normal((half, self.model.time.inputs))
        return np.concatenate([first, -first])[: self.draws].astype(self.dtype)

    @cached_property
    def _newcomers(self) -> tuple[Float[np.ndarray, "S _"], ...]:
        """Draws of an entity never seen, one table for each mode."""
        rng = np.random.default_rng([self.seed, 1])
        return tuple(
            rng.standard_normal((self.draws, table.shape[1])).astype(self.dtype)
            for table in self.model.time.tables
        )

    def summary(
        self,
        events: Events,
        levels: Float64[np.ndarray, "Q"] | Sequence[float],
        scaled: Float[np.ndarray, "N"] | None = None,
    ) -> dict[str, np.ndarray]:
        """Mean, deviation of the value without noise, of the observation, and quantiles.

        With values their log densities too: the mixture, the costly part, is made once for both.
        """
        tails = np.asarray(levels, self.dtype)
        y = None if scaled is None else self._possible(events, scaled)

        def answer(p: Predictive, rows: slice) -> tuple[Array, ...]:
            told = _summary(p, tails)
            return told if y is None else (*told, _density_of(p, y[rows]))

        arrays = [np.concatenate(x, axis=-1) for x in zip(*self._map(events, answer), strict=True)]
        require_finite("prediction", *arrays[:4])
        names = ("mean", "latent_std", "std", "quantiles", "log_density")
        return dict(zip(names, (array.astype(np.float64) for array in arrays), strict=False))

    def log_density(
        self, events: Events, scaled: Float[np.ndarray, "N"]
    ) -> Float64[np.ndarray, "N"]:
        """The log predictive density of each value."""
        y = self._possible(events, scaled)
        parts = self._map(events, lambda p, rows: (_density_of(p, y[rows]),))
        return np.concatenate([part for (part,) in parts]).astype(np.float64)

    def _possible(self, events: Events, scaled: Float[np.ndarray, "N"]) -> Float[np.ndarray, "N"]:
        """The values, if the likelihood can give them."""
        check_possible(self.observes, scaled, events.rows, events.schema.value)
        return scaled.astype(self.dtype)

    def observations(
        self, events: Events, repeats: int
    ) -> Iterator[tuple[slice, Float64[np.ndarray, "S _"]]]:
        """``repeats * draws`` draws of each row's observation, each row on its own.

        They come a chunk of rows at a time: of many rows they need not fit into memory.
        """
        keys = jax.random.split(jax.random.key(self.seed), repeats)

        def draw(p: Predictive, rows: slice) -> tuple[Array, ...]:
            return (
                jnp.concatenate(
                    [_observations(p, jax.random.fold_in(key, rows.start)) for key in keys]
                ),
            )

        for rows, (drawn,) in self._each(events, draw):
            require_finite("sample", drawn)
            yield rows, drawn.astype(np.float64)

    def path(self, events: Events, seed: int) -> Float64[np.ndarray, "N"]:
        """One joint draw of the observations of all rows."""
        codes, time, offset = events.codes, events.time, log_exposure(events)
        with scoped(self.dtype):
            key, newcomer_key = jax.random.split(jax.random.key(seed))
            rows = tuple(
                jax.random.normal(jax.random.fold_in(newcomer_key, k), table.shape[1:], table.dtype)
                for k, table in enumerate(self.model.time.tables)
            )
            # Whole tables: what the entities' own draws are must not depend on the chunk.
            time_part = self.model.time.with_newcomers(rows)
            model = eqx.tree_at(lambda model: model.time, self.model, time_part)
            behind = np.array(self.shape, np.int32)
            parts = []
            for number, rows_ in enumerate(_slices(len(codes))):
                size = _size(len(codes))
                position = _padded(np.where(codes[rows_] < 0, behind, codes[rows_]), size)
                times = _padded(time[rows_].astype(self.dtype), size)
                entries = Entries(position.astype(np.int32), times, np.arange(size, dtype=np.int32))
                exposed = _padded(offset[rows_].astype(self.dtype), size)
                drawn = _path(model, entries, exposed, key, jnp.asarray(number))
                parts.append(np.asarray(drawn)[: rows_.stop - rows_.start])
        path = np.concatenate(parts).astype(np.float64)
        require_finite("sample", path)
        return path

    def _map(
        self, events: Events, answer: Callable[[Predictive, slice], tuple[Array, ...]]
    ) -> list[tuple[np.ndarray, ...]]:
        """`answer` for chunks of rows, as NumPy arrays without the padding."""
        return [parts for _, parts in self._each(events, answer)]

    def _each(
        self, events: Events, answer: Callable[[Predictive, slice], tuple[Array, ...]]
    ) -> Iterator[tuple[slice, tuple[np.ndarray, ...]]]:
        codes, time, offset = events.codes, events.time, log_exposure(events)
        newcomers = self._newcomers if bool((codes < 0).any()) else None
        size = _size(len(codes))
        for rows in _slices(len(codes)):
            # The scope is left before a chunk is handed out: the caller's own work is the caller's.
            with scoped(self.dtype):
                times = _padded(time[rows].astype(self.dtype), size)
                entries, entities = _local(_padded(codes[rows], size), times, self.shape)
                exposed = _padded(offset[rows].astype(self.dtype), size)
                predictive = _predictive(
                    self.model, entities, entries, exposed, self._noise, newcomers
                )
                count = rows.stop - rows.start
                parts = [np.asarray(part)[..., :count] for part in answer(predictive, rows)]
            yield rows, tuple(parts)


def _size(N: int) -> int:
    return _ROWS[0] if N <= _ROWS[0] else _ROWS[1]


def _slices(N: int) -> Iterator[slice]:
    size = _size(N)
    for start in range(0, N, size):
        yield slice(start, min(start + size, N))
