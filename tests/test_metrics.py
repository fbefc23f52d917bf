"""Every score by two routes: the formula, and a closed form or the naive definition."""

import dataclasses
import math

import numpy as np
import pytest

from nonfat import metrics
from nonfat.errors import ConfigError, DataError


def gaussian_crps(y: float, mu: float, sigma: float) -> float:
    """Gneiting and Raftery (2007), equation 21."""
    z = (y - mu) / sigma
    cdf = 0.5 * (1 + math.erf(z / math.sqrt(2)))
    pdf = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return sigma * (z * (2 * cdf - 1) + 2 * pdf - 1 / math.sqrt(math.pi))


def naive_crps(value, samples):
    count = len(samples)
    pairs = np.abs(samples[:, None] - samples[None]).sum((0, 1)) / (count * (count - 1))
    return np.mean(np.abs(samples - value).mean(0) - pairs / 2)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_constant_errors(rng):
    y = rng.normal(size=50)
    assert metrics.rmse(y, y + 2.0) == pytest.approx(2.0)
    assert metrics.mae(y, y - 2.0) == pytest.approx(2.0)
    assert metrics.rmse(y, y) == metrics.mae(y, y) == 0.0


def test_rmse_is_at_least_mae(rng):
    y, mean = rng.normal(size=(2, 30))
    assert metrics.rmse(y, mean) > metrics.mae(y, mean)


def test_relative_rmse_ignores_units_and_gives_one_for_zero(rng):
    y, mean = rng.normal(size=(2, 30))
    assert metrics.relative_rmse(7 * y, 7 * mean) == pytest.approx(metrics.relative_rmse(y, mean))
    assert metrics.relative_rmse(y, np.zeros(30)) == pytest.approx(1.0)


def test_relative_rmse_of_zeros_is_refused():
    with pytest.raises(DataError, match="all 3 values are zero; use rmse"):
        metrics.relative_rmse(np.zeros(3), np.ones(3))


def test_log_likelihood_is_a_mean_and_may_be_minus_infinity():
    assert metrics.log_likelihood([-1.0, -3.0]) == -2.0
    assert metrics.log_likelihood([-1.0, -math.inf]) == -math.inf


@pytest.mark.parametrize("y", [-1.0, 0.3, 2.5])
def test_crps_of_a_gaussian(rng, y):
    mu, sigma = 0.5, 1.7
    samples = rng.normal(mu, sigma, size=(200_000, 1))
    assert metrics.crps([y], samples) == pytest.approx(gaussian_crps(y, mu, sigma), abs=0.01)


def test_crps_is_unbiased_for_two_samples(rng):
    rows = 200_000
    samples = rng.normal(size=(2, rows))
    assert metrics.crps(np.ones(rows), samples) == pytest.approx(gaussian_crps(1, 0, 1), abs=0.01)


def test_crps_agrees_with_the_sum_over_all_pairs(rng):
    y, samples = rng.normal(size=4), rng.normal(size=(9, 4))
    assert metrics.crps(y, samples) == pytest.approx(naive_crps(y, samples))
    # A large common offset must not cost digits.
    assert metrics.crps(y + 1e8, samples + 1e8) == pytest.approx(naive_crps(y, samples), abs=1e-6)


def test_crps_of_a_point_is_the_absolute_error(rng):
    y, mean = rng.normal(size=(2, 6))
    assert metrics.crps(y, np.tile(mean, (5, 1))) == pytest.approx(metrics.mae(y, mean))


def test_crps_leaves_its_arguments_alone(rng):
    y, samples = rng.normal(size=3), rng.normal(size=(4, 3))
    before = samples.copy()
    metrics.crps(y, samples)
    np.testing.assert_array_equal(samples, before)


def test_coverage_counts_the_ends_and_takes_open_intervals():
    assert metrics.coverage([1.0, 2.0, 3.0], [1.0] * 3, [2.0] * 3) == pytest.approx(2 / 3)
    assert metrics.coverage([1.0, 2.0], [-math.inf] * 2, [math.inf] * 2) == 1.0


