import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.likelihoods import Gaussian
from nonfat.models import Batch, TensorModel
from nonfat.posteriors import WhitenedGaussian
from nonfat.times import Entries, TimeRepresentation
from nonfat.times.base import EntityTables
from nonfat.training import local_entries
from reference import gaussians
from reference.kernels import gram, squared_exponential
from reference.random_models import batch_of, sparse_gp, tensor_model
from reference.random_models import entries as random_entries

D = (4, 3)


class KnownInputs(TimeRepresentation):
    """v is the entities' rows side by side, without any uncertainty and whatever the time."""

    tables: EntityTables

    @property
    def inputs(self):
        return sum(table.shape[1] for table in self.tables)

    def marginals(self, entries):
        v = jnp.concatenate(
            [table[entries.position[:, k]] for k, table in enumerate(self.tables)], axis=1
        )
        return v, jnp.zeros_like(v)

    def draw(self, entries, key):
        return self.marginals(entries)[0]

    def kl(self):
        return jnp.zeros(())

    def entity_penalty(self, mode):
        return 0.5 * jnp.sum(self.tables[mode] ** 2, axis=1)

    def newcomer(self, normal):
        return normal


def known_inputs_model(seed, d=D, a_g=5, noise=0.3):
    rng = np.random.default_rng(seed)
    tables = tuple(jnp.asarray(rng.normal(size=(d_k, 1))) for d_k in d)
    return TensorModel(
        KnownInputs(tables), sparse_gp(seed, a_g, len(d)), Gaussian.create(noise, jnp.float64)
    )


def whole_batch(model, seed=0, B=7, T=3, dtype=np.float64):
    shape = tuple(len(table) for table in model.time.tables)
    return batch_of(seed, shape, B, T, dtype)


def on_device(tree):
    return jax.tree.map(jnp.asarray, tree)


@eqx.filter_jit
def elbo(model, batch, N, key, kl_weight=None):
    kl_weight = jnp.ones(()) if kl_weight is None else kl_weight
    return model.elbo(batch, N, key, kl_weight)


@pytest.mark.parametrize("seed", range(4))
def test_the_elbo_is_below_the_exact_log_marginal_likelihood_of_known_inputs(x64, seed):
    model = known_inputs_model(seed)
    batch = whole_batch(model, seed)
    V = np.asarray(model.time.marginals(batch.entries)[0])
    lengthscale = np.exp(np.asarray(model.combiner.kernel.log_lengthscale))
    K = gram(squared_exponential, V, V, float(model.combiner.kernel.variance), lengthscale)
    exact = gaussians.gp_log_marginal(K, np.asarray(batch.value), 0.3)
    no_prior = Batch(
        batch.entries, batch.value, batch.offset, tuple(0.0 * w for w in batch.prior_weight)
    )
    bound = float(elbo(model, no_prior, 7, jax.random.key(0)))
    assert bound < exact
    f, s2 = model.combiner.marginals(jnp.asarray(V))
    fit = model.likelihood.expected_log_prob(batch.value, f, s2)
    assert bound == pytest.approx(float(jnp.sum(fit) - model.combiner.kl()), rel=1e-10)


@pytest.mark.parametrize("d", [(4, 3), (20, 3)])
def test_the_mean_over_an_epochs_batches_is_the_elbo_of_all_entries(x64, d):
    """Also where a mode has more entities than a batch has rows, so that its prior is shared out.

    Four batches of six; noiseless inputs, so that nothing but the batch is random.
    """
    N, B = 24, 6
    model = known_inputs_model(1, d)
    rng = np.random.default_rng(2)
    codes = np.stack([np.resize(rng.permutation(d_k), N) for d_k in d], axis=1).astype(np.int32)
    value, time = rng.normal(size=N), rng.uniform(size=N)
    counts = [np.bincount(column, minlength=d_k) for column, d_k in zip(codes.T, d, strict=True)]
    total = 0.0
    for rows in rng.permutation(N).reshape(4, B):
        entries, entities = map(on_device, local_entries(codes[rows], time[rows], d))
        weights = []
        for k, index in enumerate(entities):
            if index is None:
                weights.append(np.ones(d[k]))
                continue
            here = np.bincount(entries.position[:, k], minlength=B)
            weights.append(N / B * here / counts[k][np.minimum(index, d[k] - 1)])
        batch = on_device(Batch(entries, value[rows], np.zeros(B), tuple(weights)))
        total += float(elbo(model.take(entities), batch, N, jax.random.key(0)))
    entries, _ = local_entries(codes, time, d)
    whole = Batch(entries, value, np.zeros(N), tuple(np.ones(d_k) for d_k in d))
    expected = float(elbo(model, on_device(whole), N, jax.random.key(9)))
    assert total / 4 == pytest.approx(expected, rel=1e-10)


