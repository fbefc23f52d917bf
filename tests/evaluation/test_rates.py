"""The smoothed rate of a cell, against a grid and against what it should tend to."""

import numpy as np
import pytest
from scipy.stats import betabinom

from nonfat.errors import DataError
from nonfat.evaluation.rates import binary_log_score, cell_rate, smoothing_strength


@pytest.fixture
def tallies():
    """Cells whose rates were drawn with strength 8 around 0.3."""
    rng = np.random.default_rng(0)
    count = rng.integers(1, 60, size=2000)
    rate = rng.beta(8 * 0.3, 8 * 0.7, size=2000)
    return rng.binomial(count, rate).astype(float), count.astype(float)


def test_the_strength_is_the_likeliest_of_a_grid(tallies):
    yes, count = tallies
    rate = yes.sum() / count.sum()
    grid = np.exp(np.linspace(0, 5, 501))
    likelihood = [betabinom.logpmf(yes, count, s * rate, s * (1 - rate)).sum() for s in grid]
    expected = grid[np.argmax(likelihood)]
    assert smoothing_strength(yes, count) == pytest.approx(expected, rel=0.02)
    assert expected == pytest.approx(8, rel=0.2)


def test_rates_row_by_row(tallies):
    yes, count = (part[:30] for part in tallies)
    cells = np.repeat(np.arange(30), count.astype(int))
    value = np.concatenate(
        [np.arange(n) < k for k, n in zip(yes, count, strict=True)], dtype=float, casting="unsafe"
    )
    codes = np.stack([cells % 5, cells // 5], axis=1)
    queries = np.array([[0, 0], [3, 2], [4, 5], [9, 9]])
    strength, rate = smoothing_strength(yes, count), value.mean()
    expected = [(yes[c] + strength * rate) / (count[c] + strength) for c in (0, 13, 29)]
    np.testing.assert_allclose(cell_rate(codes, value, queries), [*expected, rate])


def test_cells_that_are_alike_get_the_common_rate():
    codes = np.repeat(np.arange(50)[:, None], 40, axis=0)
    value = np.tile([1.0, 0.0, 0.0, 0.0], 500)
    np.testing.assert_allclose(cell_rate(codes, value, codes[:3]), 0.25, atol=1e-3)


def test_the_log_score_of_certainty_that_is_wrong():
    with np.errstate(divide="ignore"):
        assert binary_log_score(np.array([1.0]), np.array([0.0])) == -np.inf
    assert binary_log_score(np.array([1.0, 0.0]), np.array([1.0, 0.0])) == 0


@pytest.mark.parametrize("value", [[0.0, 0.0], [1.0, 2.0], []])
def test_values_that_are_no_answer_to_yes_or_no(value):
    codes = np.zeros((len(value), 1), int)
    with pytest.raises(DataError, match="needs training values of 0 and 1, both of them; got"):
        cell_rate(codes, np.array(value), codes)
