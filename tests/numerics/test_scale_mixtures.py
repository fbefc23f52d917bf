import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, log_expit, logsumexp

from nonfat.numerics.scale_mixtures import expected_softplus, logistic_mixture


def test_the_mixture_is_the_logistic_distribution():
    x = np.linspace(-9, 9, 61)
    v, log_weight = logistic_mixture()
    mixture = stats.norm.cdf(x[:, None] / np.sqrt(v)) @ np.exp(log_weight)
    np.testing.assert_allclose(mixture, expit(x), atol=1e-10)


def test_a_longer_reach_keeps_relative_accuracy_in_the_tail():
    x = np.array([-10.0, -40.0, -100.0])
    v, log_weight = logistic_mixture(64, 12.0)
    tail = logsumexp(log_weight + stats.norm.logcdf(x[:, None] / np.sqrt(v)), axis=1)
    np.testing.assert_allclose(tail, log_expit(x), rtol=1e-5)


@pytest.mark.parametrize("s", [0.0, 0.2, 1.0, 10.0])
def test_the_expected_softplus_agrees_with_a_dense_grid(x64, s):
    z = np.linspace(-12, 12, 20_001)
    weight = stats.norm.pdf(z) * (z[1] - z[0])
    for f in (-20.0, -1.0, 0.0, 4.0, 50.0):
        expected = -weight @ log_expit(-(f + s * z))
        ours = float(expected_softplus(jnp.asarray(f), jnp.asarray(s**2)))
        assert ours == pytest.approx(expected, rel=1e-8, abs=1e-8)
