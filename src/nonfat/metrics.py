"""How good a prediction is: pure functions over NumPy arrays, and their directions, once.

Each function takes anything that NumPy can turn into numbers, and returns one number. The table
`METRICS` says of each what it means, what it needs and whether more is better; scorers, early
stopping and result tables all look there.
"""

import difflib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from nonfat.errors import ConfigError, DataError

__all__ = [
    "METRICS",
    "Metric",
    "coverage",
    "crps",
    "crps_each",
    "log_likelihood",
    "mae",
    "metric",
    "pit",
    "relative_rmse",
    "rmse",
]


def rmse(value: ArrayLike, mean: ArrayLike) -> float:
    """Root mean squared error, in the units of the value.

    Args:
        value: Observed values, shape ``N``.
        mean: Predicted means, shape ``N``.

    Examples:
        >>> rmse([0.0, 0.0], [3.0, 4.0])
        3.5355339059327378
    """
    return _rms(_errors(value, mean))


def relative_rmse(value: ArrayLike, mean: ArrayLike) -> float:
    """RMSE divided by the root mean square of the values: what the paper calls "RMSE".

    Predicting zero everywhere gives exactly one.

    Args:
        value: Observed values, shape ``N``, not all zero.
        mean: Predicted means, shape ``N``.

    Examples:
        >>> relative_rmse([3.0, 4.0], [0.0, 0.0])
        1.0
    """
    error, scale = rmse(value, mean), _rms(_vector("value", value))
    if scale == 0.0:
        raise DataError(
            "relative_rmse divides by the root mean square of the values, and all "
            f"{np.size(value)} values are zero; use rmse instead"
        )
    return error / scale


def mae(value: ArrayLike, mean: ArrayLike) -> float:
    """Mean absolute error, in the units of the value.

    Args:
        value: Observed values, shape ``N``.
        mean: Predicted means (or medians), shape ``N``.

    Examples:
        >>> mae([0.0, 0.0], [3.0, -4.0])
        3.5
    """
    return float(np.mean(np.abs(_errors(value, mean))))


def log_likelihood(log_density: ArrayLike) -> float:
    """Mean log density that the predictive distributions gave to the observed values.

    Args:
        log_density: Log predictive density of each row, shape ``N``; minus infinity is allowed.

    Examples:
        >>> log_likelihood([-1.0, -2.0])
        -1.5
    """
    return float(np.mean(_vector("log_density", log_density, finite=False)))


def crps(value: ArrayLike, samples: ArrayLike) -> float:
    """Continuous ranked probability score from samples, in the units of the value.

    With X, X' independent draws from the prediction, it is E|X - y| - E|X - X'| / 2. The second
    mean is over distinct pairs of samples, so the estimate is unbiased for any number of samples
    (and may fall slightly below zero); sorting makes that sum cost O(S log S).

    Args:
        value: Observed values, shape ``N``.
        samples: Predictive samples, shape ``(S, N)`` with two samples or more.

    Examples:
        >>> crps([0.0], [[-1.0], [1.0]])
        0.0
        >>> crps([5.0], [[1.0], [1.0], [1.0]])
        4.0
    """
    return float(np.mean(crps_each(value, samples)))


def crps_each(value: ArrayLike, samples: ArrayLike) -> Float[np.ndarray, "N"]:
    """The score of each row, whose mean is `crps`: many rows can be scored in parts.

    Args:
        value: Observed values, shape ``N``.
        samples: Predictive samples, shape ``(S, N)`` with two samples or more.

    Examples:
        >>> crps_each([5.0, 0.0], [[1.0, -1.0], [1.0, 1.0]])
        array([4., 0.])
    """
    value, samples = _value_and_samples(value, samples, at_least=2)
    errors = np.sort(samples - value, axis=0)  # pairs keep their distance; large offsets cancel
    count = len(errors)
    # sum over i<j of (x_(j) - x_(i)): the i-th smallest is added i times, subtracted S - 1 - i.
    weights = 2.0 * np.arange(count) - (count - 1)
    spread = weights @ errors / (count * (count - 1))
    return np.mean(np.abs(errors), axis=0) - spread


def coverage(value: ArrayLike, lo: ArrayLike, hi: ArrayLike) -> float:
    """Share of the values that lie in their predicted intervals, ends included.

    Good intervals of 95% cover 0.95: neither more nor less is better.

    Args:
        value: Observed values, shape ``N``.
        lo: Lower ends, shape ``N``; may be minus infinity.
        hi: Upper ends, shape ``N``; may be infinity.

    Examples:
        >>> coverage([0.0, 1.0, 2.0, 3.0], lo=[0.0] * 4, hi=[2.0] * 4)
        0.75
    """
    value = _vector("value", value)
    lo, hi = _vector("lo", lo, finite=False), _vector("hi", hi, finite=False)
    _check_same_length(value=value, lo=lo, hi=hi)
    if np.any(lo > hi):
        raise DataError(
            f"coverage expects lo <= hi, got lo > hi in {np.sum(lo > hi)} of {len(lo)} rows; "
            "were the two swapped?"
        )
    return float(np.mean((lo <= value) & (value <= hi)))


