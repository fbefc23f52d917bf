import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import gammaln

from nonfat.numerics.factorials import bounded_exp, stirling


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_stirling_agrees_with_log_gamma_where_that_has_digits(x64, dtype):
    x = np.array([0.0, 0.3, 1.0, 5.0, 9.99, 10.01, 30.0, 1e3, 1e5])
    expected = gammaln(x + 1) - x * np.log(np.maximum(x, 1e-300)) + x
    tolerance = 1e-9 if dtype == jnp.float64 else 3e-6
    ours = stirling(jnp.asarray(x, dtype))
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours, expected, rtol=tolerance, atol=tolerance)


def test_the_bounded_exponential_is_smooth_and_finite():
    x = jnp.array([-1e4, 0.0, 24.9, 25.1, 1e4])
    value, slope = jax.vmap(jax.value_and_grad(bounded_exp))(x)
    assert np.all(np.isfinite(value) & np.isfinite(slope))
    np.testing.assert_allclose(value[:3], np.exp(x[:3]), rtol=1e-6)
    assert slope[3] == pytest.approx(np.exp(25.0), rel=1e-5)
    assert np.all(np.diff(value) >= 0)