def test_pit_is_flat_for_a_calibrated_prediction(rng):
    places = metrics.pit(rng.normal(size=4000), rng.normal(size=(99, 4000)))
    counts, _ = np.histogram(places, bins=10, range=(0, 1))
    assert np.all(np.abs(counts - 400) < 100)


def test_pit_counts_ties_half():
    np.testing.assert_array_equal(metrics.pit([1.0], [[1.0], [1.0]]), [0.5])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.rmse([], []), "value is empty"),
        (lambda: metrics.log_likelihood([]), "log_density is empty"),
        (lambda: metrics.rmse([1.0, 2.0], [1.0]), "one length.* value 2, mean 1"),
        (lambda: metrics.mae([[1.0]], [1.0]), r"value: expected one number per row.*\(1, 1\)"),
        (lambda: metrics.rmse([1.0], [math.nan]), "mean: 1 of 1 numbers are NaN"),
        (lambda: metrics.rmse([math.inf], [1.0]), "value: 1 of 1 numbers are NaN or infinite"),
        (lambda: metrics.log_likelihood([math.nan]), "log_density: 1 of 1 numbers are NaN;"),
        (lambda: metrics.crps([1.0], [[1.0]]), r"expected shape \(S, 1\) with S >= 2.* \(1, 1\)"),
        (lambda: metrics.crps([1.0], [1.0, 2.0]), r"expected shape \(S, 1\)"),
        (lambda: metrics.crps([1.0, 2.0], np.ones((2, 3))), r"expected shape \(S, 2\).* \(2, 3\)"),
        (lambda: metrics.pit([], np.ones((2, 0))), "value is empty"),
        (lambda: metrics.coverage([1.0], [2.0], [0.0]), "lo > hi in 1 of 1 rows; were the two"),
        (lambda: metrics.coverage([1.0], [0.0], [2.0, 3.0]), "one length.* lo 1, hi 2"),
    ],
)  # fmt: skip
def test_mistakes_are_explained(call, message):
    with pytest.raises(DataError, match=message):
        call()


def test_the_table_is_keyed_by_name_and_frozen():
    assert all(name == entry.name for name, entry in metrics.METRICS.items())
    with pytest.raises(dataclasses.FrozenInstanceError):
        metrics.METRICS["rmse"].greater_is_better = True


@pytest.mark.parametrize("entry", metrics.METRICS.values(), ids=lambda entry: entry.name)
def test_the_declared_direction_is_true(entry, rng):
    """A sharp prediction around the truth beats a shifted one, in the declared direction."""
    y = rng.normal(1.0, 1.0, size=200)

    def score(shift):
        mean = y + shift
        available = {
            "value": y,
            "mean": mean,
            "log_density": -0.5 * (y - mean) ** 2,
            "crps_each": metrics.crps_each(y, mean + rng.normal(size=(50, 200))),
            "lo": mean - 1,
            "hi": mean + 1,
        }
        return entry.function(*(available[need] for need in entry.needs))

    if entry.greater_is_better is None:
        assert entry.name == "coverage"
    else:
        assert (score(0.0) > score(3.0)) == entry.greater_is_better


def test_an_unknown_name_suggests_a_near_one():
    assert metrics.metric("crps") is metrics.METRICS["crps"]
    with pytest.raises(ConfigError, match=r"'log_likelihod'; did you mean 'log_likelihood'\?"):
        metrics.metric("log_likelihod")
    for name in ("RMSE", "Rmse"):
        with pytest.raises(ConfigError, match=rf"'{name}'; did you mean 'rmse'\?"):
            metrics.metric(name)
    assert metrics.metric("coverage_95") is metrics.metric("coverage")
    with pytest.raises(ConfigError, match=r"did you mean 'coverage_95'\?"):
        metrics.metric("Coverage_95")
    with pytest.raises(ConfigError, match="'zzz'; The names are rmse, relative_rmse"):
        metrics.metric("zzz")
