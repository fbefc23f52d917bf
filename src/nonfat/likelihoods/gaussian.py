"""Gaussian noise."""

import math
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax.scipy.special import ndtr
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Key

from nonfat.likelihoods.base import Likelihood, Observes

__all__ = ["Gaussian"]


def _log_normal(
    y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
) -> Float[Array, "*n"]:
    return -0.5 * (math.log(2.0 * math.pi) + jnp.log(variance) + (y - mean) ** 2 / variance)


class Gaussian(Likelihood):
    """p(y | m) = N(y | m, σ²) with a learned noise variance.

    Example:
        >>> import jax.numpy as jnp
        >>> noise = Gaussian.create(0.25, jnp.float32)
        >>> mean, variance = noise.predictive_moments(jnp.array(1.0), jnp.array(0.5))
        >>> mean.item(), variance.item()
        (1.0, 0.75)
    """

    observes: ClassVar[Observes] = "real"
    log_noise: Float[Array, ""]

    @classmethod
    def create(cls, noise_variance: float, dtype: DTypeLike) -> "Gaussian":
        """Noise of the given variance."""
        return cls(log_noise=jnp.asarray(math.log(noise_variance), dtype))

    @property
    def noise_variance(self) -> Float[Array, ""]:
        """σ²."""
        return jnp.exp(self.log_noise)

    def expected_log_prob(
        self, y: Float[Array, "*n"], mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> Float[Array, "*n"]:
        """Log N(y | mean, σ²) - variance / 2σ²: the expectation is exact."""
        noise = self.noise_variance
        return _log_normal(y, mean, noise) - 0.5 * variance / noise

    def log_predictive(
        self, y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """Log N(y | mean, variance + σ²)."""
        return _log_normal(y, mean, variance + self.noise_variance)

    def predictive_moments(
        self, mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """The mean, and the variance with the noise added."""
        return mean, variance + self.noise_variance

    def signal_moments(
        self, mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """Those of m itself."""
        return mean, variance

    def predictive_cdf(
        self, y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """Φ((y - mean) / √(variance + σ²))."""
        return ndtr((y - mean) / jnp.sqrt(variance + self.noise_variance))

    def sample(self, key: Key[Array, ""], m: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """M plus noise."""
        return m + jnp.sqrt(self.noise_variance) * jax.random.normal(key, m.shape, m.dtype)
