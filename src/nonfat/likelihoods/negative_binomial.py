"""Counts that vary more than a Poisson variable of the same mean."""

import math

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Key

from nonfat.likelihoods.counts import Counts
from nonfat.likelihoods.poisson import poisson_counts
from nonfat.numerics.factorials import bounded_exp, stirling
from nonfat.numerics.scale_mixtures import expected_softplus

__all__ = ["NegativeBinomial"]


class NegativeBinomial(Counts):
    """Counts of mean μ = exp(bias + m) and variance μ + μ²/r, with learned bias and r.

    A Poisson variable whose rate is μ times a gamma variable of mean 1 and variance 1/r; for
    large r it is Poisson.

    Example:
        >>> import jax.numpy as jnp
        >>> counts = NegativeBinomial.create(3.0, 9.0, jnp.float32)
        >>> mean, variance = counts.predictive_moments(jnp.array(0.0), jnp.array(0.0))
        >>> round(mean.item(), 4), round(variance.item(), 4)
        (3.0, 4.0)
    """

    log_r: Float[Array, ""]

    @classmethod
    def create(cls, mean_rate: float, dispersion: float, dtype: DTypeLike) -> "NegativeBinomial":
        """Counts with the given mean where m is zero, and r = dispersion."""
        return cls(
            bias=jnp.asarray(math.log(mean_rate), dtype),
            log_r=jnp.asarray(math.log(dispersion), dtype),
        )

    @property
    def dispersion(self) -> Float[Array, ""]:
        """R: the smaller, the more the counts vary."""
        return jnp.exp(self.log_r)

    def expected_log_prob(
        self, y: Float[Array, "*n"], mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> Float[Array, "*n"]:
        """All but E[softplus(η - log r)] is closed, and that is a sum of closed terms."""
        r = self.dispersion
        x = self.bias + mean - self.log_r
        some = jnp.maximum(y, 1.0)
        # Relative to the peak at x = log(y/r), with the smaller of y and r in front as in the
        # kernel: y x - (y + r) softplus(x) = -r x - (y + r) softplus(-x).
        many = some > r
        turned = jnp.where(many, -x, x)
        peak = jnp.where(many, self.log_r - jnp.log(some), jnp.log(some) - self.log_r)
        soft = expected_softplus(turned, variance) - jax.nn.softplus(peak)
        relative = jnp.minimum(some, r) * (turned - peak) - (some + r) * soft
        none = -r * expected_softplus(x, variance)
        return jnp.where(y > 0.0, relative + self._log_peak(some), none)

    def predictive_moments(
        self, mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """E[μ], and E[μ] + E[μ²]/r + var μ."""
        rate, spread = self.signal_moments(mean, variance)
        return rate, rate + spread + (rate**2 + spread) / self.dispersion

    def sample(self, key: Key[Array, ""], m: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """A count for each latent value."""
        rate_key, count_key = jax.random.split(key)
        log_g = jax.random.loggamma(rate_key, self.dispersion, m.shape, m.dtype)
        return poisson_counts(count_key, bounded_exp(self.bias + m + log_g - self.log_r))

    def _kernel(self, n: Float[Array, "*#n"], delta: Float[Array, "*#n"]) -> Float[Array, "*n"]:
        # nδ - (n + r) log[(r + n e^δ)/(r + n)]; for large r the Poisson kernel. It is the same
        # with n and r exchanged and δ turned round: with the smaller in front nothing cancels.
        r = self.dispersion
        few, many = jnp.minimum(n, r), jnp.maximum(n, r)
        turned = jnp.where(n > r, -delta, delta)
        bounded = jnp.expm1(jnp.minimum(turned, 40.0))
        rise = jnp.log1p(few / (few + many) * bounded) + jnp.maximum(turned - 40.0, 0.0)
        return few * turned - (few + many) * rise

    def _log_peak(self, y: Float[Array, "*n"]) -> Float[Array, "*n"]:
        r = self.dispersion
        return stirling(y + r) - stirling(r) - stirling(y) - jnp.log1p(y / r)

    def _log_none(self, eta: Float[Array, "*n"]) -> Float[Array, "*n"]:
        return -self.dispersion * jax.nn.softplus(eta - self.log_r)

    def _slopes(
        self, y: Float[Array, "*n"], eta: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        share = jax.nn.sigmoid(eta - self.log_r)
        weight = y + self.dispersion
        return y - weight * share, -weight * share * jax.nn.sigmoid(self.log_r - eta)

    def _width(self, n: Float[Array, "*n"]) -> Float[Array, "*n"]:
        return jnp.sqrt(1.0 / n + 1.0 / self.dispersion)
