"""Squared distances by one matrix product."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

__all__ = ["squared_distance"]


def squared_distance(X: Float[Array, "n D"], Z: Float[Array, "a D"]) -> Float[Array, "n a"]:
    """``‖x_i - z_j‖²`` for all pairs, never negative.

    Both sides are centred first: far from the origin ``‖x‖² + ‖z‖² - 2xᵀz`` would lose the
    digits that matter.

    Example:
        >>> import jax.numpy as jnp
        >>> squared_distance(jnp.array([[0.0, 3.0]]), jnp.array([[4.0, 0.0]])).item()
        25.0
    """
    # The distance does not depend on the centre, so no gradient flows through it.
    centre = jax.lax.stop_gradient(jnp.mean(Z, axis=0))
    X, Z = X - centre, Z - centre
    squares = jnp.sum(X * X, axis=1)[:, None] + jnp.sum(Z * Z, axis=1)[None, :]
    return jnp.maximum(squares - 2.0 * X @ Z.T, 0.0)
