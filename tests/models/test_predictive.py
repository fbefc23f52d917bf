import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm, t

from nonfat.likelihoods import Bernoulli, Gaussian, NegativeBinomial, Poisson, StudentT
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


COUNTS = {
    "poisson": lambda dtype: Poisson.create(2.0, dtype),
    "negative binomial": lambda dtype: NegativeBinomial.create(2.0, 0.8, dtype),
}
BAND = jnp.array([0.0005, 0.025, 0.5, 0.9, 0.975, 0.9995])


def _mixture(likelihood, f, s2):
    dtype = likelihood.bias.dtype
    return Predictive(jnp.asarray(f, dtype), jnp.asarray(s2, dtype), likelihood)


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_quantiles_of_counts_are_the_least_that_reach_the_level(x64, name, dtype):
    """Also of mixtures that are skewed, and of hardly any counts at all."""
    f = np.array([[0.0, 2.0, -9.0, 6.0], [0.5, 4.0, -9.0, 6.1]])
    s2 = np.array([[0.1, 2.0, 0.0, 1e-4]] * 2)
    predictive = _mixture(COUNTS[name](dtype), f, s2)
    levels = jnp.asarray(BAND, dtype)
    ours = np.asarray(jax.jit(Predictive.quantile)(predictive, levels))
    assert ours.dtype == dtype
    np.testing.assert_array_equal(ours, np.round(ours))
    assert np.all(ours >= 0)
    assert np.all(np.diff(ours, axis=0) >= 0)
    assert np.all(ours[:, 2] <= 1)
    cdf = jax.jit(lambda y: jnp.mean(predictive.likelihood.predictive_cdf(y, f_, s_), axis=0))
    f_, s_ = predictive.f[:, None], predictive.s2[:, None]
    slack = 1e-6  # of single precision, compiled in two ways
    assert np.all(np.asarray(cdf(jnp.asarray(ours))) >= np.asarray(levels)[:, None] - slack)
    assert np.all(np.asarray(cdf(jnp.asarray(ours - 1))) < np.asarray(levels)[:, None] + slack)


def test_quantiles_of_counts_agree_with_draws():
    f = np.random.default_rng(0).normal(size=(4, 2))
    predictive = _mixture(COUNTS["poisson"](jnp.float32), f, np.full((4, 2), 0.5))
    keys = jax.random.split(jax.random.key(0), 8000)
    y = np.asarray(jax.jit(jax.vmap(predictive.sample))(keys)).reshape(-1, 2)
    for level in (0.1, 0.5, 0.9):
        k = np.asarray(predictive.quantile(jnp.array([level])))[0]
        error = 4.5 * np.sqrt(0.25 / len(y))
        assert np.all((y <= k).mean(0) > level - error)
        assert np.all((y < k).mean(0) < level + error)


def test_huge_counts_have_quantiles_in_single_precision():
    predictive = _mixture(COUNTS["poisson"](jnp.float32), np.full((1, 1), 18.0), np.ones((1, 1)))
    low, middle, high = np.asarray(predictive.quantile(jnp.array([0.025, 0.5, 0.975])))[:, 0]
    assert middle == pytest.approx(2 * np.exp(18.0), rel=1e-3)
    assert high / middle == pytest.approx(middle / low, rel=1e-3)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_quantiles_of_binary_values_are_probabilities(x64, link):
    f, s2 = np.array([[0.3, -30.0, 2.0]]), np.array([[0.8, 1.0, 0.0]])
    likelihood = Bernoulli.create(0.4, jnp.float64, link=link)
    ours = np.asarray(_mixture(likelihood, f, s2).quantile(BAND.astype(jnp.float64)))
    assert np.all((ours >= 0) & (ours <= 1))
    m = f + np.sqrt(s2) * norm.ppf(np.asarray(BAND, np.float64))[:, None] + float(likelihood.bias)
    expected = expit(m) if link == "logit" else norm.cdf(m)
    np.testing.assert_allclose(ours, expected, atol=1e-5)


@pytest.mark.parametrize("df", [2.011, 2.5, 30.0])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_quantiles_hold_with_very_heavy_tails(x64, df, dtype):
    noise = StudentT.create(0.3, df, dtype)
    predictive = Predictive(jnp.full((2, 1), 1.5, dtype), jnp.zeros((2, 1), dtype), noise)
    ours = np.asarray(predictive.quantile(jnp.asarray(BAND, dtype)))[:, 0]
    np.testing.assert_allclose(ours, t(df, 1.5, 0.3).ppf(np.asarray(BAND)), rtol=2e-3, atol=1e-4)


def test_the_signal_is_the_value_without_noise(case):
    predictive, _, _ = case
    for one, other in zip(predictive.signal(), predictive.latent(), strict=True):
        np.testing.assert_array_equal(one, other)
    counts = _mixture(COUNTS["poisson"](jnp.float64), np.array([[0.0], [1.0]]), np.zeros((2, 1)))
    mean, variance = counts.signal()
    rates = 2.0 * np.exp([0.0, 1.0])
    np.testing.assert_allclose(mean, rates.mean(), rtol=1e-9)
    np.testing.assert_allclose(variance, rates.var(), rtol=1e-9)
    np.testing.assert_allclose(counts.observed()[1], rates.var() + rates.mean(), rtol=1e-9)
