import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.models import Recipe, nonfat
from nonfat.times import LaguerreBasis, SpectralBasis


def recipe(**changes):
    sizes = {"R": 2, "s": 3, "basis": "spectral", "C": None, "a_k": 4, "a_g": 7}
    return Recipe(**{**sizes, **changes})


def test_the_sizes_of_a_recipe_are_those_of_the_model():
    make = lambda key: nonfat(recipe(C=9), (10, 3), 50, key, jnp.float32)  # noqa: E731
    model = eqx.filter_eval_shape(make, jax.random.key(0))
    assert [table.shape for table in model.time.tables] == [(10, 3), (3, 3)]
    assert [mode.Z.shape for mode in model.time.modes] == [(4, 3), (3, 3)]
    assert model.time.modes[0].posterior.A.shape == (2, 4, 9)
    assert model.combiner.Z.shape == (7, 4)


def test_the_basis_grows_with_the_distinct_times_up_to_its_limit():
    sizes = [recipe().basis_size(times) for times in (1, 2, 30, 60, 10**6, 10**7)]
    assert sizes[:2] == [3, 3]
    assert 30 < sizes[2] < sizes[3] < sizes[4] == sizes[5] < 300
    assert all(size % 2 == 1 for size in sizes)  # a constant, and sines and cosines in pairs
    assert recipe(C=12).basis_size(10**6) == 12


def test_the_basis_is_the_one_asked_for():
    assert isinstance(recipe().make_basis(30, jnp.float32), SpectralBasis)
    basis = recipe(basis="laguerre", C=10, horizon=4.0).make_basis(30, jnp.float32)
    assert isinstance(basis, LaguerreBasis)
    assert (basis.size, basis.horizon) == (10, 4.0)


@pytest.mark.parametrize("basis", ["spectral", "laguerre"])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_all_parameters_have_the_dtype_asked_for(x64, basis, dtype):
    make = lambda key: nonfat(recipe(basis=basis, C=9), (5, 3), 20, key, dtype)  # noqa: E731
    model = eqx.filter_eval_shape(make, jax.random.key(0))
    assert {leaf.dtype for leaf in jax.tree.leaves(model)} == {np.dtype(dtype)}
