"""The paper's nested sampler of a trajectory value, literally (its Algorithm section).

First Ĝ, the whitened pseudo outputs; then G; then α, a row of F, from p(F | G); then u.
"""

import numpy as np

from reference.kernels import gram, squared_exponential


def sample_trajectory(rng, e, Z, variance, lengthscale, Omega, A, L, R, phi, size):
    """Draws of u(t) = Σ_c φ_c(t) α_c for one entity with embedding e, one r and one t."""
    Kzz = gram(squared_exponential, Z, Z, variance, lengthscale)
    kez = gram(squared_exponential, e[None], Z, variance, lengthscale)[0]
    L_Z, L_Omega = np.linalg.cholesky(Kzz), np.linalg.cholesky(Omega)
    weights = np.linalg.inv(Kzz) @ kez
    omega_j = variance - kez @ weights  # the entity's entry of the conditional row covariance
    u = np.empty(size)
    for n in range(size):
        S = rng.standard_normal(A.shape)
        G_hat = A + L @ S @ R.T
        G = L_Z @ G_hat @ L_Omega.T
        Gamma_j = weights @ G
        # α ~ MN(Γ_j, ω_j, Ω): one row, hence an ordinary Gaussian with covariance ω_j Ω.
        alpha = Gamma_j + np.sqrt(max(omega_j, 0.0)) * L_Omega @ rng.standard_normal(len(phi))
        u[n] = np.sum(phi * alpha)
    return u
