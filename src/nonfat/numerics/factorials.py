"""Factorials of large numbers without cancellation, and an exponential that cannot overflow."""

import math

import jax.numpy as jnp
from jax.scipy.special import gammaln, xlogy
from jaxtyping import Array, Float

__all__ = ["bounded_exp", "stirling"]

_SERIES_FROM = 10.0
_STEEPEST = 25.0


def stirling(x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """P(x) = log Γ(x + 1) - x log x + x, which is log √(2πx) for large x.

    Log densities of counts are small differences of log Γ at large arguments, which in single
    precision have no correct digit from about 1e6 on. Written with P the large terms are gone.

    Example:
        >>> import jax.numpy as jnp
        >>> round(stirling(jnp.array(1e6)).item(), 4)  # log √(2π 10⁶)
        7.8267
    """
    large = jnp.maximum(x, _SERIES_FROM)
    inverse = 1.0 / large
    square = inverse * inverse
    correction = inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)))
    series = 0.5 * (math.log(2.0 * math.pi) + jnp.log(large)) + correction
    small = jnp.minimum(x, _SERIES_FROM)
    return jnp.where(x > _SERIES_FROM, series, gammaln(small + 1.0) - xlogy(small, small) + small)


def bounded_exp(x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """exp(x), which goes on along its tangent above x = 25.

    A step of the optimiser that goes too far must not end in infinite gradients. Holding the value
    instead would take away the slope that leads back; along the tangent both stay finite, also
    squared, in single precision.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> bool(jnp.isfinite(jax.grad(bounded_exp)(jnp.array(1e4))))
        True
    """
    return jnp.exp(jnp.minimum(x, _STEEPEST)) * (1.0 + jnp.maximum(x - _STEEPEST, 0.0))
