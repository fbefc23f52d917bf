import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import kstest, norm

from nonfat.combiners import SparseGP
from nonfat.likelihoods import Gaussian
from nonfat.numerics.bijectors import raw_triangular
from nonfat.numerics.cholesky import cholesky_pair
from nonfat.posteriors import WhitenedGaussian
from reference import gaussians
from reference.differences import directional_error
from reference.kernels import gram, squared_exponential
from reference.random_models import sparse_gp


def _gram(gp, X, Z):
    variance = float(gp.kernel.variance)
    lengthscale = np.exp(np.asarray(gp.kernel.log_lengthscale))
    return gram(squared_exponential, np.asarray(X), np.asarray(Z), variance, lengthscale)


@pytest.mark.parametrize("seed", range(4))
def test_marginals_agree_with_explicit_inverses(x64, seed):
    gp = sparse_gp(seed, a=5, D=2)
    V = np.random.default_rng(seed).normal(size=(8, 2))
    Kzz = _gram(gp, gp.Z, gp.Z)
    L_Z = np.linalg.cholesky(Kzz)
    cov_h = L_Z @ np.asarray(gp.posterior.S) @ np.asarray(gp.posterior.S).T @ L_Z.T
    mean_h = L_Z @ np.asarray(gp.posterior.m)
    variance = float(gp.kernel.variance)
    expected = gaussians.svgp_marginals(_gram(gp, V, gp.Z), Kzz, variance, mean_h, cov_h)
    ours = gp.marginals(jnp.asarray(V))
    np.testing.assert_allclose(ours[0], expected[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours[1], expected[1], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("seed", range(2))
def test_the_kl_is_the_unwhitened_one(x64, seed):
    gp = sparse_gp(seed, a=4, D=2)
    Kzz = _gram(gp, gp.Z, gp.Z)
    L_Z = np.linalg.cholesky(Kzz)
    root = L_Z @ np.asarray(gp.posterior.S)
    mean = L_Z @ np.asarray(gp.posterior.m)
    assert float(gp.kl()) == pytest.approx(
        gaussians.kl(mean, root @ root.T, 0 * mean, Kzz), rel=1e-6
    )


def test_with_the_prior_as_posterior_the_marginals_are_the_prior(x64):
    gp = sparse_gp(0, a=5, D=2)
    gp = eqx.tree_at(lambda g: g.posterior, gp, WhitenedGaussian.create(5, 1.0, jnp.float64))
    mean, variance = gp.marginals(jnp.asarray(np.random.default_rng(0).normal(size=(6, 2))))
    np.testing.assert_array_equal(mean, 0.0)
    np.testing.assert_allclose(variance, float(gp.kernel.variance), rtol=1e-8)


def _bound(gp, V, y, noise):
    """The evidence lower bound for inputs that are known."""
    f, s2 = gp.marginals(V)
    fit = Gaussian.create(noise, jnp.float64).expected_log_prob(y, f, s2)
    return float(jnp.sum(fit) - gp.kl())


def _data(seed, N=12):
    rng = np.random.default_rng(seed)
    return rng.uniform(-2, 2, size=(N, 2)), rng.normal(size=N), rng.uniform(0.1, 1.0)


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_never_exceeds_the_exact_log_marginal_likelihood(x64, seed):
    V, y, noise = _data(seed)
    gp = sparse_gp(seed, a=5, D=2)
    exact = gaussians.gp_log_marginal(_gram(gp, V, V), y, noise)
    assert _bound(gp, jnp.asarray(V), jnp.asarray(y), noise) < exact


def _optimal(gp, V, y, noise):
    """The same GP, its pseudo inputs the inputs, its q(ĥ) the exact posterior."""
    mean_h, cov_h = gaussians.optimal_posterior(_gram(gp, V, V), y, noise)
    _, P = cholesky_pair(gp.kernel(jnp.asarray(V), jnp.asarray(V)))
    P = np.asarray(P)
    S = np.linalg.cholesky(P @ cov_h @ P.T)
    q = WhitenedGaussian(jnp.asarray(P @ mean_h), raw_triangular(jnp.asarray(S)))
    return SparseGP(jnp.asarray(V), gp.kernel, q)


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_tight_where_pseudo_inputs_are_inputs_and_q_is_optimal(x64, seed):
    V, y, noise = _data(seed)
    gp = _optimal(sparse_gp(seed, a=12, D=2), V, y, noise)
    exact = gaussians.gp_log_marginal(_gram(gp, V, V), y, noise)
    # The jitter of 1e-9 moves the bound by about N * 1e-9 / noise.
    assert _bound(gp, jnp.asarray(V), jnp.asarray(y), noise) == pytest.approx(exact, abs=1e-5)


def test_any_move_away_from_the_optimal_posterior_lowers_the_bound(x64):
    V, y, noise = _data(0)
    gp = _optimal(sparse_gp(0, a=12, D=2), V, y, noise)
    best = _bound(gp, jnp.asarray(V), jnp.asarray(y), noise)
    rng = np.random.default_rng(1)
    for _ in range(4):
        moved = eqx.tree_at(
            lambda g: (g.posterior.m, g.posterior.raw_S),
            gp,
            (
                gp.posterior.m + 0.1 * rng.normal(size=12),
                gp.posterior.raw_S + 0.1 * rng.normal(size=(12, 12)),
            ),
        )
        assert _bound(moved, jnp.asarray(V), jnp.asarray(y), noise) < best - 1e-3


def test_predictions_with_the_optimal_posterior_are_those_of_the_exact_gp(x64):
    V, y, noise = _data(2)
    gp = _optimal(sparse_gp(2, a=12, D=2), V, y, noise)
    X = np.random.default_rng(3).uniform(-2, 2, size=(5, 2))
    inverse = np.linalg.inv(_gram(gp, V, V) + noise * np.eye(12))
    K = _gram(gp, X, V)
    mean, variance = gp.marginals(jnp.asarray(X))
    np.testing.assert_allclose(mean, K @ inverse @ y, atol=1e-6)
    expected = float(gp.kernel.variance) - np.diag(K @ inverse @ K.T)
    np.testing.assert_allclose(variance, expected, atol=1e-6)


def test_draws_agree_in_distribution_with_the_marginals(x64):
    """Moments within 4.5 standard errors (false alarm 7e-6 each); KS p > 1e-4."""
    gp, n = sparse_gp(4, a=4, D=2), 6000
    V = jnp.asarray(np.random.default_rng(5).normal(size=(3, 2)))
    mean, variance = map(np.asarray, gp.marginals(V))
    keys = jax.random.split(jax.random.key(0), (2, n))
    m = np.asarray(jax.jit(jax.vmap(lambda h, row: gp.draw(V, h, row)))(*keys))
    assert np.all(np.abs(m.mean(0) - mean) < 4.5 * np.sqrt(variance / n))
    assert np.all(np.abs(m.var(0) - variance) < 4.5 * variance * np.sqrt(2 / n))
    for i in range(3):
        assert kstest(m[:, i], norm(mean[i], np.sqrt(variance[i])).cdf).pvalue > 1e-4


def test_one_function_key_gives_one_function(x64):
    gp = eqx.tree_at(lambda g: g.Z, sparse_gp(6, a=4, D=1), jnp.linspace(-1, 1, 4)[:, None])
    h, other, row, last = jax.random.split(jax.random.key(1), 4)
    once, again = gp.draw(gp.Z, h, row), gp.draw(gp.Z, h, last)
    # On the pseudo inputs nothing is left open but the jitter.
    np.testing.assert_allclose(once, again, atol=1e-2)
    assert np.abs(np.asarray(gp.draw(gp.Z, other, row) - once)).max() > 0.1


def test_gradients_agree_with_finite_differences_also_where_inputs_coincide(x64):
    gp = sparse_gp(7, a=4, D=2)
    V = jnp.concatenate([gp.Z[:1], gp.Z[:1], jnp.array([[0.1, 0.2]])])
    weights = jnp.asarray(np.random.default_rng(0).normal(size=(2, 3)))

    def f(arguments):
        gp, V = arguments
        mean, variance = gp.marginals(V)
        return jnp.sum(weights[0] * mean + weights[1] * variance) + gp.kl()

    for seed in range(2):
        assert directional_error(f, (gp, V), seed) < 1e-5