def test_the_elbo_of_random_inputs_is_unbiased(x64):
    """Against Gauss-Hermite quadrature over the one-dimensional v; 4.5 standard errors."""
    model = tensor_model(3, d=(2,), a=(2,), R=1, a_g=3)
    batch = whole_batch(model, B=2, T=2)
    keys = jax.random.split(jax.random.key(1), 4000)
    draws = np.asarray(jax.jit(jax.vmap(lambda key: model.elbo(batch, 2, key)))(keys))
    mean, variance = model.time.marginals(batch.entries)
    nodes, weights = np.polynomial.hermite.hermgauss(60)

    def at(node):
        f, s2 = model.combiner.marginals(mean + jnp.sqrt(2 * variance) * node)
        return jnp.sum(model.likelihood.expected_log_prob(batch.value, f, s2))

    fit = weights / np.sqrt(np.pi) @ np.asarray(jax.jit(jax.vmap(at))(jnp.asarray(nodes)))
    penalty = float(jnp.sum(model.time.entity_penalty(0)))
    expected = fit - float(model.time.kl() + model.combiner.kl()) - penalty
    assert abs(draws.mean() - expected) < 4.5 * draws.std() / np.sqrt(len(draws))


def test_the_kl_weight_scales_the_kl_terms_and_nothing_else(x64):
    model = tensor_model(4)
    batch = whole_batch(model)
    key = jax.random.key(0)
    light, full = (elbo(model, batch, 9, key, jnp.asarray(x)) for x in (0.3, 1.0))
    kl = model.time.kl() + model.combiner.kl()
    assert float(light - full) == pytest.approx(0.7 * float(kl), rel=1e-9)


def test_the_fit_scales_with_the_number_of_entries_and_nothing_else(x64):
    model = tensor_model(5)
    batch = whole_batch(model)
    key = jax.random.key(0)
    one, two = (float(elbo(model, batch, N, key)) for N in (9, 18))
    constants = float(model.time.kl() + model.combiner.kl())
    constants += sum(float(jnp.sum(model.time.entity_penalty(k))) for k in range(2))
    assert two + constants == pytest.approx(2 * (one + constants), rel=1e-9)
    assert abs(two - one) > 1.0


def test_an_offset_is_added_to_the_latent_mean(x64):
    """With Gaussian noise it comes to the same as taking it off the value."""
    model = tensor_model(5)
    batch = whole_batch(model)
    offset = jnp.linspace(-1.0, 1.0, 7)
    with_offset = eqx.tree_at(lambda b: b.offset, batch, offset)
    shifted = eqx.tree_at(lambda b: b.value, batch, batch.value - offset)
    one, other, plain = (
        float(elbo(model, case, 9, jax.random.key(0))) for case in (with_offset, shifted, batch)
    )
    assert one == pytest.approx(other, rel=1e-10)
    assert abs(one - plain) > 1e-3


@pytest.mark.parametrize("basis", ["laguerre", "spectral"])
def test_the_gradient_of_the_elbo_agrees_with_finite_differences_in_every_leaf(x64, basis):
    model = tensor_model(6, basis, d=(3, 2), a=(2, 2), C=3, a_g=3)
    batch = whole_batch(model, B=4, T=2)
    params, static = eqx.partition(model, eqx.is_inexact_array)
    leaves, treedef = jax.tree.flatten(params)

    @jax.jit
    def f(leaves):
        return eqx.combine(treedef.unflatten(leaves), static).elbo(batch, 9, jax.random.key(0))

    gradients = jax.jit(jax.grad(f))(leaves)
    rng, step = np.random.default_rng(0), 1e-5
    for i, leaf in enumerate(leaves):
        direction = jnp.asarray(rng.normal(size=leaf.shape))
        moved = [[*leaves[:i], leaf + h * direction, *leaves[i + 1 :]] for h in (step, -step)]
        numeric = float(f(moved[0]) - f(moved[1])) / (2 * step)
        assert float(jnp.vdot(gradients[i], direction)) == pytest.approx(
            numeric, rel=1e-4, abs=1e-5
        )
        assert np.any(np.asarray(gradients[i]) != 0)


