"""Process-wide switches are the user's: precision, threads, warnings."""

import jax
import numpy as np
import pytest
import scipy.linalg  # noqa: F401  (its BLAS is the one that jaxlib calls)
from threadpoolctl import threadpool_info, threadpool_limits

from contracts.support import numbers

TOLERANCE = 1e-3


def _blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture(scope="module")
def double(new, table, quickly_compiled):
    return new(dtype="float64").fit(table)


@pytest.mark.once
def test_double_precision_is_double_and_close_to_single(model, double, table):
    assert {leaf.dtype.name for leaf in jax.tree.leaves(double.fit_.model)} == {"float64"}
    assert {leaf.dtype.name for leaf in jax.tree.leaves(model.fit_.model)} == {"float32"}
    answer = double.predict(table, level=95)
    assert np.isfinite(numbers(answer)).all()
    assert answer["mean"].dtype == model.predict(table)["mean"].dtype
    assert np.isfinite(double.sample(table, 2)["draw"].to_numpy()).all()


@pytest.mark.once
def test_the_precision_flag_stays_as_it_was(double, table):
    assert not jax.config.jax_enable_x64
    double.predict(table)
    double.score(table)
    double.trajectories("site", times=[1])
    assert not jax.config.jax_enable_x64
    assert jax.numpy.ones(1).dtype == "float32"


@pytest.mark.once
def test_single_precision_works_where_double_is_on(new, model, table):
    with jax.enable_x64(True):
        inside = new().fit(table)
        answer = inside.predict(table, level=80)
        drawn = inside.sample(table, 2)
        trajectories = inside.trajectories("site", times=[1, 5])
        assert jax.numpy.ones(1).dtype == "float64"
    assert {leaf.dtype.name for leaf in jax.tree.leaves(inside.fit_.model)} == {"float32"}
    assert answer.equals(model.predict(table, level=80))
    assert drawn.equals(model.sample(table, 2))
    assert trajectories.equals(model.trajectories("site", times=[1, 5]))


def test_blas_threads_stay_as_they_were(new, table):
    with threadpool_limits(2, user_api="blas"):
        before = _blas_threads()
        assert 2 in before
        new().fit(table).predict(table)
        assert _blas_threads() == before


@pytest.mark.once
def test_blas_threads_are_given_back_after_an_error(new, table, monkeypatch):
    from nonfat.estimators import trained

    def broken(*args, **kwargs):
        assert 2 not in _blas_threads()
        raise RuntimeError("no")

    monkeypatch.setattr(trained, "train", broken)
    with threadpool_limits(2, user_api="blas"):
        before = _blas_threads()
        with pytest.raises(RuntimeError, match="no"):
            new(dtype="float64").fit(table)
        assert _blas_threads() == before
    assert not jax.config.jax_enable_x64


def test_nothing_is_printed_without_a_terminal(new, table, capfd):
    new(progress=None).fit(table).predict(table)
    assert capfd.readouterr() == ("", "")


@pytest.mark.trained
def test_a_second_fit_of_the_same_sizes_compiles_nothing(new, model, table):
    import jax.monitoring

    compiled = []

    def listen(event, duration, **kwargs):
        if "backend_compile" in event:
            compiled.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        new(seed=3).fit(table.with_columns(level=table["level"] * 2.0)).predict(table)
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
    assert not compiled
