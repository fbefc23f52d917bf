"""What a model says of entries: a mixture over draws of the trajectories."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from nonfat.likelihoods import Likelihood

__all__ = ["Predictive"]

_BISECTIONS = {jnp.dtype(jnp.float32): 26, jnp.dtype(jnp.float64): 54}


class Predictive(eqx.Module):
    """An equal mixture over S draws of v; given v the latent m is Gaussian.

    Attributes:
        f: mean of m for each draw.
        s2: variance of m for each draw.
        likelihood: how y follows from m.

    Example:
        >>> import jax.numpy as jnp
        >>> from nonfat.likelihoods import Gaussian
        >>> noise = Gaussian.create(1.0, jnp.float32)
        >>> p = Predictive(jnp.array([[-1.0], [1.0]]), jnp.zeros((2, 1)), noise)
        >>> p.latent()[1].item(), p.observed()[1].item()  # variances of m and of y
        (1.0, 2.0)
        >>> round(p.quantile(jnp.array([0.5])).item(), 4) + 0.0
        0.0
    """

    f: Float[Array, "S B"]
    s2: Float[Array, "S B"]
    likelihood: Likelihood

    def latent(self) -> tuple[Float[Array, "B"], Float[Array, "B"]]:
        """Mean and variance of m."""
        return _mixture_moments(self.f, self.s2)

    def observed(self) -> tuple[Float[Array, "B"], Float[Array, "B"]]:
        """Mean and variance of y."""
        return _mixture_moments(*self.likelihood.predictive_moments(self.f, self.s2))

    def log_density(self, y: Float[Array, "B"]) -> Float[Array, "B"]:
        """The log density of y, by log-mean-exp over the draws."""
        each = self.likelihood.log_predictive(y, self.f, self.s2)
        return jax.nn.logsumexp(each, axis=0) - math.log(self.f.shape[0])

    def quantile(self, levels: Float[Array, "Q"]) -> Float[Array, "Q B"]:
        """The values that y stays under with the given probabilities.

        Bisection of the mixture's distribution function: it never fails and keeps the order of
        the levels. The bracket holds by Cantelli's inequality for levels within [1e-4, 1 - 1e-4].
        """
        mean, variance = self.observed()
        reach = 100.0 * jnp.sqrt(variance)

        def halve(_: Int[Array, ""], bracket: tuple[Array, Array]) -> tuple[Array, Array]:
            low, high = bracket
            middle = 0.5 * (low + high)
            below = self._cdf(middle) < levels[:, None]
            return jnp.where(below, middle, low), jnp.where(below, high, middle)

        shape = (levels.shape[0], mean.shape[0])
        start = (jnp.broadcast_to(mean - reach, shape), jnp.broadcast_to(mean + reach, shape))
        low, high = jax.lax.fori_loop(0, _BISECTIONS[mean.dtype], halve, start)
        return 0.5 * (low + high)

    def sample(self, key: Key[Array, ""]) -> Float[Array, "S B"]:
        """One observation for each draw of v."""
        m_key, y_key = jax.random.split(key)
        m = self.f + jnp.sqrt(self.s2) * jax.random.normal(m_key, self.f.shape, self.f.dtype)
        return self.likelihood.sample(y_key, m)

    def _cdf(self, y: Float[Array, "Q B"]) -> Float[Array, "Q B"]:
        each = self.likelihood.predictive_cdf(y[None], self.f[:, None], self.s2[:, None])
        return jnp.mean(each, axis=0)


def _mixture_moments(
    mean: Float[Array, "S B"], variance: Float[Array, "S B"]
) -> tuple[Float[Array, "B"], Float[Array, "B"]]:
    """Law of total variance over the draws."""
    return jnp.mean(mean, axis=0), jnp.mean(variance, axis=0) + jnp.var(mean, axis=0)
