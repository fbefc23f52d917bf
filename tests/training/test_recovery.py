"""Data drawn from the model itself: training finds the latent values, their errors, the factors.

Six data sets; each is fitted from two starts, and the start with the higher evidence lower bound
counts (as for any objective with local optima; nothing about the truth is used). 800 noisy
observations of 30 cells that move in time, one trajectory for each of 6 + 5 entities. The fresh
rows are the whole grid of entities and times.
"""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.combiners import SparseGP
from nonfat.kernels import SquaredExponential
from nonfat.likelihoods import Gaussian
from nonfat.models import Predictive, Recipe, TensorModel, compose
from nonfat.times import Entries, SpectralBasis, Trajectories
from nonfat.training import ArraySource, Training, train

SHAPE, C, N, GRID, NOISE = (6, 5), 5, 800, 33, 0.2
DATA_SETS, STARTS = 6, 2
WIDTH = 8.0  # of level two, some six times the spread of its inputs: nearly additive


def true_model(key):
    """A draw of the embeddings; q is the prior, so that a draw of the model is one of the prior."""
    time_key, g_key = jax.random.split(key)
    basis = SpectralBasis.create(1, C, jnp.float32, nu=1.5, lengthscale=0.4)
    time = Trajectories.create(
        SHAPE, SHAPE, s=2, bases=(basis, basis), R=1, key=time_key, dtype=jnp.float32
    )
    posteriors = lambda t: [x for m in t.modes for x in jax.tree.leaves(m.posterior)]  # noqa: E731
    time = eqx.tree_at(posteriors, time, replace_fn=jnp.zeros_like)
    kernel = SquaredExponential.create(1.0, jnp.full(2, WIDTH))
    Z = 1.5 * jax.random.normal(g_key, (100, 2))
    g = SparseGP.create(kernel, Z, scale=1.0)
    return TensorModel(time, g, Gaussian.create(NOISE**2, jnp.float32))


@eqx.filter_jit
def _truth(model, entries, key):
    time_key = jax.random.split(key, 3)[0]  # as `TensorModel.draw` splits it
    return model.draw(entries, key), model.time.draw(entries, time_key)


@eqx.filter_jit
def _answers(model, entries, noise):
    predictive = Predictive(*model.latent_samples(entries, noise), model.likelihood)
    band = predictive.quantile(jnp.array([0.025, 0.975]))
    return predictive.latent()[0], band, model.time.marginals(entries)[0]


@dataclass
class Fit:
    """The truth and a fit of one data set; rows beyond N were not trained on."""

    m: np.ndarray
    y: np.ndarray
    v: np.ndarray
    mean: np.ndarray
    band: np.ndarray
    v_hat: np.ndarray


def fitted(seed):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, d, N) for d in SHAPE], axis=1)
    every = np.indices((*SHAPE, GRID)).reshape(3, -1)
    codes = np.concatenate([codes, every[:2].T]).astype(np.int32)
    time = np.concatenate([rng.uniform(0, 1, N), every[2] / (GRID - 1)]).astype(np.float32)
    rows = len(time)
    entries = Entries(codes, time, np.arange(rows, dtype=np.int32))
    keys = jax.random.split(jax.random.key(seed))
    m, v = map(np.asarray, _truth(true_model(keys[0]), entries, keys[1]))
    m = (m - m[:N].mean()) / m[:N].std()
    y = (m + NOISE * rng.normal(size=rows)).astype(np.float32)
    source = ArraySource(codes[:N], time[:N], y[:N], SHAPE, batch_size=200)
    recipe = Recipe("spectral", "gp", R=1, s=2, C=C, a_k=10, a_g=40)
    settings = Training(epochs=400, learning_rate=2e-2, warmup=0.3, patience=400)
    noise = Gaussian.create(0.1, jnp.float32)
    outcomes = [
        train(
            compose(recipe, noise, SHAPE, N, jax.random.key(start), jnp.float32), source, settings
        )
        for start in range(STARTS)
    ]
    best = max(outcomes, key=lambda x: np.mean([report.elbo for report in x.history[-20:]]))
    noise = jax.random.normal(jax.random.key(0), (100, 2))
    mean, band, v_hat = map(np.asarray, _answers(best.model, entries, noise))
    return Fit(m, y, v, mean, band, v_hat)


@pytest.fixture(scope="module")
def fits():
    return [fitted(seed) for seed in range(DATA_SETS)]


@pytest.mark.slow
def test_the_noiseless_latent_values_of_fresh_entries_are_recovered(fits):
    correlations = [np.corrcoef(fit.mean[N:], fit.m[N:])[0, 1] for fit in fits]
    assert min(correlations) > 0.95


@pytest.mark.slow
def test_bands_of_95_percent_hold_95_percent_of_fresh_observations(fits):
    """Pooled over data sets; 5,940 observations alone give a standard error of 0.3%."""
    inside = [(fit.y > fit.band[0]) & (fit.y < fit.band[1]) for fit in fits]
    share = np.mean([x[N:].mean() for x in inside])
    assert 0.93 < share < 0.97


@pytest.mark.slow
def test_trajectories_are_recovered_up_to_the_models_symmetries(fits):
    """By their correlation over entities and times, and more of it than by standing still.

    Scale and sign are free. The true level two is nearly additive, so a function of time may move
    from all entities of one mode to all of the other: what all share is taken off both sides.
    """
    moving, still = [], []
    for fit in fits:
        for true, found in zip(_own(fit.v), _own(fit.v_hat), strict=True):
            mean = np.broadcast_to(true.mean(axis=1, keepdims=True), true.shape)
            moving.append(abs(np.corrcoef(true.ravel(), found.ravel())[0, 1]))
            still.append(np.corrcoef(true.ravel(), mean.ravel())[0, 1])
    assert np.median(moving) > 0.97
    assert np.mean(np.array(moving) > 0.95) > 0.75
    assert np.median(still) < 0.85


def _own(v):
    """For each mode the trajectories of its entities, (d, GRID), without what they share."""
    for k in range(2):
        trajectories = v[N:, k].reshape(*SHAPE, GRID).mean(axis=1 - k)
        yield trajectories - trajectories.mean(axis=0)
