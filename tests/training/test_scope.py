import jax
import jax.numpy as jnp
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from nonfat.training import scoped


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        yield


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_scope_sets_precision_and_threads_and_gives_both_back(outside, dtype):
    with jax.enable_x64(outside):
        before = blas_threads()
        assert before == {2}
        with scoped(dtype):
            assert jnp.ones(1, float).dtype == dtype
            assert blas_threads() == {1}
        assert blas_threads() == before
        assert jax.config.jax_enable_x64 is outside


def test_the_scope_gives_both_back_after_an_error():
    with pytest.raises(ZeroDivisionError), scoped("float64"):
        raise ZeroDivisionError
    assert blas_threads() == {2}
    assert not jax.config.jax_enable_x64
