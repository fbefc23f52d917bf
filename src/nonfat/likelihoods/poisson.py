"""Counts whose variance is their mean."""

import math

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Key

from nonfat.likelihoods.counts import Counts
from nonfat.numerics.factorials import bounded_exp, stirling

__all__ = ["Poisson", "poisson_counts"]

_NORMAL_FROM = 1e6  # the sampler's integers end at 2e9


def poisson_counts(key: Key[Array, ""], rate: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """One Poisson count for each rate; rounded normals for rates in the millions.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> poisson_counts(jax.random.key(0), jnp.array([0.0])).tolist()
        [0.0]
    """
    few_key, many_key = jax.random.split(key)
    few = jax.random.poisson(few_key, jnp.minimum(rate, _NORMAL_FROM)).astype(rate.dtype)
    z = jax.random.normal(many_key, rate.shape, rate.dtype)
    return jnp.where(rate < _NORMAL_FROM, few, jnp.round(rate + jnp.sqrt(rate) * z))


class Poisson(Counts):
    """p(y | m) = Poisson(y | exp(bias + m)) with a learned bias.

    Example:
        >>> import jax.numpy as jnp
        >>> counts = Poisson.create(3.0, jnp.float32)
        >>> mean, variance = counts.predictive_moments(jnp.array(0.0), jnp.array(0.0))
        >>> round(mean.item(), 4), round(variance.item(), 4)
        (3.0, 3.0)
        >>> round(counts.predictive_cdf(jnp.array(0.0), jnp.array(0.0), jnp.array(0.0)).item(), 4)
        0.0498
    """

    @classmethod
    def create(cls, mean_rate: float, dtype: DTypeLike) -> "Poisson":
        """Counts with the given mean where m is zero."""
        return cls(bias=jnp.asarray(math.log(mean_rate), dtype))

    def expected_log_prob(
        self, y: Float[Array, "*n"], mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> Float[Array, "*n"]:
        """The exact y E[η] - E[exp(η)] - log y!."""
        # Relative to the peak, y log y - y - log y!: large counts keep their digits.
        f = self.bias + mean
        some = jnp.maximum(y, 1.0)
        linear = jnp.where(y > 0.0, some * (f - jnp.log(some) + 1.0) + self._log_peak(some), 0.0)
        return linear - bounded_exp(f + 0.5 * variance)

    def predictive_moments(
        self, mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """E[λ], and E[λ] + var λ, of the rate λ."""
        rate, spread = self.signal_moments(mean, variance)
        return rate, rate + spread

    def sample(self, key: Key[Array, ""], m: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """A count for each latent value."""
        return poisson_counts(key, bounded_exp(self.bias + m))

    def _kernel(self, n: Float[Array, "*#n"], delta: Float[Array, "*#n"]) -> Float[Array, "*n"]:
        # n(δ - (e^δ - 1)): the factor n is taken out, so nothing large cancels.
        return n * (delta - jnp.expm1(jnp.minimum(delta, 40.0)))

    def _log_peak(self, y: Float[Array, "*n"]) -> Float[Array, "*n"]:
        return -stirling(y)

    def _log_none(self, eta: Float[Array, "*n"]) -> Float[Array, "*n"]:
        return -bounded_exp(eta)

    def _slopes(
        self, y: Float[Array, "*n"], eta: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        rate = bounded_exp(eta)
        return y - rate, -rate

    def _width(self, n: Float[Array, "*n"]) -> Float[Array, "*n"]:
        return jnp.sqrt(1.0 / n)
