import jax
import jax.numpy as jnp
import numpy as np

from nonfat.numerics.bijectors import lower_triangular, raw_triangular


def test_any_square_matrix_gives_a_lower_triangle_with_a_positive_diagonal():
    raw = jnp.asarray(np.random.default_rng(0).normal(size=(3, 4, 4)), jnp.float32) * 3
    L = np.asarray(lower_triangular(raw))
    assert np.all(np.triu(L, 1) == 0)
    assert np.all(np.diagonal(L, axis1=1, axis2=2) > 0)


def test_the_two_maps_undo_each_other_on_lower_triangles(x64):
    rng = np.random.default_rng(1)
    L = np.tril(rng.normal(size=(5, 5)), -1) + np.diag(rng.uniform(0.1, 3.0, 5))
    np.testing.assert_allclose(lower_triangular(raw_triangular(jnp.asarray(L))), L, atol=1e-14)


def test_large_entries_off_the_diagonal_leave_value_and_gradient_finite():
    raw = jnp.array([[0.0, 500.0], [500.0, 0.0]])
    assert lower_triangular(raw).tolist() == [[1.0, 0.0], [500.0, 1.0]]
    gradient = jax.grad(lambda x: lower_triangular(x).sum())(raw)
    assert gradient.tolist() == [[1.0, 0.0], [1.0, 1.0]]
