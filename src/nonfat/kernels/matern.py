"""Matérn kernels: rougher than the squared exponential, and their spectra."""

import math

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from nonfat.kernels.base import Kernel
from nonfat.kernels.distance import squared_distance

__all__ = ["Matern", "Smoothness", "matern_correlation", "matern_spectrum"]

Smoothness = float
"""ν, one of 0.5, 1.5 and 2.5 (a `Literal` may not hold floats)."""


def _safe_root(x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """√x with a zero gradient at zero, where the true one is infinite."""
    positive = x > 0
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, x, 1.0)), 0.0)


class Matern(Kernel):
    """The Matérn kernel of smoothness ν = 1/2, 3/2 or 5/2, a length-scale for each input.

    With r the distance in length-scales: σ² times `matern_correlation`.

    Example:
        >>> import jax.numpy as jnp
        >>> kernel = Matern.create(0.5, variance=1.0, lengthscale=jnp.ones(1))
        >>> round(kernel(jnp.zeros((1, 1)), jnp.ones((1, 1))).item(), 4)  # exp(-1)
        0.3679
    """

    log_variance: Float[Array, ""]
    log_lengthscale: Float[Array, "D"]
    nu: Smoothness = eqx.field(static=True)

    @classmethod
    def create(cls, nu: Smoothness, variance: float, lengthscale: Float[Array, "D"]) -> "Matern":
        """A kernel from its parameters in their own units."""
        lengthscale = jnp.asarray(lengthscale)
        log_variance = jnp.log(jnp.asarray(variance, lengthscale.dtype))
        return cls(log_variance=log_variance, log_lengthscale=jnp.log(lengthscale), nu=nu)

    def __call__(self, X: Float[Array, "n D"], Z: Float[Array, "a D"]) -> Float[Array, "n a"]:
        """The covariance matrix κ(X, Z)."""
        inverse = jnp.exp(-self.log_lengthscale)
        r = _safe_root(squared_distance(X * inverse, Z * inverse))
        return jnp.exp(self.log_variance) * matern_correlation(r, self.nu)

    @property
    def variance(self) -> Float[Array, ""]:
        """κ(x, x) = σ²."""
        return jnp.exp(self.log_variance)


def matern_correlation(r: Float[Array, "*n"], nu: Smoothness) -> Float[Array, "*n"]:
    """With ``x = √(2ν) r``: e⁻ˣ times 1, (1 + x) or (1 + x + x²/3), for ν = 1/2, 3/2, 5/2.

    Example:
        >>> import jax.numpy as jnp
        >>> matern_correlation(jnp.array(0.0), 1.5).item()
        1.0
    """
    x = math.sqrt(2.0 * nu) * r
    polynomial = {0.5: jnp.ones_like(x), 1.5: 1.0 + x, 2.5: 1.0 + x + x * x / 3.0}[nu]
    return jnp.exp(-x) * polynomial


def matern_spectrum(
    omega: Float[Array, "*#c"], lengthscale: Float[Array, "*#c"], nu: Smoothness
) -> Float[Array, "*c"]:
    """Spectral density S(ω) of the one-dimensional Matérn kernel with σ² = 1.

    With λ = √(2ν)/ℓ: ``S(ω) = 2√π Γ(ν+½)/Γ(ν) λ^{2ν} (λ² + ω²)^{-(ν+½)}``, in the convention
    ``κ(τ) = (1/2π) ∫ S(ω) cos(ωτ) dω``.

    Example:
        >>> import jax.numpy as jnp
        >>> matern_spectrum(jnp.array(0.0), jnp.array(1.0), 0.5).item()  # ∫ exp(-|τ|) dτ
        2.0
    """
    rate = math.sqrt(2.0 * nu) / lengthscale
    constant = 2.0 * math.sqrt(math.pi) * math.gamma(nu + 0.5) / math.gamma(nu)
    return constant * rate ** (2.0 * nu) * (rate**2 + omega**2) ** -(nu + 0.5)
