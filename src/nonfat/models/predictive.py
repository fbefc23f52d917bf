"""What a model says of entries: a mixture over draws of the trajectories."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from nonfat.likelihoods import Likelihood

__all__ = ["Predictive"]

_LARGEST_COUNT = 1e18
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

    def signal(self) -> tuple[Float[Array, "B"], Float[Array, "B"]]:
        """Mean and variance of E[y | m], the value without noise."""
        return _mixture_moments(*self.likelihood.signal_moments(self.f, self.s2))

    def log_density(self, y: Float[Array, "B"]) -> Float[Array, "B"]:
        """The log density of y, by log-mean-exp over the draws."""
        each = self.likelihood.log_predictive(y, self.f, self.s2)
        return jax.nn.logsumexp(each, axis=0) - math.log(self.f.shape[0])

    def quantile(self, levels: Float[Array, "Q"]) -> Float[Array, "Q B"]:
        """The values that y stays under with the given probabilities.

        Of a count the least k with P(y ≤ k) ≥ level, a whole number; of a binary value the
        quantiles of its probability. By bisection of the mixture's distribution function, which
        never fails and keeps the order of the levels.
        """
        if self.likelihood.observes == "count":
            return self._count_quantile(levels)
        shape = (levels.shape[0], self.f.shape[1])
        if self.likelihood.observes == "binary":
            ends = jnp.zeros((), self.f.dtype), jnp.ones((), self.f.dtype)
        else:
            # Cantelli's inequality: these hold for levels within [1e-4, 1 - 1e-4], of any
            # distribution that has a variance.
            mean, variance = self.observed()
            reach = 100.0 * jnp.sqrt(variance)
            ends = mean - reach, mean + reach
        start = tuple(jnp.broadcast_to(end, shape) for end in ends)

        def halve(_: Int[Array, ""], bracket: tuple[Array, Array]) -> tuple[Array, Array]:
            return self._narrowed(bracket, 0.5 * (bracket[0] + bracket[1]), levels)

        low, high = jax.lax.fori_loop(0, _BISECTIONS[self.f.dtype], halve, start)
        return 0.5 * (low + high)

    def _count_quantile(self, levels: Float[Array, "Q"]) -> Float[Array, "Q B"]:
        """Doubles an upper end until it holds, then bisects whole numbers.

        So the work grows with the logarithm of the answer, and a mixture so skewed that its
        moments say nothing does no harm.
        """
        shape = (levels.shape[0], self.f.shape[1])
        none, one = jnp.full(shape, -1.0, self.f.dtype), jnp.ones(shape, self.f.dtype)
        wanted = levels[:, None]

        def short(state: tuple[Array, Array, Array]) -> Array:
            _, high, enough = state
            return jnp.any(~enough & (high < _LARGEST_COUNT))

        def double(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            low, high, enough = state
            low, high = jnp.where(enough, low, high), jnp.where(enough, high, 2.0 * high)
            return low, high, enough | (self._cdf(high) >= wanted)

        def wide(bracket: tuple[Array, Array]) -> Array:
            low, high = bracket
            middle = _between(low, high)
            # Above 2²⁴ single precision skips numbers: then neighbours are further apart than 1.
            return jnp.any((middle > low) & (middle < high))

        def halve(bracket: tuple[Array, Array]) -> tuple[Array, Array]:
            return self._narrowed(bracket, _between(*bracket), levels)

        start = (none, one, self._cdf(one) >= wanted)
        low, high, _ = jax.lax.while_loop(short, double, start)
        return jax.lax.while_loop(wide, halve, (low, high))[1]

    def _narrowed(
        self, bracket: tuple[Array, Array], middle: Float[Array, "Q B"], levels: Float[Array, "Q"]
    ) -> tuple[Float[Array, "Q B"], Float[Array, "Q B"]]:
        """The half that holds the quantile: the lower end stays below the level."""
        low, high = bracket
        below = self._cdf(middle) < levels[:, None]
        return jnp.where(below, middle, low), jnp.where(below, high, middle)

    def sample(self, key: Key[Array, ""]) -> Float[Array, "S B"]:
        """One observation for each draw of v."""
        m_key, y_key = jax.random.split(key)
        m = self.f + jnp.sqrt(self.s2) * jax.random.normal(m_key, self.f.shape, self.f.dtype)
        return self.likelihood.sample(y_key, m)

    def _cdf(self, y: Float[Array, "Q B"]) -> Float[Array, "Q B"]:
        each = self.likelihood.band_cdf(y[None], self.f[:, None], self.s2[:, None])
        return jnp.mean(each, axis=0)


def _between(low: Float[Array, "Q B"], high: Float[Array, "Q B"]) -> Float[Array, "Q B"]:
    return jnp.floor(0.5 * (low + high))


def _mixture_moments(
    mean: Float[Array, "S B"], variance: Float[Array, "S B"]
) -> tuple[Float[Array, "B"], Float[Array, "B"]]:
    """Law of total variance over the draws."""
    return jnp.mean(mean, axis=0), jnp.mean(variance, axis=0) + jnp.var(mean, axis=0)
