"""Nodes and weights of the quadrature rules."""

from functools import lru_cache

import numpy as np
from jaxtyping import Float64

__all__ = ["gauss_hermite", "gauss_laguerre"]


@lru_cache(maxsize=16)
def gauss_laguerre(C: int) -> tuple[Float64[np.ndarray, "C"], Float64[np.ndarray, "C"]]:
    """Nodes ω̂ and weights γ with ``Σ_c γ_c g(ω̂_c) ≈ ∫₀^∞ exp(-ω) g(ω) dω``.

    Args:
        C: number of nodes, 1 to 100 (beyond, the weights underflow).

    Returns:
        The nodes, ascending, and their weights.

    Example:
        >>> nodes, weights = gauss_laguerre(10)
        >>> round(float(weights @ nodes**3), 6)  # Γ(4) = 6
        6.0
    """
    nodes, weights = np.polynomial.laguerre.laggauss(C)
    return nodes, weights


@lru_cache(maxsize=16)
def gauss_hermite(n: int) -> tuple[Float64[np.ndarray, "n"], Float64[np.ndarray, "n"]]:
    """Nodes x and weights w with ``Σ_i w_i g(x_i) ≈ E[g(Z)]`` for a standard normal Z.

    Args:
        n: number of nodes, 1 to 180 (beyond, the outer weights underflow).

    Returns:
        The nodes, ascending, and their weights, which sum to one.

    Example:
        >>> nodes, weights = gauss_hermite(10)
        >>> round(float(weights @ nodes**4), 6)  # the fourth moment of a standard normal
        3.0
    """
    # NumPy's weights are those of exp(-x²/2): their sum, √2π, makes it the normal density.
    nodes, weights = np.polynomial.hermite_e.hermegauss(n)
    return nodes, weights / weights.sum()
