"""Nodes and weights of the quadrature rules."""

from functools import lru_cache

import numpy as np
from jaxtyping import Float64

__all__ = ["gauss_laguerre"]


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
