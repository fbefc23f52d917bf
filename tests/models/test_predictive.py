import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.likelihoods import Gaussian
from nonfat.models import Predictive
from reference import mixtures

NOISE = 0.2


@pytest.fixture(params=range(3))
def case(request, x64):
    rng = np.random.default_rng(request.param)
    f, s2 = 2.0 * rng.normal(size=(5, 3)), rng.uniform(0.01, 1.0, (5, 3))
    return Predictive(jnp.asarray(f), jnp.asarray(s2), Gaussian.create(NOISE, jnp.float64)), f, s2


def test_the_log_density_is_that_of_the_mixture(case):
    predictive, f, s2 = case
    y = np.random.default_rng(9).normal(size=3)
    expected = [mixtures.log_density(y[b], f[:, b], s2[:, b] + NOISE) for b in range(3)]
    np.testing.assert_allclose(predictive.log_density(jnp.asarray(y)), expected, rtol=1e-10)


def test_the_log_density_survives_an_observation_far_away():
    predictive = Predictive(jnp.zeros((4, 1)), jnp.ones((4, 1)), Gaussian.create(1.0, jnp.float32))
    far = predictive.log_density(jnp.array([100.0])).item()
    assert far == pytest.approx(-0.5 * np.log(4 * np.pi) - 100.0**2 / 4, rel=1e-5)


LEVELS = [1e-4, 0.025, 0.1, 0.5, 0.9, 0.975, 1 - 1e-4]


def test_quantiles_are_the_roots_of_the_mixtures_distribution_function(case):
    predictive, f, s2 = case
    ours = predictive.quantile(jnp.array(LEVELS))
    expected = [[mixtures.quantile(p, f[:, b], s2[:, b] + NOISE) for b in range(3)] for p in LEVELS]
    np.testing.assert_allclose(ours, expected, atol=1e-9)
    assert np.all(np.diff(ours, axis=0) > 0)


def test_quantiles_are_accurate_and_ordered_in_float32_with_modes_far_apart():
    f, s2 = np.array([[-50.0], [0.0], [80.0]], np.float32), np.full((3, 1), 1e-3, np.float32)
    predictive = Predictive(jnp.asarray(f), jnp.asarray(s2), Gaussian.create(0.01, jnp.float32))
    levels = np.linspace(0.01, 0.99, 50, dtype=np.float32)
    ours = np.asarray(predictive.quantile(jnp.asarray(levels)), np.float64)[:, 0]
    assert np.all(np.diff(ours) >= 0)
    for y, level in zip(ours, levels, strict=True):
        below, above = (mixtures.cdf(y + h, f[:, 0], s2[:, 0] + 0.01) for h in (-2e-3, 2e-3))
        assert below - 1e-3 <= level <= above + 1e-3


def test_moments_obey_the_law_of_total_variance(case):
    predictive, f, s2 = case
    for moments, variance in ((predictive.latent(), s2), (predictive.observed(), s2 + NOISE)):
        second = np.mean(f**2 + variance, axis=0)
        np.testing.assert_allclose(moments[0], f.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(moments[1], second - f.mean(axis=0) ** 2, rtol=1e-10)


def test_monte_carlo_agrees_with_moments_density_and_quantiles(case):
    """Moments within 4.5 standard errors (false alarm 7e-6 each), shares of rows likewise."""
    predictive, _, _ = case
    n = 8000
    keys = jax.random.split(jax.random.key(0), n)
    y = np.asarray(jax.jit(jax.vmap(predictive.sample))(keys))  # n x S x B, one for each draw
    y = y.reshape(-1, 3)
    mean, variance = map(np.asarray, predictive.observed())
    assert np.all(np.abs(y.mean(0) - mean) < 4.5 * np.sqrt(variance / len(y)))
    fourth = np.mean((y - mean) ** 4, axis=0)
    assert np.all(np.abs(y.var(0) - variance) < 4.5 * np.sqrt((fourth - variance**2) / len(y)))
    for level in (0.025, 0.5, 0.975):
        share = (y < np.asarray(predictive.quantile(jnp.array([level])))).mean(axis=0)
        assert np.all(np.abs(share - level) < 4.5 * np.sqrt(level * (1 - level) / len(y)))


def test_the_density_integrates_to_one_and_is_the_slope_of_the_quantiles(case):
    predictive, _, _ = case
    grid = jnp.linspace(-15.0, 15.0, 3001)
    density = np.exp(np.asarray(jax.vmap(lambda y: predictive.log_density(jnp.full(3, y)))(grid)))
    np.testing.assert_allclose(np.trapezoid(density, grid, axis=0), 1.0, atol=1e-6)
    low, middle, high = predictive.quantile(jnp.array([0.4999, 0.5, 0.5001]))
    slope = 2e-4 / np.asarray(high - low)
    np.testing.assert_allclose(np.exp(predictive.log_density(middle)), slope, rtol=1e-4)