@pytest.mark.parametrize("basis", ["laguerre", "spectral"])
def test_the_gradient_of_the_elbo_is_finite_in_float32_with_coincident_entities(basis):
    model = tensor_model(7, basis, np.float32, d=(3, 2), a=(3, 2), C=11, a_g=6)
    # Entities coincide with each other and with pseudo inputs, all times coincide.
    model = model.with_tables(tuple(jnp.zeros_like(table) for table in model.time.tables))
    model = eqx.tree_at(lambda m: [x.Z for x in m.time.modes], model, replace_fn=jnp.zeros_like)
    batch = whole_batch(model, B=4, T=2, dtype=np.float32)
    batch = eqx.tree_at(lambda b: b.entries.times, batch, jnp.zeros(2))
    gradient = eqx.filter_jit(eqx.filter_grad(lambda m: m.elbo(batch, 9, jax.random.key(0))))(model)
    for leaf in jax.tree.leaves(gradient):
        assert np.all(np.isfinite(leaf))


ENTITIES = (jnp.array([3, 1], jnp.int32), None)


def test_put_undoes_take(x64):
    model = tensor_model(8)
    back = model.put(model.take(ENTITIES), ENTITIES)
    assert eqx.tree_equal(model, back)


def test_take_hands_out_the_rows_asked_for_and_all_of_a_mode_without_index(x64):
    model = tensor_model(8)
    part = model.take(ENTITIES)
    np.testing.assert_array_equal(part.time.tables[0], model.time.tables[0][jnp.array([3, 1])])
    np.testing.assert_array_equal(part.time.tables[1], model.time.tables[1])


def test_put_writes_the_taken_rows_only_and_drops_rows_beyond_the_table(x64):
    model = tensor_model(8)
    entities = (jnp.array([2, 4, 5], jnp.int32), None)  # a table of four rows ends at 3
    part = model.take(entities)
    assert np.all(np.isfinite(part.time.tables[0]))
    part = part.with_tables((part.time.tables[0] + 1.0, part.time.tables[1] * 2.0))
    back = model.put(part, entities)
    changed = np.asarray(back.time.tables[0] - model.time.tables[0])
    np.testing.assert_allclose(changed, [[0, 0], [0, 0], [1, 1], [0, 0]], atol=1e-12)
    np.testing.assert_array_equal(back.time.tables[1], 2.0 * model.time.tables[1])


def test_a_batch_answers_the_same_from_its_own_tables_as_from_the_whole_ones(x64):
    model = tensor_model(9, d=(9, 3))
    codes = np.array([[8, 0], [2, 1], [8, 2]], np.int32)
    time = np.array([0.1, 0.5, 0.1])
    entries, entities = map(on_device, local_entries(codes, time, (9, 3)))
    assert entities[0] is not None
    assert entities[1] is None
    marginals = eqx.filter_jit(lambda model, entries: model.time.marginals(entries))
    direct = marginals(
        model, Entries(jnp.asarray(codes), jnp.asarray(time), jnp.arange(3, dtype=jnp.int32))
    )
    local = marginals(model.take(entities), entries)
    for x, y in zip(direct, local, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9)


@eqx.filter_jit
def latent_samples(model, entries, noise, fresh=None):
    return model.latent_samples(entries, noise, fresh)


def _fresh(model, S, seed):
    keys = jax.random.split(jax.random.key(seed), len(model.time.tables))
    return tuple(
        jax.random.normal(key, (S, table.shape[1]), table.dtype)
        for key, table in zip(keys, model.time.tables, strict=True)
    )


def test_latent_samples_of_known_entities_do_not_depend_on_the_newcomers(x64):
    model = tensor_model(10)
    entries = random_entries(0, D, B=5, T=3)
    noise = jax.random.normal(jax.random.key(0), (6, 4), jnp.float64)
    without = latent_samples(model, entries, noise)
    with_fresh = latent_samples(model, entries, noise, _fresh(model, 6, 1))
    for x, y in zip(without, with_fresh, strict=True):
        assert x.shape == (6, 5)
        np.testing.assert_allclose(x, y, rtol=1e-9)


def test_the_answer_for_an_entry_does_not_depend_on_its_company(x64):
    model = tensor_model(10)
    noise = jax.random.normal(jax.random.key(0), (6, 4), jnp.float64)
    entries = random_entries(0, D, B=5, T=3)
    alone = Entries(entries.position[2:3], entries.times, entries.time_position[2:3])
    for x, y in zip(
        latent_samples(model, entries, noise), latent_samples(model, alone, noise), strict=True
    ):
        np.testing.assert_allclose(x[:, 2:3], y, rtol=1e-9)


