"""Every cell of the grid, and the sizes of what it is made of."""

import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.combiners import CP, Network, SparseGP
from nonfat.likelihoods import Gaussian
from nonfat.models import COMBINERS, TIMES, Recipe, compose
from nonfat.times import Discrete, Factors, LaguerreBasis, SpectralBasis, Trajectories
from reference.random_models import batch_of

SHAPE = (5, 3)
CELLS = list(itertools.product(TIMES, COMBINERS))


def recipe(time="spectral", combiner="gp", **changes):
    sizes = {"R": 2, "s": 3, "C": None, "a_k": 4, "a_g": 7, "steps": 4, "knots": 5, "width": 6}
    return Recipe(time, combiner, **{**sizes, **changes})


def make(chosen, shape=SHAPE, times=50, dtype=jnp.float32):
    """The model of a recipe, with shapes in the place of numbers."""

    def build(key):
        return compose(chosen, Gaussian.create(0.1, dtype), shape, times, key, dtype)

    return eqx.filter_eval_shape(build, jax.random.key(0))


@pytest.mark.parametrize(("time", "combiner"), CELLS)
def test_every_cell_has_a_bound_and_a_gradient(time, combiner):
    noise = Gaussian.create(0.1, jnp.float32)
    chosen = recipe(time, combiner, C=5)
    model = compose(chosen, noise, SHAPE, 9, jax.random.key(0), jnp.float32)
    batch = batch_of(0, SHAPE, B=12, T=6, dtype=np.float32)
    inputs = eqx.filter_eval_shape(lambda m: m.time.marginals(batch.entries)[0], model)
    assert inputs.shape == (12, chosen.inputs(len(SHAPE))) == (12, model.time.inputs)
    params, static = eqx.partition(model, eqx.is_inexact_array)

    def bound(params):
        return eqx.combine(params, static).elbo(batch, 12, jax.random.key(1))

    value, gradient = jax.jit(jax.value_and_grad(bound))(params)
    assert jnp.isfinite(value)
    assert all(bool(jnp.isfinite(leaf).all()) for leaf in jax.tree.leaves(gradient))


@pytest.mark.parametrize(
    ("time", "combiner"),
    [*((time, "gp") for time in TIMES), ("continuous", "cp"), ("static", "network")],
)
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_all_parameters_have_the_dtype_asked_for(x64, time, combiner, dtype):
    model = make(recipe(time, combiner, C=9), dtype=dtype)
    assert {leaf.dtype for leaf in jax.tree.leaves(model)} == {np.dtype(dtype)}


def test_the_sizes_of_a_recipe_are_those_of_the_model():
    model = make(recipe(C=9), (10, 3))
    assert isinstance(model.time, Trajectories)
    assert [table.shape for table in model.time.tables] == [(10, 3), (3, 3)]
    assert [mode.Z.shape for mode in model.time.modes] == [(4, 3), (3, 3)]
    assert model.time.modes[0].posterior.A.shape == (2, 4, 9)
    assert isinstance(model.combiner, SparseGP)
    assert model.combiner.Z.shape == (7, 4)
    steps = make(recipe("nonlinear", "network", depth=2)).time
    assert isinstance(steps, Factors)
    assert isinstance(steps.moment, Discrete)
    assert (steps.moment.mean.shape, steps.moment.dynamics.nonlinear) == ((4, 2), True)
    net = make(recipe("linear", "network", depth=2)).combiner
    assert isinstance(net, Network)
    assert [W.shape for W, _ in net.layers] == [(6, 6), (6, 6)]
    cp = make(recipe("continuous", "cp")).combiner
    assert isinstance(cp, CP)
    assert cp.posterior.m.shape == (2, 7)


def test_only_continuous_time_has_weights_that_move():
    assert [make(recipe(time, "cp")).combiner.spline is not None for time in TIMES] == [
        time == "continuous" for time in TIMES
    ]


def test_the_pseudo_inputs_reach_from_the_first_time_to_the_last():
    noise = Gaussian.create(0.1, jnp.float32)
    chosen = recipe("continuous", a_g=200, horizon=30.0)
    model = compose(chosen, noise, SHAPE, 9, jax.random.key(0), jnp.float32)
    tau = model.combiner.Z[:, -1]
    assert 0 <= float(tau.min()) < 3
    assert 27 < float(tau.max()) <= 30


def test_the_basis_grows_with_the_distinct_times_up_to_its_limit():
    sizes = [recipe().basis_size(times) for times in (1, 2, 30, 60, 10**6, 10**7)]
    assert sizes[:2] == [3, 3]
    assert 30 < sizes[2] < sizes[3] < sizes[4] == sizes[5] < 300
    assert all(size % 2 == 1 for size in sizes)  # a constant, and sines and cosines in pairs
    assert recipe(C=12).basis_size(10**6) == 12


def test_the_basis_is_the_one_asked_for():
    assert isinstance(make(recipe("spectral")).time.modes[0].basis, SpectralBasis)
    basis = make(recipe("laguerre", C=10, horizon=4.0)).time.modes[0].basis
    assert isinstance(basis, LaguerreBasis)
    assert (basis.size, basis.horizon) == (10, 4.0)
