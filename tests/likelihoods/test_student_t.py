import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from nonfat.likelihoods import Gaussian, StudentT


def test_many_degrees_of_freedom_give_gaussian_noise(x64):
    rng = np.random.default_rng(0)
    y, f = (jnp.asarray(2 * rng.normal(size=20)) for _ in range(2))
    v = jnp.asarray(rng.uniform(0, 2, 20))
    t, gaussian = StudentT.create(0.7, 1e8, jnp.float64), Gaussian.create(0.49, jnp.float64)
    for method in ("expected_log_prob", "log_predictive", "predictive_cdf"):
        one, other = (np.asarray(getattr(model, method)(y, f, v)) for model in (t, gaussian))
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("df", [2.02, 3.0, 30.0, 1e6])
def test_without_latent_variance_it_is_the_t_density_far_into_the_tails(x64, df):
    d = np.array([0.0, 1.0, 5.0, 50.0, 1e4])
    for dtype, tolerance in ((jnp.float64, 1e-6), (jnp.float32, 1e-4)):
        if df > 1e5:
            d = d[:-1]
        y, zero = jnp.asarray(d, dtype), jnp.zeros(len(d), dtype)
        model = StudentT.create(0.5, df, dtype)
        expected = stats.t.logpdf(d, df, 0, 0.5)
        np.testing.assert_allclose(model.log_predictive(y, zero, zero), expected, rtol=tolerance)
        np.testing.assert_allclose(model.expected_log_prob(y, zero, zero), expected, rtol=tolerance)


@pytest.mark.parametrize("v", [0.0, 0.3, 40.0])
def test_the_density_integrates_to_one_and_is_the_slope_of_the_distribution_function(x64, v):
    model = StudentT.create(0.3, 2.5, jnp.float64)
    y = jnp.sinh(jnp.linspace(-12.0, 12.0, 8001))
    at = y, jnp.zeros_like(y), jnp.full_like(y, v)
    density, cdf = np.exp(model.log_predictive(*at)), np.asarray(model.predictive_cdf(*at))
    mass = 0.5 * (density[1:] + density[:-1]) * np.diff(y)
    assert mass.sum() == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_allclose(np.cumsum(mass), cdf[1:] - cdf[0], atol=1e-5)
    assert np.all(np.diff(cdf) >= 0)


def test_scale_and_degrees_of_freedom_are_what_was_asked_for():
    model = StudentT.create(0.5, 4.0, jnp.float32)
    assert model.scale.item() == pytest.approx(0.5)
    assert model.df.item() == pytest.approx(4.0)
    assert model.noise_variance.item() == pytest.approx(0.5, rel=1e-5)
