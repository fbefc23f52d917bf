import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import kstest, norm

from nonfat.likelihoods import Gaussian


def _expectation(g, mean, variance):
    """E[g(m)] for m ~ N(mean, variance), by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite.hermgauss(80)
    return np.sum(weights * g(mean + np.sqrt(2 * variance) * nodes)) / np.sqrt(np.pi)


@pytest.fixture(params=range(5))
def case(request, x64):
    rng = np.random.default_rng(request.param)
    noise = rng.uniform(0.3, 2.0)
    y, mean, variance = rng.normal(), rng.normal(), rng.uniform(0.05, 1.0)
    return Gaussian.create(noise, jnp.float64), noise, y, mean, variance


def test_the_expected_log_prob_agrees_with_quadrature(case):
    likelihood, noise, y, mean, variance = case
    route = _expectation(lambda m: norm.logpdf(y, m, np.sqrt(noise)), mean, variance)
    ours = likelihood.expected_log_prob(*map(jnp.asarray, (y, mean, variance)))
    assert float(ours) == pytest.approx(route, rel=1e-10)


def test_the_log_predictive_agrees_with_quadrature(case):
    likelihood, noise, y, mean, variance = case
    route = np.log(_expectation(lambda m: norm.pdf(y, m, np.sqrt(noise)), mean, variance))
    ours = likelihood.log_predictive(*map(jnp.asarray, (y, mean, variance)))
    assert float(ours) == pytest.approx(route, rel=1e-7)


def test_the_expected_log_prob_never_exceeds_the_log_predictive(case):
    likelihood, _, y, mean, variance = case
    arguments = tuple(map(jnp.asarray, (y, mean, variance)))
    assert likelihood.expected_log_prob(*arguments) < likelihood.log_predictive(*arguments)


def test_moments_and_distribution_function_are_those_of_the_sum_of_latent_and_noise(case):
    likelihood, noise, y, mean, variance = case
    y_mean, y_variance = likelihood.predictive_moments(jnp.asarray(mean), jnp.asarray(variance))
    assert float(y_mean) == mean
    assert float(y_variance) == pytest.approx(variance + noise, rel=1e-12)
    cdf = likelihood.predictive_cdf(*map(jnp.asarray, (y, mean, variance)))
    assert float(cdf) == pytest.approx(norm.cdf(y, mean, np.sqrt(variance + noise)), rel=1e-10)


def test_observations_follow_the_noise():
    likelihood = Gaussian.create(0.49, jnp.float32)
    y = likelihood.sample(jax.random.key(0), jnp.full(20_000, 2.0))
    # False alarm: 1e-4.
    assert kstest(np.asarray(y, np.float64), norm(2.0, 0.7).cdf).pvalue > 1e-4


def test_the_noise_variance_is_what_was_asked_for():
    assert Gaussian.create(0.25, jnp.float32).noise_variance.item() == pytest.approx(0.25)
