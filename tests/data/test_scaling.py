"""Affine: an invertible scaling that never divides by zero."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nonfat.data import Affine
from nonfat.errors import DataError

finite = st.floats(-1e100, 1e100)
values = arrays(np.float64, st.integers(1, 30), elements=finite)


@settings(max_examples=80, deadline=None)
@given(values)
def test_invert_undoes_apply(y):
    scaling = Affine.learn(y)
    assert scaling.scale > 0
    back = scaling.invert(scaling.apply(y))
    np.testing.assert_allclose(back, y, rtol=1e-9, atol=1e-9 * np.abs(y).max())
    assert Affine.from_json(json.loads(json.dumps(scaling.to_json()))) == scaling


def test_scaled_values_have_mean_zero_and_deviation_one():
    y = np.random.default_rng(0).normal(7.0, 3.0, 1000)
    scaled = Affine.learn(y).apply(y)
    assert abs(scaled.mean()) < 1e-12
    assert abs(scaled.std() - 1) < 1e-12


@pytest.mark.parametrize("constant", [0.0, 0.1, -1e300, 5e-324])
def test_equal_values_keep_scale_one(constant):
    assert Affine.learn(np.full(7, constant)) == Affine(constant, 1.0)


def test_values_closer_than_a_float_can_square_keep_scale_one():
    assert Affine.learn(np.array([0.0, 5e-324])).scale == 1.0


@pytest.mark.parametrize("bad", [[], [1.0, np.nan], [np.inf]])
def test_only_finite_values_teach(bad):
    with pytest.raises(DataError, match="learned from one or more finite values"):
        Affine.learn(np.array(bad, dtype=np.float64))


def test_values_too_large_to_average_are_refused():
    with pytest.raises(DataError, match="rescale values this extreme yourself"):
        Affine.learn(np.array([1e308, 1.5e308, -1.7e308, 1.7e308]))


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_a_scale_is_positive(scale):
    with pytest.raises(DataError, match=r"positive, finite scale, got shift=0.0"):
        Affine(0.0, scale)
