"""Means against plain averages, their bands against data drawn from their own model."""

import numpy as np
import polars as pl
import pytest

import nonfat as nf
from nonfat.estimators.references.cells import cell_mean
from nonfat.estimators.references.means import CellMeanRule


def draw(rng, cells, rows, between, noise):
    """Codes and values of cells whose means scatter, and the means."""
    mean = rng.normal(0, np.sqrt(between), cells)
    codes = rng.integers(0, cells, rows)
    return codes[:, None], mean[codes] + rng.normal(0, np.sqrt(noise), rows), mean


def test_the_global_mean_is_the_mean_with_its_standard_error():
    value = np.random.default_rng(0).normal(3.0, 2.0, 400)
    table = pl.DataFrame({"site": ["a", "b"] * 200, "time": range(400), "value": value})
    answer = nf.GlobalMean().fit(table).predict(table.head(1))
    assert answer["mean"][0] == pytest.approx(value.mean())
    assert answer["latent_std"][0] == pytest.approx(value.std() / 20, rel=0.01)
    assert answer["std"][0] == pytest.approx(value.std(), rel=0.01)


def test_known_cells_have_their_plain_mean_and_new_ones_that_of_all():
    rng = np.random.default_rng(1)
    codes, value, _ = draw(rng, 5, 60, 1.0, 0.5)
    queries = np.array([[0], [4], [-1]])
    mean, variance = CellMeanRule.learn(codes, value).moments(queries, np.zeros(3))
    assert np.allclose(mean, cell_mean(codes, value, queries))
    count = np.bincount(codes[:, 0])
    assert variance[0] / variance[1] == pytest.approx(count[4] / count[0])
    assert variance[2] > variance[:2].max()


def test_variances_within_and_between_cells_are_found():
    rng = np.random.default_rng(2)
    codes, value, _ = draw(rng, 400, 4000, 0.7, 0.3)
    rule = CellMeanRule.learn(codes, value)
    assert rule.noise == pytest.approx(0.3, rel=0.06)
    assert rule.between == pytest.approx(0.7, rel=0.2)


def test_cells_of_one_row_have_an_honest_band():
    """Of their own model: the squared errors of cells' means are what the band says."""
    errors, said = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        codes, value, truth = draw(rng, 60, 120, 0.5, 0.5)
        _, variance = (rule := CellMeanRule.learn(codes, value)).moments(
            np.arange(60)[:, None], np.zeros(60)
        )
        mine = np.bincount(codes[:, 0], minlength=60) == 1
        errors += [*(rule.moments(np.arange(60)[:, None], np.zeros(60))[0] - truth)[mine] ** 2]
        said += [*variance[mine]]
    assert np.mean(errors) == pytest.approx(np.mean(said), rel=0.15)


def test_draws_of_a_cell_move_together_and_others_apart():
    rng = np.random.default_rng(3)
    codes, value, _ = draw(rng, 3, 12, 1.0, 1.0)
    rule = CellMeanRule.learn(codes, value)
    scenario = rule.scenario(np.array([[0], [0], [1], [-1]]), np.zeros(4))
    draws = np.array([scenario(rng) for _ in range(4000)])
    assert np.array_equal(draws[:, 0], draws[:, 1])
    assert abs(np.corrcoef(draws[:, 0], draws[:, 2])[0, 1]) < 0.06
    _, variance = rule.moments(np.array([[0], [0], [1], [-1]]), np.zeros(4))
    assert np.allclose(draws.var(axis=0), variance, rtol=0.1)
