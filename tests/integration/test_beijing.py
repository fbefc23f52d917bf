"""The paper's own data: a short fit does much better than a mean that knows no time."""

import numpy as np
import polars as pl
import pytest

import nonfat as nf

CELL_MEAN = 0.885  # its relative RMSE on the test rows of the paper's own split


@pytest.fixture(scope="module")
def rows(shared_data):
    """Part of the training rows of the first split, and rows that are held out of them."""
    table = pl.read_parquet(shared_data("beijing/fold0.parquet"))
    table = table.filter(pl.col("split") == "train").drop("split")
    held = np.zeros(len(table), dtype=bool)
    held[np.random.default_rng(0).choice(len(table), len(table) // 5, replace=False)] = True
    return table.filter(~held), table.filter(held)


@pytest.fixture(scope="module")
def fitted(rows):
    modes = [name for name in rows[0].columns if name not in ("time", "value")]
    model = nf.NONFAT(
        modes, rank=3, basis_size=61, pseudo_inputs=60, epochs=50, draws=32, progress=False
    )
    return model.fit(rows[0])


def _relative_rmse_of_cell_means(training, held):
    cells = [name for name in training.columns if name not in ("time", "value")]
    means = training.group_by(cells).agg(pl.col("value").mean().alias("mean"))
    joined = held.join(means, on=cells, how="left").with_columns(
        pl.col("mean").fill_null(training["value"].mean())
    )
    error = (joined["mean"] - joined["value"]).to_numpy()
    return np.sqrt(np.mean(error**2) / np.mean(held["value"].to_numpy() ** 2))


def test_a_short_fit_beats_the_mean_of_the_cell_clearly(rows, fitted):
    found = fitted.evaluate(rows[1])
    baseline = _relative_rmse_of_cell_means(*rows)
    assert baseline == pytest.approx(CELL_MEAN, abs=0.05)
    assert found["relative_rmse"] < 0.6 * baseline
    assert found["log_likelihood"] > -1.0  # a Gaussian around a constant has -1.42
    assert 0.88 < found["coverage_95"] < 1.0


def test_its_answers_survive_the_file(rows, fitted, tmp_path):
    fitted.save(tmp_path / "beijing.nonfat")
    loaded = nf.load(tmp_path / "beijing.nonfat")
    assert loaded.predict(rows[1], level=80).equals(fitted.predict(rows[1], level=80))
    assert loaded.evaluate(rows[1]) == fitted.evaluate(rows[1])
