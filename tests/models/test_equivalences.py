"""Models that are special cases of each other give the same numbers."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.combiners import SparseGP
from nonfat.kernels import SquaredExponential
from nonfat.likelihoods import Gaussian
from nonfat.models import Batch, TensorModel
from nonfat.numerics.bijectors import raw_triangular
from nonfat.numerics.cholesky import cholesky_pair
from nonfat.posteriors import WhitenedGaussian
from nonfat.times import Continuous, Entries, Factors, Nowhere, SpectralBasis
from reference import gaussians
from reference.kernels import gram, squared_exponential
from reference.random_models import batch_of, sparse_gp, trajectories

SHAPE, R = (4, 3), 2


def still(seed):
    """Trajectories with a constant alone: no frequency has any variance."""
    return trajectories(seed, "spectral", SHAPE, C=1, R=R)


def test_trajectories_with_a_zero_spectrum_are_a_static_model(x64):
    time = still(0)
    entries = batch_of(0, SHAPE, B=9, T=5).entries
    mean, variance = time.marginals(entries)
    tables = []
    for mode, E in zip(time.modes, time.tables, strict=True):
        at = Entries(jnp.zeros((1, 2), int), jnp.zeros(1), jnp.zeros(1, int)).times
        e, t = mode.entity_part(E), mode.time_part(at)
        mu = (e.coefficients @ jnp.swapaxes(t.psi, -1, -2))[..., 0].T
        s2 = (e.residual * t.power + e.spread * t.spread).T
        tables.append(jnp.concatenate([mu, 0.5 * jnp.log(s2)], axis=1))
    static = Factors(tuple(tables), Nowhere()).marginals(entries)
    np.testing.assert_allclose(mean, static[0], rtol=1e-10)
    np.testing.assert_allclose(variance, static[1], rtol=1e-10)


@pytest.mark.parametrize("lengthscale", [0.1, 3.0])
def test_a_basis_of_one_frequency_is_its_closed_form(x64, lengthscale):
    """κ(t, t') = offset² + cos(2π (t - t') / P), whatever the length-scale."""
    basis = SpectralBasis(
        jnp.log(jnp.array([lengthscale])), jnp.log(jnp.array([0.7])), size=3, period=1.3, nu=0.5
    )
    t = jnp.linspace(0, 1, 7)
    psi = basis.whitened(t)[0]
    expected = 0.49 + np.cos(2 * np.pi * (t[:, None] - t[None]) / 1.3)
    np.testing.assert_allclose(psi @ psi.T, expected, atol=1e-12)


def gpct(seed, N=10, noise=0.2):
    """GPCT whose factors are known, whose pseudo inputs are its inputs, at the optimal q(h)."""
    rng = np.random.default_rng(seed)
    known = tuple(
        jnp.concatenate([jnp.asarray(rng.normal(size=(d, R))), jnp.full((d, R), -40.0)], axis=1)
        for d in SHAPE
    )
    time = Factors(known, Continuous(5.0))
    batch = batch_of(seed, SHAPE, B=N, T=N)
    inputs, _ = time.marginals(batch.entries)
    lengthscale = rng.uniform(0.8, 2.0, inputs.shape[1])
    kernel = SquaredExponential.create(1.3, jnp.asarray(lengthscale))
    K = gram(squared_exponential, np.asarray(inputs), np.asarray(inputs), 1.3, lengthscale)
    mean, cov = gaussians.optimal_posterior(K, np.asarray(batch.value), noise)
    _, P = cholesky_pair(kernel(inputs, inputs))
    S = np.linalg.cholesky(np.asarray(P @ cov @ P.T) + 1e-12 * np.eye(N))
    g = SparseGP(inputs, kernel, WhitenedGaussian(P @ mean, raw_triangular(jnp.asarray(S))))
    return TensorModel(time, g, Gaussian.create(noise, jnp.float64)), batch, K


@pytest.mark.parametrize("seed", range(3))
def test_gpct_on_its_own_inputs_is_an_exact_gp(x64, seed):
    model, batch, K = gpct(seed)
    y = np.asarray(batch.value)
    new = batch_of(seed + 50, SHAPE, B=6, T=6).entries
    at, _ = model.time.marginals(new)
    X, (f, s2) = np.asarray(model.combiner.Z), model.combiner.marginals(at)
    lengthscale = np.exp(np.asarray(model.combiner.kernel.log_lengthscale))
    cross = gram(squared_exponential, np.asarray(at), X, 1.3, lengthscale)
    inverse = np.linalg.inv(K + 0.2 * np.eye(len(y)))
    np.testing.assert_allclose(f, cross @ inverse @ y, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(s2, 1.3 - np.sum(cross @ inverse * cross, axis=1), atol=1e-5)
    no_prior = Batch(
        batch.entries, batch.value, batch.offset, tuple(0 * w for w in batch.prior_weight)
    )
    bound = float(eqx.filter_jit(model.elbo)(no_prior, len(y), jax.random.key(0)))
    assert bound == pytest.approx(gaussians.gp_log_marginal(K, y, 0.2), abs=2e-3)


def test_time_that_nothing_depends_on_changes_nothing(x64):
    """Continuous time behind an endless length-scale is no time at all."""
    tables = trajectories(0, "spectral", SHAPE, s=2 * R).tables
    entries = batch_of(1, SHAPE, B=9, T=5).entries
    g = sparse_gp(2, a=6, D=2 * R)
    kernel = SquaredExponential(
        g.kernel.log_variance, jnp.append(g.kernel.log_lengthscale, jnp.log(1e8))
    )
    with_time = SparseGP(jnp.concatenate([g.Z, jnp.ones((6, 1))], axis=1), kernel, g.posterior)
    static, moving = Factors(tables, Nowhere()), Factors(tables, Continuous(10.0))
    answers = [
        combiner.marginals(time.marginals(entries)[0])
        for combiner, time in ((g, static), (with_time, moving))
    ]
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-6)
