import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.posteriors import (
    WhitenedGaussian,
    WhitenedMatrixGaussian,
    gaussian_kl,
    matrix_gaussian_kl,
)
from reference import gaussians
from reference.kernels import gram, squared_exponential
from reference.random_models import triangle

SEEDS = range(4)


def _prior(rng, a):
    """A nontrivial prior covariance from a kernel, and its factor."""
    X = 1.5 * rng.normal(size=(a, 2))
    K = gram(squared_exponential, X, X, rng.uniform(0.5, 2), [1.0, 0.7]) + 1e-6 * np.eye(a)
    return K, np.linalg.cholesky(K)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_whitened_gaussian_kl_is_the_unwhitened_one(x64, seed):
    rng = np.random.default_rng(seed)
    a = 5
    m, S = rng.normal(size=a), triangle(rng, a)
    K, L_Z = _prior(rng, a)
    unwhitened = gaussians.kl(L_Z @ m, L_Z @ S @ S.T @ L_Z.T, np.zeros(a), K)
    ours = float(gaussian_kl(jnp.asarray(m), jnp.asarray(S)))
    assert ours == pytest.approx(unwhitened, rel=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_whitened_matrix_kl_is_the_one_through_the_kronecker_covariance(x64, seed):
    rng = np.random.default_rng(seed)
    a, C = 3, 4
    A, L, R = rng.normal(size=(a, C)), triangle(rng, a), triangle(rng, C)
    K_Z, L_Z = _prior(rng, a)
    Omega, L_Omega = _prior(rng, C)
    unwhitened = gaussians.matrix_kl(
        L_Z @ A @ L_Omega.T,
        L_Z @ L @ L.T @ L_Z.T,
        L_Omega @ R @ R.T @ L_Omega.T,
        K_Z,
        Omega,
    )
    ours = float(matrix_gaussian_kl(*(jnp.asarray(x) for x in (A, L, R))))
    assert ours == pytest.approx(unwhitened, rel=1e-5)


def test_the_matrix_kl_of_a_stack_is_the_kl_of_each(x64):
    rng = np.random.default_rng(0)
    A, L, R = rng.normal(size=(3, 2, 4)), triangle(rng, 3, 2), triangle(rng, 3, 4)
    together = matrix_gaussian_kl(*(jnp.asarray(x) for x in (A, L, R)))
    each = [matrix_gaussian_kl(*(jnp.asarray(x[r]) for x in (A, L, R))) for r in range(3)]
    np.testing.assert_allclose(together, jnp.stack(each), rtol=1e-12)


# Monte Carlo: within 4.5 standard errors; false alarm 7e-6 for each comparison.


def test_the_gaussian_kl_agrees_with_monte_carlo(x64):
    rng = np.random.default_rng(7)
    q = WhitenedGaussian(jnp.asarray(rng.normal(size=3)), jnp.asarray(triangle(rng, 3)))
    draws = np.asarray(jax.vmap(q.sample)(jax.random.split(jax.random.key(0), 4000)))
    m, cov = np.asarray(q.m), np.asarray(q.S @ q.S.T)
    gap = draws - m
    log_q = gaussians.log_density(m, m, cov) - 0.5 * np.sum(gap @ np.linalg.inv(cov) * gap, 1)
    log_p = -0.5 * np.sum(draws**2, 1) - 1.5 * np.log(2 * np.pi)
    ratio = log_q - log_p
    assert abs(ratio.mean() - float(q.kl())) < 4.5 * ratio.std() / np.sqrt(len(ratio))


def test_the_matrix_kl_agrees_with_monte_carlo(x64):
    rng = np.random.default_rng(8)
    a, C = 2, 3
    q = WhitenedMatrixGaussian(
        A=jnp.asarray(rng.normal(size=(1, a, C))),
        raw_L=jnp.asarray(0.5 * rng.normal(size=(1, a, a))),
        raw_R=jnp.asarray(0.5 * rng.normal(size=(1, C, C))),
    )
    draws = np.asarray(jax.vmap(q.sample)(jax.random.split(jax.random.key(1), 2000)))[:, 0]
    A, L, R = (np.asarray(x[0]) for x in (q.A, q.L, q.R))
    ratio = np.array(
        [
            gaussians.matrix_log_density(G, A, L @ L.T, R @ R.T)
            - gaussians.matrix_log_density(G, np.zeros((a, C)), np.eye(a), np.eye(C))
            for G in draws
        ]
    )
    assert abs(ratio.mean() - float(q.kl())) < 4.5 * ratio.std() / np.sqrt(len(ratio))


def test_draws_of_the_matrix_posterior_have_the_kronecker_covariance(x64):
    rng = np.random.default_rng(9)
    q = WhitenedMatrixGaussian(
        A=jnp.asarray(rng.normal(size=(1, 2, 2))),
        raw_L=jnp.asarray(0.5 * rng.normal(size=(1, 2, 2))),
        raw_R=jnp.asarray(0.5 * rng.normal(size=(1, 2, 2))),
    )
    n = 20_000
    draws = np.asarray(jax.vmap(q.sample)(jax.random.split(jax.random.key(2), n)))
    flat = draws.reshape(n, 4)
    L, R = np.asarray(q.L[0]), np.asarray(q.R[0])
    cov = np.kron(L @ L.T, R @ R.T)
    deviation = np.sqrt(np.diag(cov))
    assert np.all(np.abs(flat.mean(0) - np.asarray(q.A).ravel()) < 4.5 * deviation / np.sqrt(n))
    # Var of an empirical covariance: (c_ii c_jj + c_ij²)/n.
    error = np.sqrt((np.outer(np.diag(cov), np.diag(cov)) + cov**2) / n)
    assert np.all(np.abs(np.cov(flat.T) - cov) < 4.5 * error)


def test_the_kl_is_zero_at_the_prior_and_positive_elsewhere():
    assert WhitenedGaussian.create(4, 1.0, jnp.float32).kl().item() == 0.0
    q = WhitenedMatrixGaussian.create(2, 3, 4, 0.1, jax.random.key(0), jnp.float32)
    assert q.kl().item() > 1.0


def test_project_gives_the_moments_of_a_linear_form(x64):
    rng = np.random.default_rng(3)
    q = WhitenedGaussian(jnp.asarray(rng.normal(size=4)), jnp.asarray(rng.normal(size=(4, 4))))
    W = rng.normal(size=(6, 4))
    mean, variance = q.project(jnp.asarray(W))
    cov = np.asarray(q.S) @ np.asarray(q.S).T
    np.testing.assert_allclose(mean, W @ np.asarray(q.m), rtol=1e-12)
    np.testing.assert_allclose(variance, [w @ cov @ w for w in W], rtol=1e-12)
