"""The scalar marginals against the paper's literal nested sampler, and draws against both.

False alarms: moments within 4.5 standard errors (7e-6 for each comparison), Kolmogorov-Smirnov
p > 1e-4. The seeds are fixed, so a test that passed once passes always.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import kstest, norm

from nonfat.times import Entries
from nonfat.times import trajectories as module
from nonfat.times.trajectories import entry_marginals, grid_marginals, pair_marginals
from reference.bases import functions_and_covariance
from reference.differences import directional_error
from reference.kernels import gram, squared_exponential
from reference.nested import sample_trajectory
from reference.random_models import entries as random_entries
from reference.random_models import trajectories

BASES = ["laguerre", "spectral"]
D, R = (4, 3), 2


def assert_gaussian(u, mean, variance):
    """The draws u come from N(mean, variance)."""
    n, deviation = len(u), np.sqrt(variance)
    assert abs(u.mean() - mean) < 4.5 * deviation / np.sqrt(n)
    assert abs(u.var() - variance) < 4.5 * variance * np.sqrt(2 / n)
    assert kstest(u, norm(mean, deviation).cdf).pvalue > 1e-4


@eqx.filter_jit
def marginals(time, entries):
    return time.marginals(entries)


def literal_arguments(time, k, r, j, t):
    """What the nested sampler needs of mode k, trajectory r, entity j and time t."""
    mode = time.modes[k]
    phi, Omega = functions_and_covariance(mode.basis, r, t)
    q = mode.posterior
    return {
        "e": np.asarray(time.tables[k][j]),
        "Z": np.asarray(mode.Z),
        "variance": float(jnp.exp(mode.kernels.log_variance[r])),
        "lengthscale": np.asarray(jnp.exp(mode.kernels.log_lengthscale[r])),
        "Omega": Omega,
        "A": np.asarray(q.A[r]),
        "L": np.asarray(q.L[r]),
        "R": np.asarray(q.R[r]),
        "phi": phi,
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", BASES)
def test_marginals_are_those_of_the_papers_nested_sampler(x64, name, seed):
    rng = np.random.default_rng(100 + seed)
    time = trajectories(seed, name)
    entries = random_entries(seed, D, B=3, T=2)
    mean, variance = marginals(time, entries)
    for n in range(3):
        k, r = int(rng.integers(2)), int(rng.integers(R))
        j = int(entries.position[n, k])
        t = float(entries.times[entries.time_position[n]])
        u = sample_trajectory(rng, **literal_arguments(time, k, r, j, t), size=3000)
        column = k * R + r  # v stacks the modes, each with its R trajectories
        assert_gaussian(u, mean[n, column], variance[n, column])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", BASES)
def test_marginals_are_the_closed_form_of_unwhitened_algebra(x64, name, seed):
    time, entries = trajectories(seed, name), random_entries(seed, D, B=4, T=3)
    mean, variance = marginals(time, entries)
    for n in range(4):
        for k in range(2):
            for r in range(R):
                t = float(entries.times[entries.time_position[n]])
                x = literal_arguments(time, k, r, int(entries.position[n, k]), t)
                Kzz = gram(squared_exponential, x["Z"], x["Z"], x["variance"], x["lengthscale"])
                kez = gram(
                    squared_exponential, x["e"][None], x["Z"], x["variance"], x["lengthscale"]
                )[0]
                L_Z, L_O = np.linalg.cholesky(Kzz), np.linalg.cholesky(x["Omega"])
                weights = np.linalg.inv(Kzz) @ kez
                M, U = L_Z @ x["A"] @ L_O.T, L_Z @ x["L"]
                V = L_O @ x["R"]
                power = x["phi"] @ x["Omega"] @ x["phi"]
                spread = (weights @ U @ U.T @ weights) * (x["phi"] @ V @ V.T @ x["phi"])
                open_part = (x["variance"] - kez @ weights) * power
                column = k * R + r
                assert mean[n, column] == pytest.approx(weights @ M @ x["phi"], rel=1e-5, abs=1e-6)
                assert variance[n, column] == pytest.approx(open_part + spread, rel=1e-5)


@pytest.mark.parametrize("name", BASES)
def test_the_grid_the_pairs_and_the_choice_between_them_agree(x64, name, monkeypatch):
    mode = trajectories(0, name).modes[0]
    E = jnp.asarray(np.random.default_rng(0).normal(size=(6, 2)))
    times = jnp.asarray(np.linspace(0, 1, 5))
    e, t = eqx.filter_jit(lambda m: (m.entity_part(E), m.time_part(times)))(mode)
    grid = grid_marginals(e, t)
    j, i = jnp.array([0, 5, 2, 2]), jnp.array([4, 0, 3, 3])
    pairs = pair_marginals(e, t, j, i)
    np.testing.assert_allclose(pairs[0], grid[0][:, j, i], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(pairs[1], grid[1][:, j, i], rtol=1e-12)
    for pairs_per_entry in (0, 1000):  # never through the grid, always through it
        monkeypatch.setattr(module, "_GRID_PAIRS_PER_ENTRY", pairs_per_entry)
        chosen = entry_marginals(e, t, j, i)
        np.testing.assert_allclose(chosen[0], pairs[0], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(chosen[1], pairs[1], rtol=1e-12)


JOINT = Entries(
    np.array([[1, 0], [1, 2], [1, 0], [1, 1], [3, 0]], np.int32),
    np.array([0.2, 0.55]),
    np.array([0, 0, 0, 1, 0], np.int32),
)
"""Rows 0, 1, 2 share entity 1 of mode 0 and the time; row 3 is that entity later; row 4 another."""


@eqx.filter_jit
def _draws(time, entries, keys):
    return jax.vmap(lambda key: time.draw(entries, key))(keys)


def draws(time, entries):
    return np.asarray(_draws(time, entries, jax.random.split(jax.random.key(3), 6000)))


@pytest.mark.parametrize("name", BASES)
def test_draws_agree_in_distribution_with_the_marginals(x64, name):
    time = trajectories(5, name)
    v = draws(time, JOINT)
    mean, variance = marginals(time, JOINT)
    for n in range(5):
        for column in range(2 * R):
            assert_gaussian(v[:, n, column], mean[n, column], variance[n, column])


@pytest.mark.parametrize("name", BASES)
def test_a_draw_is_joint_over_rows(x64, name):
    v = draws(trajectories(5, name), JOINT)
    np.testing.assert_array_equal(v[:, 0, :R], v[:, 1, :R])  # same entity of mode 0, same time
    np.testing.assert_array_equal(v[:, 0], v[:, 2])  # same row
    assert np.all(v[:, 0, :R] != v[:, 3, :R])  # later
    assert np.all(v[:, 0, :R] != v[:, 4, :R])  # another entity
    np.testing.assert_array_equal(v[:, 0, R:], v[:, 4, R:])  # but the same entity of mode 1


@eqx.filter_jit
def _pieces(mode, E):
    psi = mode.basis.whitened(jnp.asarray(JOINT.times))
    q = mode.posterior
    return mode.weights(E), mode.entity_part(E).residual, psi, q.L.mT, q.R.mT


@pytest.mark.parametrize("name", BASES)
def test_draws_covary_between_times_and_between_entities_as_the_closed_form_says(x64, name):
    time = trajectories(5, name)
    v = draws(time, JOINT)
    mode = time.modes[0]
    W, residual, psi, LT, RT = map(np.asarray, _pieces(mode, time.tables[0]))
    for r in range(R):
        Rpsi, rows = RT[r] @ psi[r].T, LT[r] @ W[r]
        across_times = residual[r, 1] * psi[r, 0] @ psi[r, 1]
        across_times += rows[:, 1] @ rows[:, 1] * (Rpsi[:, 0] @ Rpsi[:, 1])
        across_entities = rows[:, 1] @ rows[:, 3] * (Rpsi[:, 0] @ Rpsi[:, 0])
        for other, expected in ((3, across_times), (4, across_entities)):
            sample = np.cov(v[:, 0, r], v[:, other, r])
            error = np.sqrt((sample[0, 0] * sample[1, 1] + sample[0, 1] ** 2) / len(v))
            assert abs(sample[0, 1] - float(expected)) < 4.5 * error


def test_trajectories_of_different_modes_and_ranks_are_independent_draws(x64):
    v = draws(trajectories(5, "spectral"), JOINT)
    correlation = np.corrcoef(v[:, 0].T)
    np.fill_diagonal(correlation, 0.0)
    assert np.abs(correlation).max() < 4.5 / np.sqrt(len(v))


def test_the_prior_of_a_trajectory_is_its_kernel_times_its_basis(x64):
    """With q(Ĝ) = p(Ĝ) every entity has mean zero and variance κ(e, e)‖ψ(t)‖²."""
    time = trajectories(8, "spectral")

    def posteriors(t):
        return [x for m in t.modes for x in (m.posterior.A, m.posterior.raw_L, m.posterior.raw_R)]

    prior = eqx.tree_at(posteriors, time, replace_fn=jnp.zeros_like)
    entries = random_entries(0, D, B=6, T=4)
    mean, variance = marginals(prior, entries)
    np.testing.assert_array_equal(mean, 0.0)
    for k, mode in enumerate(time.modes):
        offset = 1 + np.exp(2 * np.asarray(mode.basis.log_offset))
        expected = np.exp(np.asarray(mode.kernels.log_variance)) * offset
        np.testing.assert_allclose(
            variance[:, k * R : (k + 1) * R], np.tile(expected, (6, 1)), rtol=1e-6
        )
    assert float(prior.kl()) == pytest.approx(0.0, abs=1e-12)


def test_the_kl_is_the_sum_over_modes_and_trajectories(x64):
    time = trajectories(9, "laguerre")
    each = [
        float(
            module.WhitenedMatrixGaussian(
                q.A[r : r + 1], q.raw_L[r : r + 1], q.raw_R[r : r + 1]
            ).kl()
        )
        for q in (mode.posterior for mode in time.modes)
        for r in range(R)
    ]
    assert float(time.kl()) == pytest.approx(sum(each), rel=1e-12)


def test_the_entity_penalty_is_minus_the_log_prior_up_to_its_constant(x64):
    time = trajectories(10, "laguerre")
    log_prior = norm.logpdf(np.asarray(time.tables[1])).sum(axis=1)
    constant = norm.logpdf(np.zeros(2)).sum()
    np.testing.assert_allclose(time.entity_penalty(1), constant - log_prior, rtol=1e-12)


def test_a_newcomer_stands_behind_the_last_row_and_leaves_the_others_alone(x64):
    time = trajectories(11, "spectral")
    rows = (jnp.array([0.3, -0.2]), jnp.array([1.0, 0.5]))
    wider = time.with_newcomers(rows)
    known = Entries(jnp.array([[0, 1]], jnp.int32), jnp.array([0.4]), jnp.array([0], jnp.int32))
    for before, after in zip(marginals(time, known), marginals(wider, known), strict=True):
        np.testing.assert_allclose(before, after, rtol=1e-12)
    np.testing.assert_array_equal(wider.tables[0][4], rows[0])
    np.testing.assert_array_equal(wider.tables[1][3], rows[1])


@pytest.mark.parametrize("name", BASES)
def test_gradients_of_the_marginals_agree_with_finite_differences_at_coincident_points(x64, name):
    """Two entities share their embedding, one stands on a pseudo input, two times coincide."""
    time = trajectories(12, name, d=(4,), a=(3,))
    E = time.tables[0].at[1].set(time.tables[0][0]).at[2].set(time.modes[0].Z[0])
    time = eqx.tree_at(lambda t: t.tables, time, (E,))
    weights = jnp.asarray(np.random.default_rng(0).normal(size=(2, 5, R)))
    position = jnp.array([[0], [1], [2], [3], [0]], jnp.int32)
    index = jnp.array([0, 1, 2, 2, 1], jnp.int32)

    def f(arguments):
        time, times = arguments
        mean, variance = time.marginals(Entries(position, times, index))
        return jnp.sum(weights[0] * mean + weights[1] * variance)

    times = jnp.array([0.3, 0.3, 0.8])
    params, static = eqx.partition(time, eqx.is_inexact_array)
    whole = lambda x: f((eqx.combine(x[0], static), x[1]))  # noqa: E731
    assert directional_error(whole, (params, times), seed=0) < 1e-5


@pytest.mark.parametrize("name", BASES)
def test_gradients_in_float32_are_finite_where_embeddings_pseudo_inputs_and_times_coincide(name):
    time = trajectories(13, name, d=(4,), a=(4,), C=11, dtype=np.float32)
    E = jnp.full((4, 2), 0.5, jnp.float32)
    time = eqx.tree_at(lambda t: (t.tables, t.modes[0].Z), time, ((E,), E))
    entries = Entries(
        jnp.array([[0], [1], [2]], jnp.int32), jnp.zeros(3), jnp.array([0, 1, 2], jnp.int32)
    )

    def f(time):
        mean, variance = time.marginals(entries)
        return jnp.sum(mean + jnp.sqrt(variance))  # the root is what the model takes

    for leaf in jax.tree.leaves(eqx.filter_jit(eqx.filter_grad(f))(time)):
        assert np.all(np.isfinite(leaf))
