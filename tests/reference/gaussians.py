"""Gaussians through their full covariance matrices and explicit inverses."""

import numpy as np


def kl(mean, cov, prior_mean, prior_cov):
    """KL[N(mean, cov) ‖ N(prior_mean, prior_cov)], the textbook formula."""
    inverse = np.linalg.inv(prior_cov)
    gap = prior_mean - mean
    log_ratio = np.linalg.slogdet(prior_cov)[1] - np.linalg.slogdet(cov)[1]
    return 0.5 * (np.trace(inverse @ cov) + gap @ inverse @ gap - len(mean) + log_ratio)


def log_density(x, mean, cov):
    """Log N(x | mean, cov)."""
    gap = x - mean
    quadratic = gap @ np.linalg.inv(cov) @ gap
    return -0.5 * (len(gap) * np.log(2 * np.pi) + np.linalg.slogdet(cov)[1] + quadratic)


def matrix_log_density(G, M, U, V):
    """Log MN(G | M, U, V) for row covariance U and column covariance V: the paper's formula."""
    a, C = G.shape
    gap = G - M
    trace = np.trace(np.linalg.inv(V) @ gap.T @ np.linalg.inv(U) @ gap)
    log_norm = a * C * np.log(2 * np.pi) + C * np.linalg.slogdet(U)[1]
    return -0.5 * (trace + log_norm + a * np.linalg.slogdet(V)[1])


def matrix_kl(M, U, V, prior_U, prior_V):
    """KL[MN(M, U, V) ‖ MN(0, prior_U, prior_V)] through the Kronecker covariances (row-major)."""
    return kl(M.ravel(), np.kron(U, V), np.zeros(M.size), np.kron(prior_U, prior_V))


def gp_log_marginal(K, y, noise):
    """Exact log marginal likelihood of a GP with covariance K and noise variance `noise`."""
    return log_density(y, np.zeros(len(y)), K + noise * np.eye(len(y)))


def svgp_marginals(Kvz, Kzz, kvv, mean_h, cov_h):
    """Mean and variance of g(v) under q(h) = N(mean_h, cov_h), unwhitened (Hensman et al.)."""
    inverse = np.linalg.inv(Kzz)
    weights = Kvz @ inverse
    mean = weights @ mean_h
    variance = kvv - np.diag(weights @ Kvz.T) + np.diag(weights @ cov_h @ weights.T)
    return mean, variance


def optimal_posterior(Kzz, y, noise):
    """Mean and covariance of p(h | y) where the pseudo inputs are the inputs."""
    gain = Kzz @ np.linalg.inv(Kzz + noise * np.eye(len(y)))
    return gain @ y, Kzz - gain @ Kzz
