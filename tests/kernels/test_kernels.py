from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.kernels import Matern, SquaredExponential
from reference import kernels as naive
from reference.differences import directional_error

FAMILIES = {
    "squared exponential": (SquaredExponential.create, naive.squared_exponential),
    "Matern 1/2": (partial(Matern.create, 0.5), naive.matern_12),
    "Matern 3/2": (partial(Matern.create, 1.5), naive.matern_32),
    "Matern 5/2": (partial(Matern.create, 2.5), naive.matern_52),
}


@pytest.fixture(params=FAMILIES)
def family(request):
    return FAMILIES[request.param]


@pytest.mark.parametrize("seed", range(3))
def test_a_kernel_agrees_with_the_double_loop(x64, family, seed):
    create, profile = family
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    variance, lengthscale = rng.uniform(0.3, 3.0), rng.uniform(0.3, 3.0, 3)
    ours = create(variance, jnp.asarray(lengthscale))(jnp.asarray(X), jnp.asarray(Z))
    np.testing.assert_allclose(ours, naive.gram(profile, X, Z, variance, lengthscale), rtol=1e-10)


def test_a_gram_matrix_is_symmetric_positive_and_has_the_variance_on_its_diagonal(x64, family):
    kernel = family[0](1.7, jnp.array([0.5, 1.0]))
    X = jnp.asarray(np.random.default_rng(0).normal(size=(30, 2)))
    K = np.asarray(kernel(X, X))
    np.testing.assert_allclose(K, K.T, rtol=1e-12)
    # A distance of rounding size 1e-8 shows through the kink of Matern 1/2.
    np.testing.assert_allclose(np.diag(K), float(kernel.variance), rtol=1e-6)
    assert np.linalg.eigvalsh(0.5 * (K + K.T)).min() > -1e-6


def test_gradients_agree_with_finite_differences(x64, family):
    rng = np.random.default_rng(1)
    X, Z = jnp.asarray(rng.normal(size=(5, 2))), jnp.asarray(rng.normal(size=(4, 2)))
    weights = jnp.asarray(rng.normal(size=(5, 4)))
    kernel = family[0](1.3, jnp.array([0.7, 1.2]))

    def f(arguments):
        kernel, X, Z = arguments
        return jnp.sum(weights * kernel(X, Z))

    assert directional_error(f, (kernel, X, Z), seed=0) < 1e-6


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_gradients_are_finite_and_vanish_where_all_points_coincide(family, dtype):
    with jax.enable_x64(dtype == jnp.float64):
        X = jnp.full((4, 2), 0.3, dtype)
        kernel = family[0](1.0, jnp.ones(2, dtype))
        gradient = jax.grad(lambda X, k: jnp.sum(k(X, X)), argnums=(0, 1))(X, kernel)
        np.testing.assert_array_equal(gradient[0], 0.0)
        np.testing.assert_array_equal(gradient[1].log_lengthscale, 0.0)
        assert float(gradient[1].log_variance) == pytest.approx(16.0, rel=1e-5)


def test_smooth_kernels_agree_with_finite_differences_where_some_points_coincide(x64):
    rng = np.random.default_rng(3)
    X = jnp.asarray(rng.normal(size=(3, 2)))[jnp.array([0, 0, 1, 2, 2])]
    Z = X[::2] + 0.0
    weights = jnp.asarray(rng.normal(size=(5, 3)))
    for create in (SquaredExponential.create, partial(Matern.create, 2.5)):
        kernel = create(1.0, jnp.ones(2))
        f = lambda XZ: jnp.sum(weights * kernel(*XZ))  # noqa: B023, E731
        assert directional_error(f, (X, Z), seed=0) < 1e-5
