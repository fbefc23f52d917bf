import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

from nonfat.numerics.cholesky import cholesky_pair, half_lower
from reference.differences import directional_error


def _positive_definite(rng, *shape):
    a = shape[-1]
    X = rng.normal(size=(*shape, a))
    return X @ np.swapaxes(X, -1, -2) + a * np.eye(a)


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 3, 4)])
def test_the_pair_is_the_factor_and_its_inverse(x64, shape):
    K = _positive_definite(np.random.default_rng(len(shape)), *shape)
    L, P = cholesky_pair(jnp.asarray(K))
    eye = np.broadcast_to(np.eye(shape[-1]), K.shape)
    np.testing.assert_allclose(L, np.linalg.cholesky(K), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(L @ P, eye, atol=1e-12)
    np.testing.assert_allclose(P @ L, eye, atol=1e-12)
    assert np.all(np.triu(L, 1) == 0)
    assert np.all(np.triu(P, 1) == 0)


def test_half_lower_plus_its_transpose_gives_a_symmetric_matrix_back():
    M = jnp.array([[4.0, 2.0], [2.0, 6.0]])
    np.testing.assert_array_equal(half_lower(M) + half_lower(M).T, M)


@pytest.mark.parametrize("output", [0, 1])
@pytest.mark.parametrize("shape", [(4,), (3, 4)])
def test_gradients_of_both_outputs_agree_with_finite_differences(x64, output, shape):
    rng = np.random.default_rng(output)
    X = jnp.asarray(rng.normal(size=(*shape, shape[-1])))
    cotangent = jnp.asarray(rng.normal(size=X.shape))

    def f(X):
        K = X @ jnp.swapaxes(X, -1, -2) + 2.0 * jnp.eye(shape[-1])
        return jnp.sum(jnp.sin(cholesky_pair(K)[output]) * cotangent)

    assert directional_error(f, X, seed=3) < 1e-6


def test_both_modes_of_differentiation_agree(x64):
    X = jnp.asarray(np.random.default_rng(0).normal(size=(3, 3)))

    @jax.jit
    def f(X):
        L, P = cholesky_pair(X @ X.T + jnp.eye(3))
        return jnp.sum(L**3) + jnp.sum(P**2)

    check_grads(f, (X,), order=1, modes=["fwd", "rev"], rtol=1e-6)


def test_the_gradient_agrees_with_jaxs_own_cholesky(x64):
    K = jnp.asarray(_positive_definite(np.random.default_rng(5), 6))
    weights = jnp.asarray(np.random.default_rng(6).normal(size=(6, 6)))
    ours = jax.grad(lambda K: jnp.sum(weights * cholesky_pair(K)[0]))(K)
    theirs = jax.grad(lambda K: jnp.sum(weights * jnp.linalg.cholesky(K)))(K)
    np.testing.assert_allclose(ours + ours.T, theirs + theirs.T, rtol=1e-6, atol=1e-7)


def _jitter_of(K, L):
    """The diagonal that was added, relative to the mean of the diagonal."""
    K, L = np.asarray(K, np.float64), np.asarray(L, np.float64)
    return np.mean(np.diag(L @ L.T - K)) / np.mean(np.diag(K))


def test_a_good_matrix_gets_only_the_first_jitter():
    K = jnp.asarray(_positive_definite(np.random.default_rng(0), 5), jnp.float32)
    assert _jitter_of(K, cholesky_pair(K)[0]) < 2e-5


def test_coincident_points_in_float32_are_factorised():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 2)), 5, axis=0)
    squares = ((X[:, None] - X[None]) ** 2).sum(-1)
    L, P = cholesky_pair(jnp.asarray(np.exp(-0.5 * squares), jnp.float32))
    assert np.all(np.isfinite(L))
    np.testing.assert_allclose(L @ P, np.eye(100), atol=2e-3)


def _with_lowest_eigenvalue(lowest, a=6):
    Q, _ = np.linalg.qr(np.random.default_rng(9).normal(size=(a, a)))
    return jnp.asarray(Q @ np.diag([1.0] * (a - 1) + [lowest]) @ Q.T, jnp.float32)


def test_jitter_grows_with_how_indefinite_a_matrix_is():
    slight, worse = _with_lowest_eigenvalue(-3e-5), _with_lowest_eigenvalue(-3e-3)
    jitters = [_jitter_of(K, cholesky_pair(K)[0]) for K in (slight, worse)]
    assert 3e-5 < jitters[0] < 3e-4
    assert 3e-3 < jitters[1] < 3e-2


def test_a_hopeless_matrix_gives_nan_and_not_garbage():
    K = jnp.array([[1.0, 3.0], [3.0, 1.0]])
    L, P = cholesky_pair(K)
    assert np.all(np.isnan(np.asarray(L)[np.tril_indices(2)]))
    assert np.all(np.isnan(np.asarray(P)[np.tril_indices(2)]))
    gradient = jax.grad(lambda K: jnp.sum(cholesky_pair(K)[0]))(K)
    assert not np.any(np.isfinite(np.asarray(gradient)))


def test_nan_in_gives_nan_out_and_the_loop_ends():
    L, P = cholesky_pair(jnp.full((3, 3), jnp.nan))
    assert np.all(np.isnan(np.asarray(L)[np.tril_indices(3)]))
    assert np.all(np.isnan(np.asarray(P)[np.tril_indices(3)]))


def test_only_the_failing_member_of_a_batch_gets_more_jitter():
    good = jnp.asarray(_positive_definite(np.random.default_rng(1), 6), jnp.float32)
    bad, hopeless = _with_lowest_eigenvalue(-3e-3), _with_lowest_eigenvalue(-30.0)
    L = cholesky_pair(jnp.stack([good, bad, hopeless]))[0]
    np.testing.assert_array_equal(L[0], cholesky_pair(good)[0])
    assert 3e-3 < _jitter_of(bad, L[1]) < 3e-2
    assert np.any(np.isnan(L[2]))