def _newcomer_entries():
    times = jnp.linspace(0.1, 0.9, 4)
    return Entries(jnp.tile(jnp.array(D, jnp.int32), (4, 1)), times, jnp.arange(4, dtype=jnp.int32))


def test_newcomers_are_answered_with_the_prior_where_the_posterior_is_the_prior(x64):
    model = tensor_model(11)

    def flat(m):
        return [
            x for n in m.time.modes for x in (n.posterior.A, n.posterior.raw_L, n.posterior.raw_R)
        ]

    model = eqx.tree_at(flat, model, replace_fn=jnp.zeros_like)
    prior = WhitenedGaussian.create(4, 1.0, jnp.float64)
    model = eqx.tree_at(lambda m: m.combiner.posterior, model, prior)
    noise = jax.random.normal(jax.random.key(0), (8, 4), jnp.float64)
    f, s2 = latent_samples(model, _newcomer_entries(), noise, _fresh(model, 8, 2))
    np.testing.assert_allclose(f, 0.0, atol=1e-12)
    np.testing.assert_allclose(s2, float(model.combiner.kernel.variance), rtol=1e-7)


def test_newcomers_have_a_wider_predictive_than_known_entities_on_average(x64):
    model = tensor_model(12, a=D, a_g=12)
    # Known entities stand on their pseudo inputs, and so do their trajectories; q is narrow.
    at_inputs = tuple(mode.Z for mode in model.time.modes)
    model = model.with_tables(at_inputs)
    where = lambda m: [*(mode.posterior.raw_R for mode in m.time.modes), m.combiner.posterior.raw_S]  # noqa: E731
    narrow = [jnp.tile(-4.0 * jnp.eye(5), (2, 1, 1))] * 2 + [-3.0 * jnp.eye(12)]
    model = eqx.tree_at(where, model, narrow)
    everyone = np.stack(np.meshgrid(range(4), range(3), indexing="ij"), -1).reshape(-1, 2)
    time, first = jnp.array([0.4]), jnp.zeros(13, jnp.int32)
    known = Entries(jnp.asarray(everyone, jnp.int32), time, first[:12])
    trajectories = eqx.filter_jit(model.time.marginals)(known)[0]
    model = eqx.tree_at(lambda m: m.combiner.Z, model, trajectories)
    S = 200
    noise = jax.random.normal(jax.random.key(0), (S, 4), jnp.float64)
    fresh = _fresh(model, S, 3)
    position = jnp.asarray(np.concatenate([everyone, [D]]), jnp.int32)
    entries = Entries(position, time, first)
    f, s2 = map(np.asarray, latent_samples(model, entries, noise, fresh))
    total = f.var(axis=0) + s2.mean(axis=0)
    assert total[-1] > 2.0 * total[:-1].mean()


def test_draws_agree_with_latent_samples_in_mean_and_variance(x64):
    """Two routes to the latent value: 4.5 standard errors (false alarm 7e-6 each)."""
    model = tensor_model(13)
    entries = random_entries(3, D, B=3, T=2)
    n = 8000
    keys = jax.random.split(jax.random.key(0), n)
    draws = np.asarray(eqx.filter_jit(jax.vmap(lambda key: model.draw(entries, key)))(keys))
    noise = jax.random.normal(jax.random.key(1), (n, 4), jnp.float64)
    f, s2 = map(np.asarray, latent_samples(model, entries, noise))
    variance = f.var(axis=0) + s2.mean(axis=0)
    error = np.sqrt(variance / n + f.var(axis=0) / n)
    assert np.all(np.abs(draws.mean(0) - f.mean(0)) < 4.5 * error)
    kurtosis = np.mean((draws - draws.mean(0)) ** 4, axis=0) / draws.var(0) ** 2
    error = draws.var(0) * np.sqrt((kurtosis - 1) / n) + f.var(0) * np.sqrt(2 * kurtosis / n)
    assert np.all(np.abs(draws.var(0) - variance) < 4.5 * error)


def test_a_draw_in_two_parts_uses_one_function_and_other_row_noise(x64):
    model = tensor_model(14)
    entries = random_entries(3, D, B=4, T=2)
    key = jax.random.key(0)
    draw = eqx.filter_jit(model.draw)
    first, again, other = (np.asarray(draw(entries, key, part)) for part in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert np.all(first != other)
    others = np.stack([draw(entries, jax.random.key(i), 0) for i in range(1, 30)])
    assert np.mean((first - other) ** 2) < np.mean((first - others) ** 2)
