"""Noise with heavy tails."""

import math
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtr
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Key

from nonfat.likelihoods.base import Likelihood, Observes
from nonfat.numerics.factorials import stirling

__all__ = ["StudentT"]

_LEAST_DF = 2.01  # so that the variance exists, at most 201 times the squared scale
_GRID = np.linspace(-4.6, 4.6, 64)


class StudentT(Likelihood):
    """p(y | m) = m + scale · t(df), with learned scale and degrees of freedom.

    The noise is a mixture of normals: given a precision factor τ ~ Gamma(df/2, df/2) it is
    N(0, scale²/τ), so given τ the latent m is integrated out exactly. What is left is an integral
    over u = log τ, whose density is smooth whatever the variance of m: a trapezoid rule on a
    sinh grid, fine around the mode and wide in the tails.

    Example:
        >>> import jax.numpy as jnp
        >>> noise = StudentT.create(0.5, 4.0, jnp.float32)
        >>> mean, variance = noise.predictive_moments(jnp.array(1.0), jnp.array(0.5))
        >>> mean.item(), round(variance.item(), 4)  # 0.5 + 0.25 · 4/2
        (1.0, 1.0)
    """

    observes: ClassVar[Observes] = "real"
    log_scale: Float[Array, ""]
    raw_df: Float[Array, ""]

    @classmethod
    def create(cls, scale: float, df: float, dtype: DTypeLike) -> "StudentT":
        """Noise of the given scale and degrees of freedom (above 2.01)."""
        return cls(
            log_scale=jnp.asarray(math.log(scale), dtype),
            raw_df=jnp.asarray(math.log(df - _LEAST_DF), dtype),
        )

    @property
    def scale(self) -> Float[Array, ""]:
        """The scale of the noise; its standard deviation is larger."""
        return jnp.exp(self.log_scale)

    @property
    def df(self) -> Float[Array, ""]:
        """Degrees of freedom, ν."""
        return _LEAST_DF + jnp.exp(self.raw_df)

    @property
    def noise_variance(self) -> Float[Array, ""]:
        """scale² ν/(ν - 2)."""
        return self.scale**2 * self.df / (self.df - 2.0)

    def expected_log_prob(
        self, y: Float[Array, "*n"], mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> Float[Array, "*n"]:
        """The log density's constant, less (ν+1)/2 E[log(1 + (y-m)²/(ν scale²))]."""
        c = self.df * self.scale**2
        spread = _expected_log1p_square((y - mean) ** 2 / c, variance / c)
        return self._log_constant() - 0.5 * (self.df + 1.0) * spread

    def log_predictive(
        self, y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """Log Σ wᵢ N(y | mean, variance + scale²/τᵢ), with nodes about where τ is, given y."""
        square = (y - mean) ** 2
        relative = square / (variance + self.scale**2)
        centre = jax.lax.stop_gradient(jnp.log((self.df + 1.0) / (self.df + relative)))
        u, log_weight = self._nodes(centre)
        v = variance[..., None] + self.scale**2 * jnp.exp(-u)
        log_normal = -0.5 * (math.log(2.0 * math.pi) + jnp.log(v) + square[..., None] / v)
        return jax.nn.logsumexp(log_weight + log_normal, axis=-1)

    def predictive_moments(
        self, mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """The mean, and the variance with that of the noise added."""
        return mean, variance + self.noise_variance

    def signal_moments(
        self, mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """Those of m itself."""
        return mean, variance

    def predictive_cdf(
        self, y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """Σ wᵢ Φ((y - mean)/√(variance + scale²/τᵢ))."""
        u, log_weight = self._nodes(jnp.zeros((), mean.dtype))
        deviation = jnp.sqrt(variance[..., None] + self.scale**2 * jnp.exp(-u))
        below = jnp.sum(jnp.exp(log_weight) * ndtr((y - mean)[..., None] / deviation), axis=-1)
        return jnp.minimum(below, 1.0)

    def sample(self, key: Key[Array, ""], m: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """M plus noise."""
        return m + self.scale * jax.random.t(key, self.df, m.shape, m.dtype)

    def _log_constant(self) -> Float[Array, ""]:
        """Log Γ(h + ½) - log Γ(h) - ½ log(νπ) - log scale, h = ν/2, free of cancellation."""
        h = 0.5 * self.df
        ratio = (h - 0.5) * jnp.log1p(-0.5 / h) + 0.5 + stirling(h - 0.5) - stirling(h)
        return ratio - 0.5 * math.log(2.0 * math.pi) - self.log_scale

    def _nodes(self, centre: Float[Array, "*n"]) -> tuple[Float[Array, "*n I"], Array]:
        """Nodes u = log τ around a centre, and the logarithms of their weights.

        The density of u is exp(n(u - e^u)) n^n/Γ(n) with n = ν/2: its width is √(1/n).
        """
        n = 0.5 * self.df
        width = jax.lax.stop_gradient(jnp.sqrt(1.0 / n))
        u = centre[..., None] + width * jnp.asarray(np.sinh(_GRID), centre.dtype)
        log_step = jnp.asarray(np.log(np.cosh(_GRID) * (_GRID[1] - _GRID[0])), centre.dtype)
        fall = jnp.expm1(jnp.minimum(u, 40.0)) - u  # beyond, the weight is zero in any case
        return u, log_step + jnp.log(width) - n * fall - stirling(n) + jnp.log(n)


_OCTAVES = 64
_STEP = 0.5


def _expected_log1p_square(b: Float[Array, "*n"], a: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """E[log(1 + x²)] for x ~ N(√b, a).

    From log(1 + X) = ∫ e^-t (1 - e^-tX)/t dt, in which the expectation over X = x² is closed:
    E[e^-tX] = (1 + 2ta)^-½ exp(-tb/(1 + 2ta)). In log t the integrand is smooth, so a trapezoid
    rule will do; Gauss-Hermite in x would miss the sharp bend at x = 0 where a is large.
    """
    log_t = jnp.asarray(3.75 - _STEP * np.arange(_OCTAVES), a.dtype)
    t = jnp.exp(log_t)
    a, b = a[..., None], b[..., None]
    spread = 2.0 * t * a
    missing = -jnp.expm1(-0.5 * jnp.log1p(spread) - t * b / (1.0 + spread))
    # Below the last node the integrand falls like t: a geometric series.
    rest = missing[..., -1] * (math.exp(-_STEP) / (1.0 - math.exp(-_STEP)))
    return _STEP * (jnp.sum(jnp.exp(-t) * missing, axis=-1) + rest)
