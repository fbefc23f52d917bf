import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.kernels.distance import squared_distance
from reference.kernels import squared_distances


@pytest.mark.parametrize("D", [1, 3, 8])
def test_squared_distance_agrees_with_the_double_loop(x64, D):
    rng = np.random.default_rng(D)
    X, Z = rng.normal(size=(9, D)), rng.normal(size=(6, D))
    ours = squared_distance(jnp.asarray(X), jnp.asarray(Z))
    np.testing.assert_allclose(ours, squared_distances(X, Z), rtol=1e-12, atol=1e-12)


def test_squared_distance_keeps_its_digits_far_from_the_origin_in_float32():
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(9, 2)) + 1000).astype(np.float32)
    Z = (rng.normal(size=(6, 2)) + 1000).astype(np.float32)
    ours = squared_distance(jnp.asarray(X), jnp.asarray(Z))
    # Uncentred, the sum of squares 2e6 alone would cost 2e6 * 6e-8 = 0.1.
    np.testing.assert_allclose(ours, squared_distances(X, Z), atol=5e-4)


def test_squared_distance_is_never_negative_even_where_points_coincide():
    X = jnp.asarray(np.random.default_rng(1).normal(size=(200, 5)), jnp.float32)
    D = np.asarray(squared_distance(X, X))
    assert D.min() >= 0.0
    np.testing.assert_allclose(np.diag(D), 0.0, atol=1e-5)


def test_no_gradient_is_lost_through_the_centre(x64):
    rng = np.random.default_rng(2)
    X, Z = jnp.asarray(rng.normal(size=(4, 2))), jnp.asarray(rng.normal(size=(3, 2)))
    weights = jnp.asarray(rng.normal(size=(4, 3)))
    ours = jax.grad(lambda Z: jnp.sum(weights * squared_distance(X, Z)))(Z)
    naive = jax.grad(lambda Z: jnp.sum(weights * jnp.sum((X[:, None] - Z[None]) ** 2, -1)))(Z)
    np.testing.assert_allclose(ours, naive, rtol=1e-12, atol=1e-12)
