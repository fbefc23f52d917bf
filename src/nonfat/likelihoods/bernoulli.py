"""Values that are 0 or 1."""

import math
from statistics import NormalDist
from typing import ClassVar, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import log_ndtr, logit, ndtr, ndtri
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Key

from nonfat.likelihoods.base import Likelihood, Observes
from nonfat.numerics.adaptive import positive_deviation
from nonfat.numerics.quadrature import gauss_hermite
from nonfat.numerics.scale_mixtures import expected_softplus, logistic_mixture

__all__ = ["Bernoulli", "Link"]

Link = Literal["logit", "probit"]

_NODES = 32
_LEGENDRE = np.polynomial.legendre.leggauss(20)


class Bernoulli(Likelihood):
    """P(y = 1 | m) = link⁻¹(η), where η = bias + m with a learned bias.

    With the probit link all but the evidence term is closed: E[Φ(η)] = Φ(f/√(1 + s²)). The
    logistic function is a mixture of such terms (`logistic_mixture`), so it needs no quadrature
    over m either.

    Attributes:
        link: "logit" or "probit".

    Example:
        >>> import jax.numpy as jnp
        >>> coin = Bernoulli.create(0.25, jnp.float32)
        >>> mean, variance = coin.predictive_moments(jnp.array(0.0), jnp.array(0.0))
        >>> round(mean.item(), 4), round(variance.item(), 4)
        (0.25, 0.1875)
    """

    observes: ClassVar[Observes] = "binary"
    bias: Float[Array, ""]
    link: Link = eqx.field(static=True)

    @classmethod
    def create(cls, probability: float, dtype: DTypeLike, *, link: Link = "logit") -> "Bernoulli":
        """Values that are 1 with the given probability where m is zero."""
        if link == "logit":
            bias = math.log(probability) - math.log1p(-probability)
        else:
            bias = NormalDist().inv_cdf(probability)
        return cls(bias=jnp.asarray(bias, dtype), link=link)

    def expected_log_prob(
        self, y: Float[Array, "*n"], mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> Float[Array, "*n"]:
        """-E[softplus(-η)] or E[log Φ(η)], with the sign of η turned where y = 0."""
        f = (2.0 * y - 1.0) * (self.bias + mean)
        if self.link == "logit":
            return -expected_softplus(-f, variance)
        # log Φ bends on the scale of one and is a parabola far out: few nodes will do.
        x, weight = (jnp.asarray(u, f.dtype) for u in gauss_hermite(_NODES))
        eta = f[..., None] + positive_deviation(variance)[..., None] * x
        return jnp.sum(weight * log_ndtr(eta), axis=-1)

    def log_predictive(
        self, y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """Log P(y), to its own relative accuracy also where it is tiny."""
        f = (2.0 * y - 1.0) * (self.bias + mean)
        if self.link == "probit":
            return log_ndtr(f / jnp.sqrt(1.0 + variance))
        v, log_weight = (jnp.asarray(u, f.dtype) for u in logistic_mixture(64, 12.0))
        z = f[..., None] / jnp.sqrt(variance[..., None] + v)
        return jax.nn.logsumexp(log_weight + log_ndtr(z), axis=-1)

    def predictive_moments(
        self, mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """P(y = 1), and p(1 - p) of that."""
        p = self._probability(mean, variance)
        return p, p * (1.0 - p)

    def signal_moments(
        self, mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """Mean and variance of the probability."""
        f = self.bias + mean
        p = self._probability(mean, variance)
        if self.link == "logit":
            noise = _expected_logistic_density(f, variance)  # E[σ(1 - σ)] = E[σ']
        else:
            noise = 2.0 * _owens_t(f / jnp.sqrt(1.0 + variance), variance)
        return p, jnp.maximum(p * (1.0 - p) - noise, 0.0)

    def predictive_cdf(
        self, y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """A step of 1 - P(y = 1) at zero and one of P(y = 1) at one."""
        none = 1.0 - self._probability(mean, variance)
        some = jnp.where(y < 1.0, none, jnp.ones_like(none))
        return jnp.where(y < 0.0, jnp.zeros_like(some), some)

    def band_cdf(
        self, x: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """P(probability ≤ x): an interval of 0 or 1 would say little."""
        eta = logit(x) if self.link == "logit" else ndtri(x)
        return ndtr((eta - self.bias - mean) / positive_deviation(variance))

    def sample(self, key: Key[Array, ""], m: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """0 or 1 for each latent value."""
        eta = self.bias + m
        p = jax.nn.sigmoid(eta) if self.link == "logit" else ndtr(eta)
        return jax.random.bernoulli(key, p).astype(m.dtype)

    def _probability(
        self, mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        f = self.bias + mean
        if self.link == "probit":
            return ndtr(f / jnp.sqrt(1.0 + variance))
        v, log_weight = (jnp.asarray(u, f.dtype) for u in logistic_mixture())
        z = f[..., None] / jnp.sqrt(variance[..., None] + v)
        # The weights' sum may be a rounding error above one.
        return jnp.minimum(jnp.sum(jnp.exp(log_weight) * ndtr(z), axis=-1), 1.0)


def _expected_logistic_density(
    f: Float[Array, "*n"], variance: Float[Array, "*n"]
) -> Float[Array, "*n"]:
    """E[σ'(η)]: each normal of the mixture gives a normal density of f."""
    v, log_weight = (jnp.asarray(u, f.dtype) for u in logistic_mixture())
    total = variance[..., None] + v
    density = jnp.exp(-0.5 * f[..., None] ** 2 / total) / jnp.sqrt(2.0 * math.pi * total)
    return jnp.sum(jnp.exp(log_weight) * density, axis=-1)


def _owens_t(h: Float[Array, "*n"], variance: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """Owen's T(h, a) with a = 1/√(1 + 2 variance): E[Φ(η)²] = Φ(h) - 2 T(h, a).

    The integral of exp(-h²(1 + x²)/2)/(1 + x²)/2π from 0 to a, by Gauss-Legendre.
    """
    node, weight = (jnp.asarray(u, h.dtype) for u in _LEGENDRE)
    a = 1.0 / jnp.sqrt(1.0 + 2.0 * variance)[..., None]
    square = 1.0 + (0.5 * a * (1.0 + node)) ** 2
    terms = weight * jnp.exp(-0.5 * jnp.minimum(h[..., None] ** 2, 200.0) * square) / square
    return jnp.sum(0.5 * a * terms, axis=-1) / (2.0 * math.pi)
