"""Kullback-Leibler divergences from whitened priors: no inverse, no determinant of a kernel."""

import jax.numpy as jnp
from jaxtyping import Array, Float

__all__ = ["gaussian_kl", "matrix_gaussian_kl"]


def _log_diagonal(L: Float[Array, "*r a a"]) -> Float[Array, "*r a"]:
    return jnp.log(jnp.diagonal(L, axis1=-2, axis2=-1))


def _squares(X: Float[Array, "*r a b"]) -> Float[Array, "*r"]:
    return jnp.sum(X * X, axis=(-2, -1))


def gaussian_kl(m: Float[Array, "a"], S: Float[Array, "a a"]) -> Float[Array, ""]:
    """KL[N(m, SSᵀ) ‖ N(0, I)] = ½(‖S‖² + ‖m‖² - a) - Σ log S_ii, for lower-triangular S.

    Example:
        >>> import jax.numpy as jnp
        >>> gaussian_kl(jnp.array([1.0]), jnp.eye(1)).item()
        0.5
    """
    a = m.shape[0]
    return 0.5 * (_squares(S) + jnp.sum(m * m) - a) - jnp.sum(_log_diagonal(S))


def matrix_gaussian_kl(
    A: Float[Array, "*r a C"], L: Float[Array, "*r a a"], R: Float[Array, "*r C C"]
) -> Float[Array, "*r"]:
    """KL[MN(A, LLᵀ, RRᵀ) ‖ MN(0, I, I)] for lower-triangular L and R.

    ``½[‖L‖²‖R‖² + ‖A‖² - aC] - C Σ log L_ii - a Σ log R_cc``, because
    tr(RRᵀ ⊗ LLᵀ) = ‖L‖²‖R‖² and log|RRᵀ ⊗ LLᵀ| = 2C Σ log L_ii + 2a Σ log R_cc.

    Example:
        >>> import jax.numpy as jnp
        >>> matrix_gaussian_kl(jnp.ones((2, 3)), jnp.eye(2), jnp.eye(3)).item()
        3.0
    """
    a, C = A.shape[-2:]
    log_volume = C * jnp.sum(_log_diagonal(L), -1) + a * jnp.sum(_log_diagonal(R), -1)
    return 0.5 * (_squares(L) * _squares(R) + _squares(A) - a * C) - log_volume
