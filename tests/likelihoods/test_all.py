"""What every likelihood promises, by a second route: a dense grid over m and SciPy's densities."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.likelihoods import Bernoulli, Gaussian, NegativeBinomial, Poisson, StudentT
from reference import latents
from reference.differences import directional_error

RATE, R = 3.0, 1.7
BIAS = np.log(RATE)
SHIFTED = {
    "poisson": lambda m: latents.poisson(m + BIAS),
    "negative binomial": lambda m: latents.negative_binomial(R)(m + BIAS),
    "student_t": latents.student_t(0.5, 3.0),
    "logit": lambda m: latents.logit(m + np.log(0.3 / 0.7)),
    "probit": lambda m: latents.probit(m + latents.stats.norm.ppf(0.3)),
}
MAKE = {
    "poisson": lambda dtype: Poisson.create(RATE, dtype),
    "negative binomial": lambda dtype: NegativeBinomial.create(RATE, R, dtype),
    "student_t": lambda dtype: StudentT.create(0.5, 3.0, dtype),
    "logit": lambda dtype: Bernoulli.create(0.3, dtype),
    "probit": lambda dtype: Bernoulli.create(0.3, dtype, link="probit"),
    "gaussian": lambda dtype: Gaussian.create(0.25, dtype),
}
VALUES = {"count": [0.0, 1.0, 7.0, 40.0], "real": [-2.0, 0.1, 6.0], "binary": [0.0, 1.0]}
LATENTS = [(f, v) for f in (-1.5, 0.0, 2.0) for v in (0.0, 0.04, 1.0, 2.5)]
TOLERANCE = {jnp.float32: 2e-4, jnp.float64: 1e-5}


@pytest.fixture(params=SHIFTED)
def name(request):
    return request.param


@pytest.fixture(params=[jnp.float32, jnp.float64])
def dtype(request, x64):
    return request.param


@cache
def _grid(name):
    y = VALUES[MAKE[name](jnp.float32).observes]
    return np.array([(one, f, v) for one in y for f, v in LATENTS]).T


def _log_density(name, y, m):
    p = SHIFTED[name](m)
    return p.logpdf(y) if name == "student_t" else p.logpmf(y)


@eqx.filter_jit
def _call(function, *arguments):
    return function(*arguments)


def _ours(name, method, dtype, *columns):
    likelihood = MAKE[name](dtype)
    return _call(getattr(likelihood, method), *(jnp.asarray(x, dtype) for x in columns))


def test_the_expected_log_prob_agrees_with_the_grid(name, dtype):
    grid = _grid(name)
    ours = _ours(name, "expected_log_prob", dtype, *grid)
    expected = [
        latents.expectation(lambda m: _log_density(name, y, m), f, v)  # noqa: B023
        for y, f, v in grid.T
    ]
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def test_the_log_predictive_agrees_with_the_grid(name, dtype):
    grid = _grid(name)
    ours = _ours(name, "log_predictive", dtype, *grid)
    expected = [
        latents.log_expectation(lambda m: _log_density(name, y, m), f, v)  # noqa: B023
        for y, f, v in grid.T
    ]
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def test_the_distribution_function_agrees_with_the_grid(name, dtype):
    y, f, v = _grid(name)
    y = y - 0.5 * (np.arange(len(y)) % 2) * (name != "student_t")  # steps go down to whole numbers
    ours = _ours(name, "predictive_cdf", dtype, y, f, v)
    expected = [
        latents.expectation(lambda m: SHIFTED[name](m).cdf(one), *rest)  # noqa: B023
        for one, *rest in zip(y, f, v, strict=True)
    ]
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours, expected, atol=2e-5)


def test_moments_agree_with_the_grid(name, dtype):
    _, f, v = _grid(name)
    means, variances = _ours(name, "predictive_moments", dtype, f, v)
    signals, spreads = _ours(name, "signal_moments", dtype, f, v)
    for i, (one, variance) in enumerate(zip(f, v, strict=True)):
        E = lambda g: latents.expectation(g, one, variance)  # noqa: B023, E731
        mean = E(lambda m: SHIFTED[name](m).mean())
        spread = E(lambda m: (SHIFTED[name](m).mean() - mean) ** 2)  # noqa: B023
        noise = E(lambda m: SHIFTED[name](m).var())
        tolerance = {"rtol": 1e-3 if dtype == jnp.float32 else 1e-4, "atol": 1e-6}
        np.testing.assert_allclose([means[i], signals[i]], mean, **tolerance)
        np.testing.assert_allclose(spreads[i], spread, **tolerance)
        np.testing.assert_allclose(variances[i], spread + noise, **tolerance)


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("method", ["expected_log_prob", "log_predictive"])
def test_gradients_agree_with_finite_differences(x64, name, method):
    likelihood = MAKE[name](jnp.float64)
    params, static = eqx.partition(likelihood, eqx.is_inexact_array)
    y = jnp.array((VALUES[likelihood.observes] * 2)[:4])
    mean, variance = jnp.array([0.3, -1.0, 1.0, 0.0]), jnp.array([0.2, 1.5, 0.01, 0.7])

    def total(tree):
        params, mean, variance = tree
        return jnp.sum(getattr(eqx.combine(params, static), method)(y, mean, variance))

    for seed in range(3):
        assert directional_error(total, (params, mean, variance), seed) < 3e-6


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("method", ["expected_log_prob", "log_predictive"])
def test_extreme_inputs_give_finite_values_and_gradients(name, method, dtype):
    likelihood = MAKE[name](dtype)
    y = {"count": [0.0, 1.0, 1e5], "real": [-1e4, 0.0, 1e5], "binary": [0.0, 1.0]}
    grid = np.array(
        [
            (one, f, v)
            for one in y[likelihood.observes]
            for f in (-1e3, -50.0, 0.0, 50.0, 1e3)
            for v in (0.0, 1e-12, 1.0, 1e4)
        ]
    ).T
    y, f, v = (jnp.asarray(x, dtype) for x in grid)

    def total(tree):
        value = getattr(tree[0], method)(y, *tree[1:])
        return jnp.sum(value), value

    (_, value), slopes = eqx.filter_jit(eqx.filter_value_and_grad(total, has_aux=True))(
        (likelihood, f, v)
    )
    for leaf in (value, *jax.tree.leaves(slopes)):
        assert leaf.dtype == dtype
        assert np.all(np.isfinite(leaf))


def test_moments_and_distribution_functions_stay_finite(name, dtype):
    f, v = (jnp.asarray(x, dtype) for x in np.meshgrid([-1e3, 0.0, 60.0, 1e3], [0.0, 1.0, 1e3]))
    likelihood = MAKE[name](dtype)
    for moment in (*likelihood.predictive_moments(f, v), *likelihood.signal_moments(f, v)):
        assert np.all(np.isfinite(moment))
    for y in (-1.0, 0.0, 0.5, 1.0, 1e5):
        cdf = np.asarray(_call(likelihood.predictive_cdf, jnp.full_like(f, y), f, v))
        assert np.all((cdf >= 0) & (cdf <= 1))


def test_observations_have_the_moments_of_the_prediction(name):
    """Mean within 4.5 standard errors, variance likewise (false alarm 7e-6 each)."""
    if name == "student_t":  # its fourth moment does not exist at three degrees of freedom
        likelihood = StudentT.create(0.5, 9.0, jnp.float32)
    else:
        likelihood = MAKE[name](jnp.float32)
    n = 40_000
    m = 0.4 + 0.3 * jax.random.normal(jax.random.key(1), (n,))
    y = np.asarray(likelihood.sample(jax.random.key(0), m), np.float64)
    assert likelihood.sample(jax.random.key(0), m).dtype == jnp.float32
    mean, variance = (
        float(x) for x in likelihood.predictive_moments(jnp.array(0.4), jnp.array(0.09))
    )
    assert abs(y.mean() - mean) < 4.5 * np.sqrt(variance / n)
    fourth = np.mean((y - mean) ** 4)
    assert abs(y.var() - variance) < 4.5 * np.sqrt((fourth - variance**2) / n)


@pytest.mark.parametrize("name", ["gaussian", "student_t", "poisson", "negative binomial"])
def test_intervals_are_those_of_the_observation(name):
    likelihood = MAKE[name](jnp.float32)
    at = jnp.array([0.0, 1.0, 4.0]), jnp.zeros(3), jnp.ones(3)
    np.testing.assert_array_equal(likelihood.band_cdf(*at), likelihood.predictive_cdf(*at))
