"""Cubic B-splines on even knots."""

import jax.numpy as jnp
from jaxtyping import Array, Float

__all__ = ["cubic_splines"]


def cubic_splines(x: Float[Array, "n"], knots: int) -> Float[Array, "n c"]:
    """The ``knots + 2`` cubic B-splines over `knots` even knots from 0 to 1, at each x.

    Outside of that range the splines stay as they are at its end. They add up to one everywhere.

    Args:
        x: where.
        knots: at least two.

    Example:
        >>> import jax.numpy as jnp
        >>> B = cubic_splines(jnp.array([0.0, 0.3]), 5)
        >>> B.shape, [round(float(total), 6) for total in B.sum(axis=1)]
        ((2, 7), [1.0, 1.0])
    """
    position = jnp.clip(x, 0.0, 1.0) * (knots - 1)
    # The c-th spline is the cardinal one, of support four knots, centred on knot c - 1.
    distance = jnp.abs(position[:, None] - jnp.arange(-1, knots + 1, dtype=x.dtype))
    near = (4.0 - 3.0 * distance**2 * (2.0 - distance)) / 6.0
    far = jnp.maximum(2.0 - distance, 0.0) ** 3 / 6.0
    return jnp.where(distance < 1.0, near, far)
