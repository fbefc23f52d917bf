import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import ClosedJaxpr, Jaxpr

from nonfat.training.state import create_state, optimiser
from nonfat.training.steps import StepRule, run_steps


def prepared(model, source, warmup=10):
    optim = optimiser(1e-2, 100)
    state = create_state(model, optim, jax.random.key(0))
    return StepRule(optim, source.size, warmup), state


def first_chunk(source):
    return jax.tree.map(jnp.asarray, next(source.epoch(np.random.default_rng(0))))


def same(x, y):
    x, y = (eqx.filter(tree, eqx.is_inexact_array) for tree in (x, y))
    return bool(eqx.tree_equal(x, y))


def test_the_weight_of_the_kl_terms_rises_to_one_and_stays_there(make_model, make_source):
    rule, _ = prepared(make_model(), make_source(), warmup=10)
    weights = [rule.kl_weight(jnp.asarray(step)).item() for step in range(30)]
    assert weights[0] == pytest.approx(0.01)
    assert np.all(np.diff(weights[:10]) > 0)
    assert set(weights[10:]) == {1.0}


def test_without_warmup_the_weight_is_one_from_the_second_step_on(make_model, make_source):
    rule, _ = prepared(make_model(), make_source(), warmup=0)
    assert rule.kl_weight(jnp.asarray(1)).item() == 1.0


def test_a_batch_with_nan_skips_its_step_leaves_everything_untouched_and_is_counted(
    make_model, make_source
):
    source = make_source(shape=(4, 30), value=np.where(np.arange(40) < 1, np.nan, 1.0))
    rule, state = prepared(make_model((4, 30)), source)
    chunk = first_chunk(source)
    bad = int(np.flatnonzero(np.isnan(np.asarray(chunk.batch.value)).any(axis=1))[0])
    one = jax.tree.map(lambda x: x[bad : bad + 1], chunk)
    after, elbo = run_steps(rule, state, one)
    assert np.isnan(np.asarray(elbo)).all()
    assert (int(after.skipped), int(after.step)) == (1, 1)
    assert same(state.model, after.model)
    assert same(state.moments, after.moments)
    good = jax.tree.map(lambda x: x[bad - 1 : bad], chunk)
    recovered, elbo = run_steps(rule, after, good)
    assert np.isfinite(np.asarray(elbo)).all()
    assert (int(recovered.skipped), int(recovered.step)) == (1, 2)
    assert not same(after.model, recovered.model)


def test_a_step_touches_the_rows_of_its_entities_only(make_model, make_source):
    source = make_source(shape=(4, 30))
    rule, state = prepared(make_model((4, 30)), source)
    one = jax.tree.map(lambda x: x[:1], first_chunk(source))
    after, _ = run_steps(rule, state, one)
    before, now = state.model.time.tables[1], after.model.time.tables[1]
    touched = np.flatnonzero(np.any(np.asarray(before != now), axis=1))
    index = np.asarray(one.entities[1][0])
    np.testing.assert_array_equal(touched, np.sort(index[index < 30]))


def test_the_elbo_reported_is_the_models_for_one_entry(make_model, make_source):
    source = make_source(shape=(4, 30))
    rule, state = prepared(make_model((4, 30)), source)
    one = jax.tree.map(lambda x: x[:1], first_chunk(source))
    local = jax.tree.map(lambda x: x[0], one)
    key = jax.random.fold_in(state.key, 0)
    part = state.model.take(local.entities)
    expected = jax.jit(lambda w: part.elbo(local.batch, 40, key, w))(jnp.float32(0.01)) / 40
    _, elbo = run_steps(rule, state, one)
    assert float(elbo[0]) == pytest.approx(float(expected), rel=1e-5)


# The cost of a step. Sizes that appear nowhere else mark the whole tables.

B, SMALL, LARGE = 10, (997, 1499), (9973, 14983)


def _equations(jaxpr):
    """All equations, those of inner programs included."""
    for equation in jaxpr.eqns:
        yield equation
        for parameter in jax.tree.leaves(
            equation.params, is_leaf=lambda x: isinstance(x, Jaxpr | ClosedJaxpr)
        ):
            if isinstance(parameter, ClosedJaxpr):
                yield from _equations(parameter.jaxpr)
            elif isinstance(parameter, Jaxpr):
                yield from _equations(parameter)


def _step_program(make_model, make_source, d, N):
    source = make_source(N=N, shape=(3, d), batch_size=B)
    rule, state = prepared(make_model((3, d)), source)
    local = jax.tree.map(lambda x: x[0], first_chunk(source))
    arrays, static = eqx.partition(state, eqx.is_array)

    def step(arrays, local):
        new, elbo = rule.step(eqx.combine(arrays, static), local)
        return eqx.filter(new, eqx.is_array), elbo

    return step, arrays, local


def _signature(equation, d):
    shapes = tuple(
        tuple("d" if n == d else n for n in variable.aval.shape) for variable in equation.outvars
    )
    return equation.primitive.name, shapes


@pytest.fixture
def programs(make_model, make_source):
    return [
        (_step_program(make_model, make_source, d, N), d)
        for d, N in zip(SMALL, (2000, 2000), strict=True)
    ] + [
        (_step_program(make_model, make_source, d, N), d)
        for d, N in zip(LARGE, (20_000, 200_000), strict=True)
    ]


def test_a_step_is_the_same_program_however_many_rows_and_entities_there_are(programs):
    signatures = []
    for (step, arrays, local), d in programs:
        jaxpr = jax.make_jaxpr(step)(arrays, local).jaxpr
        signatures.append([_signature(equation, d) for equation in _equations(jaxpr)])
    assert len(signatures[0]) > 100
    for other in signatures[1:]:
        assert other == signatures[0]


def test_no_intermediate_array_has_a_row_for_each_entity_but_the_tables_and_their_moments(programs):
    (step, arrays, local), d = programs[0]
    jaxpr = jax.make_jaxpr(step)(arrays, local).jaxpr
    makers = [
        equation.primitive.name
        for equation in _equations(jaxpr)
        if any(d in variable.aval.shape for variable in equation.outvars)
    ]
    # Writing the batch's rows back: the table and both of Adam's moments of it, nothing else
    # (a `jit` or `pjit` is the wrapper of a scatter, whose equation is listed too).
    assert makers.count("scatter") == 3
    assert set(makers) <= {"scatter", "jit", "pjit"}


def test_the_compiled_step_does_the_same_arithmetic_for_ten_times_the_rows_and_entities(programs):
    flops = []
    for (step, arrays, local), _ in (programs[0], programs[2]):
        cost = jax.jit(step, donate_argnums=0).lower(arrays, local).compile().cost_analysis()
        flops.append(cost["flops"])
    assert flops[0] > 1000
    assert flops[1] == flops[0]
