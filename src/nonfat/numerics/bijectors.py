"""Constrained values in the API, unconstrained arrays in the optimiser."""

import jax.numpy as jnp
from jaxtyping import Array, Float

__all__ = ["lower_triangular", "raw_triangular"]


def lower_triangular(raw: Float[Array, "*r a a"]) -> Float[Array, "*r a a"]:
    """A lower-triangular matrix with a positive diagonal from any square matrix.

    The diagonal is stored as its logarithm, the upper triangle is ignored.

    Example:
        >>> import jax.numpy as jnp
        >>> lower_triangular(jnp.array([[0.0, 9.0], [2.0, 0.0]])).tolist()
        [[1.0, 0.0], [2.0, 1.0]]
    """
    a = raw.shape[-1]
    eye = jnp.eye(a, dtype=raw.dtype)
    # exp of the diagonal only: exp(raw) * eye would overflow on large off-diagonal entries.
    diagonal = jnp.exp(jnp.diagonal(raw, axis1=-2, axis2=-1))
    return jnp.tril(raw, -1) + diagonal[..., None] * eye


def raw_triangular(L: Float[Array, "*r a a"]) -> Float[Array, "*r a a"]:
    """The inverse of `lower_triangular`.

    Example:
        >>> import jax.numpy as jnp
        >>> raw_triangular(jnp.array([[1.0, 0.0], [2.0, 1.0]])).tolist()
        [[0.0, 0.0], [2.0, 0.0]]
    """
    eye = jnp.eye(L.shape[-1], dtype=L.dtype)
    diagonal = jnp.log(jnp.diagonal(L, axis1=-2, axis2=-1))
    return jnp.tril(L, -1) + diagonal[..., None] * eye
