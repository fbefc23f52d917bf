import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, log_expit

from nonfat.likelihoods import Bernoulli

LINKS = {"logit": expit, "probit": stats.norm.cdf}


@pytest.fixture(params=LINKS)
def link(request):
    return request.param


def test_the_two_probabilities_add_up_to_one(link, x64):
    f, v = (jnp.asarray(x) for x in np.meshgrid([-4.0, 0.0, 3.0], [0.0, 1.0, 30.0]))
    model = Bernoulli.create(0.2, jnp.float64, link=link)
    p = sum(np.exp(model.log_predictive(jnp.full_like(f, y), f, v)) for y in (0.0, 1.0))
    np.testing.assert_allclose(p, 1.0, atol=1e-8)


def test_rare_events_keep_their_relative_accuracy():
    model = Bernoulli.create(0.5, jnp.float32)
    f = jnp.array([-8.0, -20.0, -60.0])
    ours = model.log_predictive(jnp.ones(3), f, jnp.zeros(3))
    np.testing.assert_allclose(ours, log_expit(np.asarray(f)), rtol=1e-4)


def test_intervals_are_those_of_the_probability(link, x64):
    model = Bernoulli.create(0.3, jnp.float64, link=link)
    x = jnp.array([0.0, 0.1, 0.5, 0.9, 1.0])
    ours = np.asarray(model.band_cdf(x, jnp.full(5, 0.4), jnp.full(5, 0.8)))
    m = 0.4 + np.sqrt(0.8) * np.random.default_rng(0).normal(size=200_000)
    p = LINKS[link](m + float(model.bias))
    np.testing.assert_allclose(ours, [(p <= one).mean() for one in x], atol=5e-3)
    assert (ours[0], ours[-1]) == (0.0, 1.0)


def test_the_distribution_function_steps_at_zero_and_one(link):
    model = Bernoulli.create(0.25, jnp.float32, link=link)
    y = jnp.array([-0.1, 0.0, 0.9, 1.0, 2.0])
    cdf = model.predictive_cdf(y, jnp.zeros(5), jnp.zeros(5))
    np.testing.assert_allclose(cdf, [0.0, 0.75, 0.75, 1.0, 1.0], rtol=1e-5)
