"""φ(t) and Ω of both bases, from their definitions."""

import math

import numpy as np

from nonfat.times import LaguerreBasis
from reference.kernels import gram, squared_exponential


def functions_and_covariance(basis, r, t):
    """φ(t) ∈ R^C and Ω_r ∈ R^{C×C}."""
    if isinstance(basis, LaguerreBasis):
        return _laguerre(basis, r, t)
    return _spectral(basis, r, t)


def _laguerre(basis, r, t):
    nodes, weights = np.polynomial.laguerre.laggauss(basis.size)
    phi = np.array(
        [g / math.pi * math.cos(w * basis.horizon * t) for w, g in zip(nodes, weights, strict=True)]
    )
    lengthscale = [math.exp(basis.log_lengthscale[r])]
    return phi, gram(squared_exponential, nodes[:, None], nodes[:, None], 1.0, lengthscale)


def _spectral(basis, r, t):
    M = (basis.size - 1) // 2
    omega = [2 * math.pi * c / basis.period for c in range(1, M + 1)]
    lam = math.sqrt(2 * basis.nu) / math.exp(basis.log_lengthscale[r])
    density = np.array([(lam**2 + w**2) ** -(basis.nu + 0.5) for w in omega])
    share = density / density.sum()
    end = min(max(t, 0.0), 1.0)
    x = lam * abs(t - end)
    rho = math.exp(-x) * {0.5: 1.0, 1.5: 1 + x, 2.5: 1 + x + x * x / 3}[basis.nu]
    phi = [1.0] + [rho * f(w * end) for f in (math.cos, math.sin) for w in omega]
    offset = math.exp(basis.log_offset[r]) ** 2
    return np.array(phi), np.diag(np.concatenate([[offset], share, share]))
