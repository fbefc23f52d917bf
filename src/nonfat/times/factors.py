"""Factors that stand still, beside a representation of time that all entities share."""

import abc

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Key

from nonfat.times.base import EntityTables, TimeRepresentation
from nonfat.times.entries import Entries

__all__ = ["Factors", "Moment", "Nowhere"]

_START_LOG_STD = -2.0  # of the factors' posterior; their prior's is zero


class Moment(eqx.Module):
    """What a moment in time contributes to the inputs v, the same for all entities."""

    @property
    @abc.abstractmethod
    def inputs(self) -> int:
        """How many of them."""

    @abc.abstractmethod
    def marginals(
        self, times: Float[Array, "T"]
    ) -> tuple[Float[Array, "T _"], Float[Array, "T _"]]:
        """Mean and variance of the inputs that stand for each time."""

    @abc.abstractmethod
    def draw(self, times: Float[Array, "T"], key: Key[Array, ""]) -> Float[Array, "T _"]:
        """One joint draw of them."""

    @abc.abstractmethod
    def kl(self) -> Float[Array, ""]:
        """Divergence of their posterior from their prior."""


class Nowhere(Moment):
    """No time at all: a static decomposition.

    Example:
        >>> import jax.numpy as jnp
        >>> Nowhere().marginals(jnp.zeros(3))[0].shape
        (3, 0)
    """

    @property
    def inputs(self) -> int:
        """None."""
        return 0

    def marginals(
        self, times: Float[Array, "T"]
    ) -> tuple[Float[Array, "T _"], Float[Array, "T _"]]:
        """No inputs."""
        nothing = jnp.zeros((times.shape[0], 0), times.dtype)
        return nothing, nothing

    def draw(self, times: Float[Array, "T"], key: Key[Array, ""]) -> Float[Array, "T _"]:
        """No inputs."""
        return self.marginals(times)[0]

    def kl(self) -> Float[Array, ""]:
        """Nothing to diverge."""
        return jnp.zeros(())


class Factors(TimeRepresentation):
    """v = [u¹_{ℓ₁}; …; u^K_{ℓ_K}; τ(t)]: R static factors for each of the K modes, then time.

    The factors have a standard normal prior and an independent Gaussian posterior each, so that
    an entity with few rows is known less well than one with many.

    Attributes:
        tables: for each mode a row [μ_j, log s_j] per entity, of q(u_j) = N(μ_j, s_j²).
        moment: τ.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> time = Factors.create((4, 3), R=2, moment=Nowhere(), key=jax.random.key(0),
        ...                       dtype=jnp.float32)
        >>> entries = Entries(jnp.zeros((5, 2), int), jnp.linspace(0, 1, 5), jnp.arange(5))
        >>> mean, variance = time.marginals(entries)
        >>> mean.shape  # five entries, two modes of two factors
        (5, 4)
    """

    tables: EntityTables
    moment: Moment

    @classmethod
    def create(
        cls, d: tuple[int, ...], *, R: int, moment: Moment, key: Key[Array, ""], dtype: DTypeLike
    ) -> "Factors":
        """Random means, and posteriors that are sure of them."""
        tables = []
        for d_k, mode_key in zip(d, jax.random.split(key, len(d)), strict=True):
            mean = jax.random.normal(mode_key, (d_k, R), dtype)
            tables.append(jnp.concatenate([mean, jnp.full_like(mean, _START_LOG_STD)], axis=1))
        return cls(tuple(tables), moment)

    @property
    def inputs(self) -> int:
        """R for each mode, and what stands for time."""
        return sum(table.shape[1] // 2 for table in self.tables) + self.moment.inputs

    def marginals(self, entries: Entries) -> tuple[Float[Array, "B D"], Float[Array, "B D"]]:
        """Mean and variance of each entry's factors, then of its time."""
        parts = [
            _normal(table[j]) for table, j in zip(self.tables, entries.position.T, strict=True)
        ]
        tau, doubt = self.moment.marginals(entries.times)
        parts.append((tau[entries.time_position], doubt[entries.time_position]))
        mean, variance = (jnp.concatenate(x, axis=1) for x in zip(*parts, strict=True))
        return mean, variance

    def draw(self, entries: Entries, key: Key[Array, ""]) -> Float[Array, "B D"]:
        """One draw of all entities' factors and of time, as the entries see it."""
        *keys, moment_key = jax.random.split(key, len(self.tables) + 1)
        draws = []
        for table, j, table_key in zip(self.tables, entries.position.T, keys, strict=True):
            mean, variance = _normal(table)
            noise = jax.random.normal(table_key, mean.shape, mean.dtype)
            draws.append((mean + jnp.sqrt(variance) * noise)[j])
        draws.append(self.moment.draw(entries.times, moment_key)[entries.time_position])
        return jnp.concatenate(draws, axis=1)

    def kl(self) -> Float[Array, ""]:
        """The part of time; the factors' part is `entity_penalty`."""
        return self.moment.kl()

    def entity_penalty(self, mode: int) -> Float[Array, "J"]:
        """KL[N(μ_j, s_j²) ‖ N(0, I)] = ½ Σ_r (s² + μ² - 1 - log s²)."""
        mean, variance = _normal(self.tables[mode])
        return 0.5 * jnp.sum(variance + mean * mean - 1.0 - jnp.log(variance), axis=1)

    def newcomer(self, normal: Float[Array, "_"]) -> Float[Array, "_"]:
        """μ = 0 and log s = 0: the posterior of an entity without rows is the prior."""
        return jnp.zeros_like(normal)


def _normal(rows: Float[Array, "n _"]) -> tuple[Float[Array, "n R"], Float[Array, "n R"]]:
    """Mean and variance that rows [μ, log s] stand for."""
    mean, log_std = jnp.split(rows, 2, axis=1)
    return mean, jnp.exp(2.0 * log_std)
