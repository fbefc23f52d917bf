"""Joined dots: bands against a Gaussian process with Brownian covariance, and calibration."""

import numpy as np
import pytest

from nonfat.estimators.references.cells import Knots
from nonfat.estimators.references.lines import InterpolationRule, LastValueRule, fit_variances

RATE = 2.0


def rule(kind, codes, time, value, noise):
    """A rule with given variances."""
    knots = Knots.of(np.asarray(codes, np.int32), time, value)
    scalars = (np.asarray(x) for x in (value.mean(), 1.0, RATE, noise))
    return kind(knots.codes, knots.time, knots.value, knots.count, *scalars)


def brownian(time, query, value):
    """Conditional mean and variance of a Brownian motion from a far past, given exact values."""

    def covariance(a, b):
        return RATE * (1e5 + np.minimum(a[:, None], b))

    K = covariance(time, time) + 1e-9 * np.eye(len(time))
    cross = covariance(query, time)
    solved = np.linalg.solve(K, cross.T)
    return solved.T @ value, RATE * (1e5 + query) - np.sum(cross.T * solved, axis=0)


def test_without_noise_the_band_is_that_of_a_brownian_process():
    rng = np.random.default_rng(0)
    time, query = np.sort(rng.random(7)), np.linspace(0.0, 1.2, 40)
    query = query[query >= time[0]]
    value = rng.normal(size=7)
    codes, query_codes = np.zeros((7, 1), int), np.zeros((len(query), 1), int)
    mean, variance = rule(InterpolationRule, codes, time, value, 0.0).moments(query_codes, query)
    expected_mean, expected_variance = brownian(time, query, value)
    assert np.allclose(mean, expected_mean, atol=1e-3)
    assert np.allclose(variance, expected_variance, atol=1e-3)


def test_the_last_value_is_the_brownian_process_that_knows_the_past_alone():
    time, value = np.array([0.1, 0.3, 0.8]), np.array([1.0, -1.0, 2.0])
    query = np.array([0.2, 0.3, 0.7, 1.4])
    codes = np.zeros((3, 1), int)
    answer = rule(LastValueRule, codes, time, value, 0.0)
    mean, variance = answer.moments(np.zeros((4, 1), int), query)
    for at, when in enumerate(query):
        known = time <= when
        expected = brownian(time[known], query[[at]], value[known])
        assert mean[at] == pytest.approx(expected[0][0], abs=1e-3)
        assert variance[at] == pytest.approx(expected[1][0], abs=1e-3)
    first, _ = answer.moments(np.zeros((1, 1), int), np.array([0.0]))
    assert first[0] == 1.0  # before all of them: the first


def test_noise_of_the_knots_adds_to_the_band_as_weights_say():
    time, value = np.array([0.0, 1.0, 1.0]), np.array([1.0, 2.0, 4.0])
    answer = rule(InterpolationRule, np.zeros((3, 1), int), time, value, 0.6)
    mean, variance = answer.moments(np.zeros((3, 1), int), np.array([0.25, 1.0, 3.0]))
    assert np.allclose(mean, [1.5, 3.0, 3.0])
    bridge = RATE * 0.25 * 0.75
    assert np.allclose(
        variance,
        [bridge + 0.75**2 * 0.6 + 0.25**2 * 0.3, 0.3, RATE * 2 + 0.3],
    )


@pytest.mark.parametrize("kind", [InterpolationRule, LastValueRule])
def test_scenarios_have_the_moments_of_the_answer_and_are_continuous(kind):
    rng = np.random.default_rng(1)
    codes = np.array([[0], [0], [0], [1]])
    answer = rule(kind, codes, np.array([0.2, 0.5, 0.9, 0.4]), rng.normal(size=4), 0.3)
    query = np.array([0.0, 0.3, 0.300001, 0.5, 0.8, 1.5, 0.1, 0.6, 0.5, 0.7])
    query_codes = np.array([0, 0, 0, 0, 0, 0, 1, 1, -1, -1])[:, None]
    scenario = answer.scenario(query_codes, query)
    draws = np.array([scenario(rng) for _ in range(8000)])
    mean, variance = answer.moments(query_codes, query)
    assert np.allclose(draws.mean(axis=0), mean, atol=0.08)
    assert np.allclose(draws.var(axis=0), variance, rtol=0.08)
    assert np.allclose(draws[:, 1], draws[:, 2], atol=0.02)
    assert np.array_equal(draws[:, 8], draws[:, 9])  # a new cell is one cell
    correlation = np.corrcoef(draws.T)
    assert abs(correlation[1, 7]) < 0.05  # cells know nothing of each other


def walks(seed, cells=20, rows=60, noise=0.05):
    rng = np.random.default_rng(seed)
    time = np.sort(rng.random((cells, rows)), axis=1)
    step = np.diff(time, axis=1, prepend=0.0)
    walk = np.cumsum(rng.normal(0, np.sqrt(RATE * step)), axis=1)
    codes = np.repeat(np.arange(cells), rows)[:, None]
    return codes, time.ravel(), (walk + rng.normal(0, np.sqrt(noise), walk.shape)).ravel()


@pytest.mark.parametrize("past", [False, True])
def test_variances_are_those_that_the_data_were_drawn_with(past):
    found = [fit_variances(Knots.of(*walks(seed)), past=past) for seed in range(6)]
    assert np.mean(found, axis=0) == pytest.approx([RATE, 0.05], rel=0.15)


def test_rows_of_one_knot_tell_the_noise():
    rng = np.random.default_rng(5)
    codes, time, value = walks(5, noise=0.0)
    repeated = np.repeat(value, 3) + rng.normal(0, np.sqrt(0.05), 3 * len(value))
    knots = Knots.of(np.repeat(codes, 3, axis=0), np.repeat(time, 3), repeated)
    assert np.allclose(knots.count, 3)
    assert fit_variances(knots, past=False)[1] == pytest.approx(0.05, rel=0.05)


@pytest.mark.parametrize("kind", [InterpolationRule, LastValueRule])
def test_bands_hold_as_many_new_rows_as_they_say(kind):
    inside = []
    for seed in range(5):
        codes, time, value = walks(seed)
        kept = np.random.default_rng(seed).random(len(time)) < 0.7
        answer = kind.learn(codes[kept], time[kept], value[kept])
        mean, variance = answer.moments(codes[~kept], time[~kept])
        inside += [*(np.abs(value[~kept] - mean) < 1.645 * np.sqrt(variance + answer.noise))]
    assert np.mean(inside) == pytest.approx(0.9, abs=0.025)
