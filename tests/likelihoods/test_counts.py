"""Counts: their probabilities add up, and the models agree where one is a limit of the other."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from nonfat.likelihoods import Gaussian, NegativeBinomial, Poisson
from reference import latents


def models(dtype):
    return [
        Poisson.create(1.0, dtype),
        NegativeBinomial.create(1.0, 0.2, dtype),
        NegativeBinomial.create(1.0, 30.0, dtype),
    ]


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize(("f", "v"), [(0.0, 0.0), (0.7, 0.3), (-1.0, 1.0), (2.0, 0.01)])
def test_probabilities_add_up_to_the_distribution_function_and_to_one(x64, which, f, v):
    model = models(jnp.float64)[which]
    y = jnp.arange(4000.0)
    at = y, jnp.full_like(y, f), jnp.full_like(y, v)
    p = np.exp(eqx.filter_jit(model.log_predictive)(*at))
    cdf = np.asarray(eqx.filter_jit(model.predictive_cdf)(*at))
    assert p.sum() == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_allclose(np.cumsum(p), cdf, atol=2e-5)
    assert np.all(np.diff(cdf) > -1e-6)


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("y", [50.0, 2000.0, 1e5])
def test_a_likelihood_much_narrower_than_the_latent_is_integrated_right(x64, which, y):
    """Where the latent is so wide that it is flat across the likelihood, only its density counts.

    ∫ p(y | η) dη is 1/y for Poisson and for the negative binomial.
    """
    for dtype, tolerance in ((jnp.float64, 1e-3), (jnp.float32, 2e-3)):
        model = models(dtype)[which]
        width = float(model._width(jnp.asarray(y, dtype)))
        s = 50.0 * width
        f = np.log(y) + 0.3 * s
        ours = model.log_predictive(*(jnp.asarray(x, dtype) for x in (y, f, s**2)))
        expected = stats.norm.logpdf(np.log(y), f, s) - np.log(y)
        assert float(ours) == pytest.approx(expected, abs=tolerance + 0.4 / 50)


@pytest.mark.parametrize("k", [0.0, 3.0, 2000.0, 1e5])
@pytest.mark.parametrize("s", [0.0, 1e-3, 0.02, 0.3, 1.0])
def test_distribution_functions_hold_from_narrow_to_wide_latents(x64, k, s):
    offsets = np.array([-2.0, 0.0, 1.0])
    eta = np.linspace(-9, 9, 20_001)
    weight = stats.norm.pdf(eta)
    weight /= weight.sum()
    for model, make in (
        (Poisson, latents.poisson),
        (NegativeBinomial, latents.negative_binomial(4.0)),
    ):
        extra = () if model is Poisson else (4.0,)
        f = np.log(k + 1) + offsets * np.hypot(s, np.sqrt(1 / (k + 1)))
        expected = [weight @ make(one + s * eta).cdf(k) for one in f]
        for dtype, tolerance in ((jnp.float64, 1e-4), (jnp.float32, 5e-4)):
            likelihood = model.create(1.0, *extra, dtype)
            at = (jnp.asarray(x, dtype) for x in (np.full(3, k), f, np.full(3, s**2)))
            np.testing.assert_allclose(likelihood.predictive_cdf(*at), expected, atol=tolerance)


def test_no_count_is_below_zero():
    for model in models(jnp.float32):
        y = jnp.array([-1.0, -0.25, 0.0, 0.75])
        cdf = np.asarray(model.predictive_cdf(y, jnp.zeros(4), jnp.ones(4)))
        assert np.all(cdf[:2] == 0.0)
        assert cdf[2] == cdf[3] > 0.0


def test_a_large_dispersion_gives_poisson(x64):
    rng = np.random.default_rng(0)
    y = jnp.asarray(rng.poisson(5.0, 20).astype(float))
    f, v = jnp.asarray(rng.normal(size=20)), jnp.asarray(rng.uniform(0, 1, 20))
    poisson = Poisson.create(4.0, jnp.float64)
    negative_binomial = NegativeBinomial.create(4.0, 1e7, jnp.float64)
    for method in ("expected_log_prob", "log_predictive", "predictive_cdf"):
        one, other = (
            np.asarray(getattr(model, method)(y, f, v)) for model in (poisson, negative_binomial)
        )
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    for one, other in zip(
        poisson.predictive_moments(f, v), negative_binomial.predictive_moments(f, v), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-4)


def test_poisson_counts_of_a_large_mean_are_nearly_gaussian(x64):
    rate = 1e6
    poisson, gaussian = Poisson.create(rate, jnp.float64), Gaussian.create(rate, jnp.float64)
    y = rate + jnp.linspace(-2.0, 2.0, 9) * rate**0.5
    zero = jnp.zeros(9)
    np.testing.assert_allclose(
        poisson.log_predictive(jnp.round(y), zero, zero),
        gaussian.log_predictive(jnp.round(y), zero + rate, zero),
        atol=2e-3,
    )
    np.testing.assert_allclose(
        poisson.predictive_cdf(y, zero, zero),
        gaussian.predictive_cdf(y, zero + rate, zero),
        atol=1e-3,
    )


def test_far_too_large_a_rate_still_has_a_slope_that_leads_back():
    poisson = Poisson.create(1.0, jnp.float32)
    slope = jax.grad(lambda f: poisson.expected_log_prob(jnp.array(3.0), f, jnp.array(0.1)))
    assert slope(jnp.array(500.0)).item() < -1e9


def test_samples_of_large_rates_are_rounded_normals():
    y = Poisson.create(1e8, jnp.float32).sample(jax.random.key(0), jnp.zeros(5000))
    y = np.asarray(y, np.float64)
    assert np.all(y == np.round(y))
    assert abs(y.mean() - 1e8) < 4.5 * 1e4 / np.sqrt(5000) + 8  # and the rounding of float32


def test_created_as_asked():
    model = NegativeBinomial.create(2.5, 0.7, jnp.float32)
    assert model.dispersion.item() == pytest.approx(0.7)
    assert jnp.exp(model.bias).item() == pytest.approx(2.5)
