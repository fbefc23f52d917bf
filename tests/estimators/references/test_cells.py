"""The reference predictors against loops over cells, and against measured numbers."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonfat.errors import DataError
from nonfat.estimators.references.cells import cell_mean, interpolate_in_time
from nonfat.metrics import relative_rmse


def looped_interpolation(codes, time, value, query_codes, query_time):
    predictions = []
    for cell, when in zip(query_codes, query_time, strict=True):
        mine = (codes == cell).all(1)
        knots = np.unique(time[mine])
        means = [value[mine & (time == knot)].mean() for knot in knots]
        predictions.append(np.interp(when, knots, means) if len(knots) else value.mean())
    return np.array(predictions)


def looped_mean(codes, value, query_codes):
    mine = [(codes == cell).all(1) for cell in query_codes]
    return np.array([value[rows].mean() if rows.any() else value.mean() for rows in mine])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(0, 20))
def test_agrees_with_a_loop_over_the_cells(seed, rows, queries):
    rng = np.random.default_rng(seed)
    codes, query_codes = rng.integers(0, 3, (rows, 2)), rng.integers(-1, 4, (queries, 2))
    # Few distinct times: repeated rows and exact hits are common.
    time, query_time = rng.integers(0, 6, rows) / 3.0, rng.integers(-1, 14, queries) / 6.0
    value = rng.normal(size=rows)
    np.testing.assert_allclose(
        interpolate_in_time(codes, time, value, query_codes, query_time),
        looped_interpolation(codes, time, value, query_codes, query_time),
        atol=1e-12,
    )
    np.testing.assert_allclose(
        cell_mean(codes, value, query_codes), looped_mean(codes, value, query_codes), atol=1e-12
    )


def test_training_rows_are_met_exactly():
    rng = np.random.default_rng(1)
    codes, time, value = rng.integers(0, 2, (20, 1)), rng.permutation(20) / 7, rng.normal(size=20)
    np.testing.assert_array_equal(interpolate_in_time(codes, time, value, codes, time), value)


def test_no_queries_give_no_predictions():
    codes, none = np.zeros((2, 1), np.int32), np.zeros((0, 1), np.int32)
    assert cell_mean(codes, np.ones(2), none).shape == (0,)
    assert interpolate_in_time(codes, np.ones(2), np.ones(2), none, np.ones(0)).shape == (0,)


def test_no_training_rows_are_refused():
    none, codes = np.zeros((0, 1), int), np.zeros((1, 1), int)
    with pytest.raises(DataError, match="needs one training row or more"):
        cell_mean(none, np.ones(0), codes)
    with pytest.raises(DataError, match="needs one training row or more"):
        interpolate_in_time(none, np.ones(0), np.ones(0), codes, np.ones(1))


def test_the_papers_split_of_beijing_gives_the_relative_rmse_that_was_measured(shared_data):
    """By an independent script, on the test rows: 0.885 for cell means, 0.217 for lines."""
    frame = pl.read_parquet(shared_data("beijing/fold0.parquet"))
    train, test = (frame.filter(pl.col("split") == part) for part in ("train", "test"))
    codes, query_codes = (part["site", "pollutant"].to_numpy() for part in (train, test))
    time, value = train["time"].to_numpy(), train["value"].to_numpy()
    truth = test["value"].to_numpy()
    lines = interpolate_in_time(codes, time, value, query_codes, test["time"].to_numpy())
    assert relative_rmse(truth, cell_mean(codes, value, query_codes)) == pytest.approx(
        0.885, abs=5e-4
    )
    assert relative_rmse(truth, lines) == pytest.approx(0.217, abs=5e-4)