def pit(value: ArrayLike, samples: ArrayLike) -> Float[np.ndarray, "N"]:
    """Where each value falls among its predictive samples, from 0 to 1; ties count half.

    Over many rows a calibrated prediction gives a flat histogram: heaped ends mean too narrow,
    a heaped middle too wide.

    Args:
        value: Observed values, shape ``N``.
        samples: Predictive samples, shape ``(S, N)``.

    Returns:
        Probability integral transform of each value.

    Examples:
        >>> pit([0.5, 9.0], [[0.0, 0.0], [1.0, 1.0]])
        array([0.5, 1. ])
    """
    value, samples = _value_and_samples(value, samples, at_least=1)
    return np.mean((samples < value) + 0.5 * (samples == value), axis=0)


def _mean(scores: ArrayLike) -> float:
    """Of scores that were computed row by row."""
    return float(np.mean(_vector("scores", scores)))


@dataclass(frozen=True)
class Metric:
    """A score by name.

    Attributes:
        name: What users type.
        meaning: One line for help texts and table captions.
        greater_is_better: The direction; None if the score should hit a mark instead, and so
            cannot choose between models by itself.
        needs: The names of what ``function`` takes, in order: ``value``, ``mean``,
            ``log_density``, ``crps_each``, ``lo``, ``hi``.
        function: The score itself.

    Examples:
        >>> METRICS["mae"].function([1.0, 2.0], [1.0, 4.0])
        1.0
    """

    name: str
    meaning: str
    greater_is_better: bool | None
    needs: tuple[str, ...]
    function: Callable[..., float]


METRICS: dict[str, Metric] = {
    entry.name: entry
    for entry in (
        Metric("rmse", "root mean squared error", False, ("value", "mean"), rmse),
        Metric(
            "relative_rmse", "RMSE / RMS of the values", False, ("value", "mean"), relative_rmse
        ),
        Metric("mae", "mean absolute error", False, ("value", "mean"), mae),
        Metric(
            "log_likelihood",
            "mean log predictive density of a row",
            True,
            ("log_density",),
            log_likelihood,
        ),
        Metric("crps", "continuous ranked probability score", False, ("crps_each",), _mean),
        Metric(
            "coverage",
            "share of values inside their interval (should equal its level)",
            None,
            ("value", "lo", "hi"),
            coverage,
        ),
    )
}
"""Every score that a user can ask for by name."""

_ALSO = {"coverage_95": "coverage"}


def metric(name: str) -> Metric:
    """Look a score up by name.

    Args:
        name: A key of `METRICS`, or ``coverage_95`` as tables of scores call the coverage.

    Raises:
        ConfigError: No score has this name.

    Examples:
        >>> metric("rmse").greater_is_better
        False
        >>> metric("rsme")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: no metric is called 'rsme'; did you mean 'rmse'? ...
    """
    if isinstance(name, str) and _ALSO.get(name, name) in METRICS:
        return METRICS[_ALSO.get(name, name)]
    close = difflib.get_close_matches(str(name).lower(), [*METRICS, *_ALSO], n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise ConfigError(f"no metric is called {name!r}; {hint}The names are {', '.join(METRICS)}")


# --- checks -----------------------------------------------------------------------------------


def _rms(x: Float[np.ndarray, "N"]) -> float:
    return float(np.sqrt(np.mean(np.square(x))))


def _errors(value: ArrayLike, mean: ArrayLike) -> Float[np.ndarray, "N"]:
    value, mean = _vector("value", value), _vector("mean", mean)
    _check_same_length(value=value, mean=mean)
    return mean - value


def _vector(name: str, given: ArrayLike, *, finite: bool = True) -> Float[np.ndarray, "N"]:
    array = np.asarray(given, dtype=np.float64)
    if array.ndim != 1:
        raise DataError(f"{name}: expected one number per row, got shape {array.shape}; flatten it")
    _check_numbers(name, array, finite=finite)
    return array


def _value_and_samples(
    value: ArrayLike, samples: ArrayLike, *, at_least: int
) -> tuple[Float[np.ndarray, "N"], Float[np.ndarray, "S N"]]:
    value, samples = _vector("value", value), np.asarray(samples, dtype=np.float64)
    if samples.ndim != 2 or samples.shape[1] != len(value) or len(samples) < at_least:
        raise DataError(
            f"samples: expected shape (S, {len(value)}) with S >= {at_least}, one row per draw, "
            f"got {samples.shape}"
        )
    _check_numbers("samples", samples, finite=True)
    return value, samples


def _check_numbers(name: str, array: Float[np.ndarray, "..."], *, finite: bool) -> None:
    if array.size == 0:
        raise DataError(f"{name} is empty; a score needs one row or more")
    bad = ~np.isfinite(array) if finite else np.isnan(array)
    if bad.any():
        kind = "NaN or infinite" if finite else "NaN"
        raise DataError(
            f"{name}: {bad.sum()} of {array.size} numbers are {kind}; drop those rows, or find "
            "out where they come from"
        )


def _check_same_length(**arrays: Float[np.ndarray, "_"]) -> None:
    if len({len(array) for array in arrays.values()}) > 1:
        lengths = ", ".join(f"{name} {len(array)}" for name, array in arrays.items())
        raise DataError(f"expected arrays of one length, one number per row, got {lengths}")
