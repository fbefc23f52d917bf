"""Factors that stand still, and the time beside them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.times import Continuous, Discrete, Entries, Factors, Nowhere
from reference import gaussians

SHAPE = (4, 3)
MOMENTS = {
    "nowhere": lambda key, dtype: Nowhere(),
    "continuous": lambda key, dtype: Continuous(7.0),
    "discrete": lambda key, dtype: Discrete.create(5, R=2, nonlinear=True, key=key, dtype=dtype),
}


def factors(moment, dtype=np.float64):
    rng = np.random.default_rng(0)
    tables = tuple(jnp.asarray(rng.normal(size=(d, 4)), dtype) for d in SHAPE)
    return Factors(tables, MOMENTS[moment](jax.random.key(1), dtype))


def entries(position, times, time_position):
    """In double precision, so only where that is on."""
    position = jnp.asarray(position, jnp.int32)
    return Entries(position, jnp.asarray(times), jnp.asarray(time_position, jnp.int32))


@pytest.fixture
def three(x64):
    """Three entries at two times; the first and the last share an entity."""
    return entries([[0, 2], [3, 0], [0, 1]], [0.1, 0.9], [1, 0, 0])


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_inputs_are_the_factors_of_each_mode_and_then_the_time(three, moment):
    time = factors(moment)
    mean, variance = time.marginals(three)
    at, spread = time.moment.marginals(three.times)
    for row, ((j, k), i) in enumerate(zip(three.position, three.time_position, strict=True)):
        rows = time.tables[0][j], time.tables[1][k]
        np.testing.assert_allclose(mean[row], jnp.concatenate([rows[0][:2], rows[1][:2], at[i]]))
        expected = [np.exp(2 * rows[0][2:]), np.exp(2 * rows[1][2:]), spread[i]]
        np.testing.assert_allclose(variance[row], np.concatenate(expected))


@pytest.mark.parametrize("moment", MOMENTS)
def test_draws_are_joint_and_have_the_marginals_moments(three, moment):
    time = factors(moment)
    keys = jax.random.split(jax.random.key(0), 20_000)
    draws = np.asarray(jax.vmap(lambda key: time.draw(three, key))(keys))
    mean, variance = time.marginals(three)
    spread = np.sqrt(variance).max()
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=0.04 * (1 + spread))
    np.testing.assert_allclose(draws.std(axis=0), np.sqrt(variance), rtol=0.04, atol=1e-9)
    np.testing.assert_array_equal(draws[:, 0, :2], draws[:, 2, :2])  # the same entity
    assert (draws[:, 0, :2] != draws[:, 1, :2]).all()


def test_the_penalty_is_the_divergence_from_a_standard_normal(x64):
    time = factors("nowhere")
    for mode, table in enumerate(time.tables):
        for row, penalty in zip(np.asarray(table), time.entity_penalty(mode), strict=True):
            cov = np.diag(np.exp(2 * row[2:]))
            expected = gaussians.kl(row[:2], cov, np.zeros(2), np.eye(2))
            assert float(penalty) == pytest.approx(expected, rel=1e-9)


def test_a_newcomer_is_the_prior_whatever_was_drawn(x64):
    time = factors("nowhere").with_newcomers((jnp.ones(4), jnp.full(4, -3.0)))
    mean, variance = time.marginals(entries([[4, 3]], [0.0], [0]))
    np.testing.assert_array_equal(mean, 0.0)
    np.testing.assert_array_equal(variance, 1.0)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
@pytest.mark.parametrize("moment", MOMENTS)
def test_new_factors_have_the_dtype_and_shape_asked_for(x64, moment, dtype):
    key = jax.random.key(0)
    time = Factors.create(SHAPE, R=2, moment=MOMENTS[moment](key, dtype), key=key, dtype=dtype)
    assert [table.shape for table in time.tables] == [(4, 4), (3, 4)]
    assert {leaf.dtype for leaf in jax.tree.leaves(time)} == {np.dtype(dtype)}
