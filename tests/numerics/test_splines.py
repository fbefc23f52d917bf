import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.interpolate import BSpline

from nonfat.numerics.splines import cubic_splines


@pytest.mark.parametrize("knots", [2, 5, 100])
def test_splines_are_scipys(x64, knots):
    x = np.random.default_rng(0).uniform(0, 1, 50)
    step = 1 / (knots - 1)
    expected = BSpline.design_matrix(x, step * np.arange(-3, knots + 3), 3).toarray()
    np.testing.assert_allclose(cubic_splines(jnp.asarray(x), knots), expected, atol=1e-13)


def test_splines_add_up_to_one_and_stand_still_outside(x64):
    B = cubic_splines(jnp.array([-7.0, 0.0, 0.31, 1.0, 9.0]), 6)
    np.testing.assert_allclose(B.sum(axis=1), 1.0)
    np.testing.assert_array_equal(B[0], B[1])
    np.testing.assert_array_equal(B[3], B[4])


def test_the_gradient_in_time_is_finite_at_knots():
    slope = jax.jacobian(lambda x: cubic_splines(x, 5))(jnp.linspace(0.0, 1.0, 9))
    assert bool(jnp.isfinite(slope).all())
