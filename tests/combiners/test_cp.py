"""CANDECOMP/PARAFAC against the product written out."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.interpolate import BSpline

from nonfat.combiners import CP, TimeSpline
from nonfat.kernels import Matern
from nonfat.posteriors import WhitenedGaussian
from reference import gaussians
from reference.differences import directional_error
from reference.random_models import raw, triangle

R, K = 2, 3


def cp(seed, knots=None, horizon=4.0):
    rng = np.random.default_rng(seed)
    C = 1 if knots is None else knots + 2
    posterior = jax.vmap(WhitenedGaussian)(
        jnp.asarray(rng.normal(size=(R, C))), raw(triangle(rng, R, C), np.float64)
    )
    if knots is None:
        return CP(posterior, None)
    kernel = Matern.create(0.5, 1.7, jnp.full(1, 0.4, np.float64))
    return CP(posterior, TimeSpline(kernel, knots, horizon))


def inputs(seed, clock, n=6):
    rng = np.random.default_rng(seed)
    V = rng.normal(size=(n, K * R))
    return np.concatenate([V, rng.uniform(0, 4, (n, 1))], axis=1) if clock else V


def written_out(model, v, weights):
    """Σ_r λ_r u¹_r u²_r u³_r for one row, from λ̂."""
    total = 0.0
    for r in range(R):
        weight = weights[r, 0]
        if model.spline:
            knots = model.spline.knots
            at = np.arange(-1, knots + 1) / (knots - 1)
            cov = 1.7 * np.exp(-np.abs(at[:, None] - at[None]) / 0.4)
            c = np.linalg.cholesky(cov + 1e-10 * np.eye(len(at))) @ weights[r]
            spline = BSpline(np.arange(-3, knots + 3) / (knots - 1), c, 3)
            weight = spline(v[-1] / model.spline.horizon)
        product = 1.0
        for k in range(K):
            product *= v[k * R + r]
        total += weight * product
    return total


@pytest.mark.parametrize("knots", [None, 5])
def test_the_mean_is_the_product_written_out(x64, knots):
    model, V = cp(0, knots), inputs(1, knots)
    expected = [written_out(model, v, np.asarray(model.posterior.m)) for v in V]
    np.testing.assert_allclose(model.marginals(jnp.asarray(V))[0], expected, rtol=1e-5)


@pytest.mark.parametrize("knots", [None, 5])
def test_draws_are_products_too_and_have_the_moments_of_the_marginals(x64, knots):
    model, V = cp(0, knots), jnp.asarray(inputs(1, knots))
    keys = jax.random.split(jax.random.key(0), 30_000)
    draws = np.asarray(jax.vmap(lambda key: model.draw(V, key, key))(keys))
    mean, variance = model.marginals(V)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=0.03 * np.sqrt(variance).max())
    np.testing.assert_allclose(draws.std(axis=0), np.sqrt(variance), rtol=0.03)


@pytest.mark.parametrize("knots", [None, 4])
def test_the_kl_is_the_sum_over_the_components(x64, knots):
    model = cp(2, knots)
    S, m = np.asarray(jax.vmap(lambda q: q.S)(model.posterior)), np.asarray(model.posterior.m)
    expected = sum(gaussians.kl(m[r], S[r] @ S[r].T, 0 * m[r], np.eye(len(m[r]))) for r in range(R))
    assert float(model.kl()) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("knots", [None, 4])
def test_the_gradient_agrees_with_finite_differences(x64, knots):
    V = jnp.asarray(inputs(3, knots))

    def total(model):
        mean, variance = model.marginals(V)
        return model.kl() + jnp.sum(jnp.sin(mean) + variance)

    assert directional_error(total, cp(3, knots), seed=0) < 1e-5


def test_beyond_its_knots_a_spline_stays_as_it_is(x64):
    model, V = cp(0, 5), inputs(1, True, n=2)
    V[:, -1], V[1, :-1] = [4.0, 99.0], V[0, :-1]
    mean, _ = model.marginals(jnp.asarray(V))
    assert mean[0] == mean[1]
