"""Steps in time: the prior that moves, its divergence, and forecasts by rolling it forward."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.times import Discrete, Dynamics
from reference import gaussians
from reference.differences import directional_error

N, R = 5, 2


def chain(seed, nonlinear=False, n=N, dtype=np.float64):
    rng = np.random.default_rng(seed)
    draw = lambda *shape, scale=1.0: jnp.asarray(scale * rng.normal(size=shape), dtype)  # noqa: E731
    dynamics = Dynamics(
        draw(R, R, scale=0.6), draw(R, scale=0.3), draw() - jnp.ones((), dtype), nonlinear
    )
    return Discrete(draw(n, R), draw(n, R, scale=0.3) - jnp.ones((), dtype), dynamics)


def dense_prior(dynamics, n):
    """Mean and covariance of (t_1, …, t_n), step by step."""
    C, b = np.asarray(dynamics.C), np.asarray(dynamics.b)
    mean, cov = np.zeros((n, R)), np.zeros((n, R, n, R))
    cov[0, :, 0] = np.eye(R)
    for j in range(1, n):
        mean[j] = C @ mean[j - 1] + b
        cov[j, :, :j] = np.einsum("rs,skq->rkq", C, cov[j - 1, :, :j])
        cov[:j, :, j] = np.moveaxis(cov[j, :, :j], 0, 2)
        cov[j, :, j] = C @ cov[j - 1, :, j - 1] @ C.T + float(dynamics.v) * np.eye(R)
    return mean.ravel(), cov.reshape(n * R, n * R)


@pytest.mark.parametrize("seed", range(4))
def test_the_kl_of_linear_dynamics_is_that_of_the_dense_gaussians(x64, seed):
    time = chain(seed)
    cov = np.diag(np.exp(2 * np.asarray(time.log_std)).ravel())
    expected = gaussians.kl(np.asarray(time.mean).ravel(), cov, *dense_prior(time.dynamics, N))
    assert float(time.kl()) == pytest.approx(expected, rel=1e-9)


def test_steps_with_the_identity_and_no_drift_are_a_random_walk(x64):
    walk = Dynamics(jnp.eye(R), jnp.zeros(R), jnp.log(jnp.asarray(0.3)), nonlinear=False)
    steps = np.arange(N)
    walk_cov = 1.0 + 0.3 * np.minimum.outer(steps, steps)  # of a walk that starts from N(0, 1)
    mean, cov = dense_prior(walk, N)
    np.testing.assert_allclose(cov, np.kron(walk_cov, np.eye(R)))
    time = eqx.tree_at(lambda t: t.dynamics, chain(0), walk)
    posterior = np.diag(np.exp(2 * np.asarray(time.log_std)).ravel())
    expected = gaussians.kl(
        np.asarray(time.mean).ravel(), posterior, mean, np.kron(walk_cov, np.eye(R))
    )
    assert float(time.kl()) == pytest.approx(expected, rel=1e-9)
    forecast = time.marginals(jnp.asarray([1.0, 1.01, 1.21, 1.41]))
    np.testing.assert_allclose(forecast[0], np.broadcast_to(time.mean[-1], (4, R)))
    np.testing.assert_allclose(np.diff(forecast[1], axis=0), 0.3)


@pytest.mark.parametrize("seed", range(3))
def test_the_kl_of_nonlinear_dynamics_is_a_mean_over_draws(x64, seed):
    time = chain(seed, nonlinear=True)
    rng = np.random.default_rng(seed)
    mean, std = np.asarray(time.mean), np.exp(np.asarray(time.log_std))
    noise = rng.normal(size=(200_000, N, R))
    t = mean + std * noise
    log_q = np.sum(-0.5 * noise**2 - np.log(std) - 0.5 * np.log(2 * np.pi), axis=(1, 2))
    C, b, v = (np.asarray(x) for x in (time.dynamics.C, time.dynamics.b, time.dynamics.v))
    log_p = np.sum(-0.5 * t[:, 0] ** 2 - 0.5 * np.log(2 * np.pi), axis=1)
    gap = t[:, 1:] - np.tanh(t[:, :-1] @ C.T) - b
    log_p += np.sum(-0.5 * gap**2 / v - 0.5 * np.log(2 * np.pi * v), axis=(1, 2))
    sampled = log_q - log_p
    error = sampled.std() / len(sampled) ** 0.5
    assert abs(float(time.kl()) - sampled.mean()) < 5 * error


@pytest.mark.parametrize("nonlinear", [False, True])
def test_moments_advance_as_draws_do(x64, nonlinear):
    dynamics = chain(1, nonlinear).dynamics
    rng = np.random.default_rng(0)
    mean, variance = rng.normal(size=R), rng.uniform(0.1, 1, R)
    t = jnp.asarray(mean + np.sqrt(variance) * rng.normal(size=(300_000, R)))
    drawn = jax.vmap(dynamics.step)(t)
    got = dynamics.advance(jnp.asarray(mean), jnp.asarray(variance))
    np.testing.assert_allclose(got[0], drawn.mean(axis=0), atol=6e-3)
    np.testing.assert_allclose(got[1], drawn.var(axis=0) + float(dynamics.v), atol=2e-2)


@pytest.mark.parametrize("nonlinear", [False, True])
def test_draws_have_the_moments_of_the_marginals(x64, nonlinear):
    """Within the range exactly; ahead the marginals forget that the factors are correlated."""
    time = chain(2, nonlinear)
    times = jnp.asarray([-0.3, 0.0, 0.5, 1.0, 1.1])
    keys = jax.random.split(jax.random.key(0), 40_000)
    draws = np.asarray(jax.vmap(lambda key: time.draw(times, key))(keys))
    mean, variance = time.marginals(times)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=4e-2)
    np.testing.assert_allclose(draws.std(axis=0), np.sqrt(variance), rtol=3e-2)


def test_each_time_falls_into_its_step():
    time = chain(0, dtype=np.float32)
    times = jnp.asarray([0.0, 0.19, 0.21, 0.999, 1.0], jnp.float32)
    np.testing.assert_array_equal(time.marginals(times)[0], time.mean[jnp.array([0, 0, 1, 4, 4])])


def test_before_the_first_step_it_stands_and_is_less_and_less_sure(x64):
    time = chain(0)
    mean, variance = time.marginals(jnp.asarray([0.0, -0.1, -0.3]))
    np.testing.assert_array_equal(mean, np.broadcast_to(time.mean[0], mean.shape))
    np.testing.assert_allclose(variance[1] - variance[0], time.dynamics.v)
    np.testing.assert_allclose(variance[2] - variance[0], 2 * time.dynamics.v)


@pytest.mark.parametrize("far", [1e3, 1e30])
def test_times_however_far_have_finite_answers(far):
    time = chain(0, dtype=np.float32)
    for part in time.marginals(jnp.asarray([-far, far], jnp.float32)):
        assert bool(jnp.isfinite(part).all())


@pytest.mark.parametrize("nonlinear", [False, True])
def test_the_gradient_agrees_with_finite_differences(x64, nonlinear):
    times = jnp.asarray([-0.1, 0.5, 1.3])

    def total(time):
        mean, variance = time.marginals(times)
        return time.kl() + jnp.sum(jnp.sin(mean) + variance)

    assert directional_error(total, chain(3, nonlinear), seed=0) < 1e-6
