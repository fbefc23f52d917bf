"""What Poisson and negative binomial counts have in common."""

import abc
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtr
from jaxtyping import Array, Float

from nonfat.likelihoods.base import Likelihood, Observes
from nonfat.numerics.adaptive import log_expectation, positive_deviation

__all__ = ["Counts"]

_LARGEST_LOG_RATE = 38.0  # its exponential can be squared in single precision
_LARGEST_VARIANCE = 10.0

_GRID = np.linspace(-4.6, 4.6, 48)
_LEGENDRE = np.polynomial.legendre.leggauss(40)
_LAYER = np.polynomial.legendre.leggauss(24)


class Counts(Likelihood):
    """Counts y = 0, 1, 2, ... with mean exp(η), where η = bias + m.

    Both integrals over m rest on one function of a count n, `_kernel`: the log-likelihood of η
    relative to its largest value, which lies at η = log n.

    The distribution function needs no sum over counts. P(Y ≤ k | η) = P(T > η), where T is
    the logarithm of a gamma variable (Poisson) or of a ratio of two (negative binomial), and the
    log density of T is, up to a constant, the same `_kernel` with n = k + 1. So P(Y ≤ k) is
    P(T + sZ > bias + mean), with Z standard normal and s² the variance of m.
    """

    observes: ClassVar[Observes] = "count"
    bias: Float[Array, ""]

    @abc.abstractmethod
    def _kernel(self, n: Float[Array, "*#n"], delta: Float[Array, "*#n"]) -> Float[Array, "*n"]:
        """Log p(n | η) less its largest value, at η = log n + delta."""

    @abc.abstractmethod
    def _log_peak(self, y: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """Log p(y | η) at η = log y."""

    @abc.abstractmethod
    def _log_none(self, eta: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """Log p(0 | η)."""

    @abc.abstractmethod
    def _slopes(
        self, y: Float[Array, "*n"], eta: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """First and second derivative of log p(y | η)."""

    @abc.abstractmethod
    def _width(self, n: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """The kernel's width, 1/√curvature at its mode."""

    def log_predictive(
        self, y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """Adaptive Gauss-Hermite quadrature: the likelihood may be far narrower than m."""
        y, mean, variance = jnp.broadcast_arrays(y, mean, variance)
        deviation = positive_deviation(variance)
        f = self.bias + mean
        # Between the two modes, weighted by precision; half a count stands for none.
        n = y + 0.5
        pull = deviation**2 / (deviation**2 + self._width(n) ** 2)
        start = f + pull * (jnp.log(n) - f)
        return log_expectation(
            lambda eta: self._log_prob(y[..., None], eta),
            lambda eta: self._slopes(y, eta),
            f,
            deviation,
            start,
        )

    def signal_moments(
        self, mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """Of the rate exp(η), lognormal. Held where single precision would overflow."""
        rate = jnp.exp(jnp.minimum(self.bias + mean + 0.5 * variance, _LARGEST_LOG_RATE))
        return rate, rate**2 * jnp.expm1(jnp.minimum(variance, _LARGEST_VARIANCE))

    def predictive_cdf(
        self, y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """P(Y ≤ ⌊y⌋) by one of two rules, as the latent is wide or narrow beside T."""
        n = jnp.maximum(jnp.floor(y), 0.0) + 1.0
        deviation = positive_deviation(variance)
        a, w = self.bias + mean - jnp.log(n), self._width(n)
        wide = self._above_wide(n, a, deviation, w)
        narrow = self._above_narrow(n, a, jnp.minimum(deviation, w), w)
        above = jnp.clip(jnp.where(deviation > 0.7 * w, wide, narrow), 0.0, 1.0)
        return jnp.where(y < 0.0, jnp.zeros_like(above), above)

    def _log_prob(self, y: Float[Array, "*#n"], eta: Float[Array, "*#n"]) -> Float[Array, "*n"]:
        some = jnp.maximum(y, 1.0)
        log_p = self._kernel(some, eta - jnp.log(some)) + self._log_peak(some)
        return jnp.where(y > 0.0, log_p, self._log_none(eta))

    def _density(
        self, n: Float[Array, "*#n"], w: Float[Array, "*#n"], tau: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """Unnormalised density of tau, where T = log n + w sinh(tau)."""
        return jnp.exp(self._kernel(n, w * jnp.sinh(tau))) * w * jnp.cosh(tau)

    def _total(self, n: Float[Array, "*n"], w: Float[Array, "*n"]) -> Float[Array, "*n"]:
        tau = jnp.asarray(_GRID, n.dtype)
        return jnp.sum(self._density(n[..., None], w[..., None], tau), axis=-1) * float(
            _GRID[1] - _GRID[0]
        )

    def _above_wide(
        self,
        n: Float[Array, "*#n"],
        a: Float[Array, "*#n"],
        deviation: Float[Array, "*#n"],
        w: Float[Array, "*#n"],
    ) -> Float[Array, "*n"]:
        """P(T + sZ > a) as E[Φ((T - a)/s)]: smooth where s is not small beside T's width."""
        tau = jnp.asarray(_GRID, a.dtype)
        weight = self._density(n[..., None], w[..., None], tau)
        weight = weight / jnp.sum(weight, axis=-1, keepdims=True)
        z = (w[..., None] * jnp.sinh(tau) - a[..., None]) / deviation[..., None]
        return jnp.sum(weight * ndtr(z), axis=-1)

    def _above_narrow(
        self,
        n: Float[Array, "*#n"],
        a: Float[Array, "*#n"],
        deviation: Float[Array, "*#n"],
        w: Float[Array, "*#n"],
    ) -> Float[Array, "*n"]:
        """P(T + sZ > a) as P(T > a) and what the normal moves across a.

        The latter is s ∫₀^∞ Φ(-x) [p(a - sx) - p(a + sx)] dx with p the density of T.
        """
        nodes, weights = (jnp.asarray(x, a.dtype) for x in _LEGENDRE)
        end = float(_GRID[-1])
        first = jnp.arcsinh(a / w)
        half = 0.5 * (end - jnp.clip(first, -end, end))[..., None]
        n_, w_ = n[..., None], w[..., None]
        beyond = jnp.sum(
            half * weights * self._density(n_, w_, end - half * (1.0 + nodes)), axis=-1
        )
        x, weights = (jnp.asarray(u, a.dtype) for u in _LAYER)
        x, weights = 3.25 * (1.0 + x), 3.25 * weights
        shift = deviation[..., None] * x
        left = jnp.exp(self._kernel(n_, a[..., None] - shift))
        right = jnp.exp(self._kernel(n_, a[..., None] + shift))
        moved = deviation * jnp.sum(weights * ndtr(-x) * (left - right), axis=-1)
        return (beyond + moved) / self._total(n, w)
