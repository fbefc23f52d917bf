"""A small model and data for it, fast to compile."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.likelihoods import Gaussian
from nonfat.models import Recipe, compose
from nonfat.training import ArraySource

RECIPE = Recipe("spectral", "gp", R=1, s=2, C=5, a_k=3, a_g=4)


@pytest.fixture(scope="session")
def make_model():
    """A function of the shape that gives a model."""

    @cache
    def make(shape=(4, 3)):
        noise = Gaussian.create(0.1, jnp.float32)
        return compose(RECIPE, noise, shape, 30, jax.random.key(0), jnp.float32)

    return make


@pytest.fixture
def make_source():
    """A function of the sizes that gives a source."""

    def make(N=40, shape=(4, 3), batch_size=10, value=None):
        rng = np.random.default_rng(0)
        codes = np.stack([rng.integers(0, d, N) for d in shape], axis=1).astype(np.int32)
        value = rng.normal(size=N) if value is None else value
        time = rng.uniform(0, 1, N)
        return ArraySource(codes, *(x.astype(np.float32) for x in (time, value)), shape, batch_size)

    return make
