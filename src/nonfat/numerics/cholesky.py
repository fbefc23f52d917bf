"""Cholesky factors that survive rounding, with a derivative made of matrix products only."""

import jax
import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float

__all__ = ["cholesky_pair", "half_lower"]

_MAX_TRIES = 6


def half_lower(M: Float[Array, "*r a a"]) -> Float[Array, "*r a a"]:
    """The lower triangle with its diagonal halved: the Φ of the Cholesky derivative."""
    a = M.shape[-1]
    return M * (jnp.tril(jnp.ones((a, a), M.dtype), -1) + 0.5 * jnp.eye(a, dtype=M.dtype))


def _jitter(dtype: jnp.dtype) -> float:
    """The first jitter, relative to the mean of the diagonal."""
    return 1e-5 if dtype == jnp.float32 else 1e-9


def _growing_cholesky(K: Float[Array, "*r a a"]) -> Float[Array, "*r a a"]:
    """Lower factor of ``K + jitter``; the jitter of a matrix that fails grows tenfold a try."""
    eye = jnp.eye(K.shape[-1], dtype=K.dtype)
    mean = jnp.mean(jnp.diagonal(K, axis1=-2, axis2=-1), axis=-1)
    first = _jitter(K.dtype) * mean[..., None, None] * eye

    def failed(L: Float[Array, "*r a a"]) -> Float[Array, "*r 1 1"]:
        return jnp.any(~jnp.isfinite(L), axis=(-2, -1), keepdims=True).astype(K.dtype)

    def attempt(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        tries, power, L = carry
        power = power + failed(L)
        return tries + 1, power, jnp.linalg.cholesky(K + 10.0**power * first)

    def unfinished(carry: tuple[Array, Array, Array]) -> Array:
        tries, _, L = carry
        return (tries < _MAX_TRIES) & jnp.any(failed(L) > 0)

    # The loop starts from a failure, so that the factorisation is compiled once.
    start = (jnp.array(0), jnp.full((*K.shape[:-2], 1, 1), -1.0, K.dtype), K * jnp.nan)
    return jax.lax.while_loop(unfinished, attempt, start)[2]


@jax.custom_jvp
def cholesky_pair(
    K: Float[Array, "*r a a"],
) -> tuple[Float[Array, "*r a a"], Float[Array, "*r a a"]]:
    """The lower Cholesky factor ``L`` of ``K`` and its inverse ``P = L⁻¹``.

    A little jitter is always added; it grows when a factorisation fails, and a matrix that no
    jitter can save gives NaN, which the training loop detects. The inverse is formed once, so
    that work on a batch is a matrix product rather than a triangular solve.

    Args:
        K: symmetric positive (semi-)definite matrices.

    Returns:
        ``L`` and ``P`` with ``L Lᵀ ≈ K`` and ``P L = I``.

    Example:
        >>> import jax.numpy as jnp
        >>> L, P = cholesky_pair(jnp.array([[4.0, 2.0], [2.0, 3.0]]))
        >>> bool(jnp.allclose(P @ L, jnp.eye(2), atol=1e-5))
        True
    """
    L = _growing_cholesky(K)
    eye = jnp.broadcast_to(jnp.eye(K.shape[-1], dtype=K.dtype), K.shape)
    return L, solve_triangular(L, eye, lower=True)


@cholesky_pair.defjvp
def _cholesky_pair_jvp(
    primals: tuple[Array], tangents: tuple[Array]
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    # dL = L Φ(P dK Pᵀ) and dP = -Φ(P dK Pᵀ) P: products only, so the reverse mode is too.
    (K,), (dK,) = primals, tangents
    L, P = cholesky_pair(K)
    Phi = half_lower(P @ dK @ jnp.swapaxes(P, -1, -2))
    return (L, P), (L @ Phi, -Phi @ P)
