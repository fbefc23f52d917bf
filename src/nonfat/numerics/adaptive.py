"""Gauss-Hermite quadrature around the mode of the integrand."""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from nonfat.numerics.quadrature import gauss_hermite

__all__ = ["log_expectation", "positive_deviation"]

_NODES = 40
_STEPS = 24

Slopes = Callable[[Array], tuple[Array, Array]]


def log_expectation(
    log_g: Callable[[Array], Array],
    slopes: Slopes,
    mean: Float[Array, "*n"],
    deviation: Float[Array, "*n"],
    start: Float[Array, "*n"],
) -> Float[Array, "*n"]:
    """Log E[g(η)] for η ~ N(mean, deviation²) and a log-concave g, however narrow g is.

    The nodes lie around the mode of g times the normal density, as far apart as the curvature
    there says. They are held fixed in differentiation: a quadrature rule's value does not depend
    on its nodes but for its error.

    Args:
        log_g: log g of an array with one more axis, the last.
        slopes: first and second derivative of log g, of an array like `mean`.
        mean: of η.
        deviation: of η; positive.
        start: a guess of the mode in η.
    """
    z, width = jax.lax.stop_gradient(_mode(slopes, mean, deviation, start))
    node, weight = gauss_hermite(_NODES)
    x = jnp.asarray(node, mean.dtype)
    # The rule holds the factor exp(-x²/2)/√2π: its inverse joins the integrand.
    log_weight = jnp.asarray(np.log(weight) + 0.5 * node**2, mean.dtype)
    at = z[..., None] + width[..., None] * x
    eta = mean[..., None] + deviation[..., None] * at
    log_terms = log_g(eta) - 0.5 * at**2 + log_weight
    return jax.nn.logsumexp(log_terms, axis=-1) + jnp.log(width)


def _mode(
    slopes: Slopes, mean: Float[Array, "*n"], deviation: Float[Array, "*n"], start: Array
) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
    """Mode in z = (η - mean)/deviation, and the width 1/√curvature there.

    Newton's method within a bracket. With h(z) = deviation (log g)'(η) - z falling in z, the root
    lies between 0 and h(0).
    """

    def h(z: Array) -> tuple[Array, Array]:
        first, second = slopes(mean + deviation * z)
        return deviation * first - z, deviation**2 * second - 1.0

    def step(_: Int[Array, ""], state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        z, low, high = state
        value, slope = h(z)
        low, high = jnp.where(value > 0, z, low), jnp.where(value > 0, high, z)
        newton = z - value / slope
        inside = (newton >= low) & (newton <= high)
        return jnp.where(inside, newton, 0.5 * (low + high)), low, high

    reach = h(jnp.zeros_like(mean))[0]
    low, high = jnp.minimum(reach, 0.0), jnp.maximum(reach, 0.0)
    first = jnp.clip((start - mean) / deviation, low, high)
    z, _, _ = jax.lax.fori_loop(0, _STEPS, step, (first, low, high))
    return z, 1.0 / jnp.sqrt(-h(z)[1])


def positive_deviation(variance: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """√variance, with a floor at 1e-6: the slope of the root has no limit at zero.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> bool(jnp.isfinite(jax.grad(positive_deviation)(jnp.array(0.0))))
        True
    """
    return jnp.sqrt(jnp.maximum(variance, math.ldexp(1.0, -40)))
