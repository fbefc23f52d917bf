"""The reference for yes or no: the rate of a cell, drawn towards the rate of all.

Plain functions over integer codes; a *cell* is one combination of entities.
A cell's rate p ~ Beta(s g, s (1 - g)), g the rate of all training rows, so that k of n make
E[p | k, n] = (k + s g) / (n + s). The strength s is the one under which the training rows are
likeliest: a few rows of a cell should count for as much as cells really differ.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import betaln

from nonfat._typing import Codes, Float, Int, Values
from nonfat.errors import DataError

__all__ = ["binary_log_score", "cell_rate", "smoothing_strength"]

_STRENGTHS = (1e-3, 1e6)


def cell_rate(
    train_codes: Codes, train_value: Values, query_codes: Int[np.ndarray, "B K"]
) -> Float[np.ndarray, "B"]:
    """Predict the smoothed rate of each query's cell, whatever the time.

    Args:
        train_codes: Codes of the training rows, one column per mode.
        train_value: 0 or 1 for each of them, and both occur.
        query_codes: Codes of the rows to predict.

    Returns:
        One probability per query, never 0 or 1; the rate of all where the cell is new.

    Examples:
        >>> codes = np.repeat([[0], [1]], 50, axis=0)
        >>> yes = np.r_[np.zeros(45), np.ones(45), np.zeros(10)]
        >>> cell_rate(codes, yes, np.array([[0], [1], [2]])).round(2)
        array([0.11, 0.79, 0.45])
    """
    yes, count, cell = _tallies(train_codes, train_value, query_codes)
    rate = train_value.mean()
    strength = smoothing_strength(yes, count)
    return ((yes + strength * rate) / (count + strength))[cell]


def smoothing_strength(yes: Values, count: Values) -> float:
    """How many rows of the common rate each cell is given, by maximum likelihood.

    With g the common rate, log p(k, n) = log B(k + s g, n - k + s (1 - g)) - log B(s g, s (1 - g))
    summed over cells, and s between 0.001 (cells have nothing in common) and 10⁶ (all are alike).

    Args:
        yes: k of each cell.
        count: n of each cell.

    Examples:
        >>> alike = smoothing_strength(np.array([5.0, 5.0, 5.0]), np.array([10.0, 10.0, 10.0]))
        >>> smoothing_strength(np.array([0.0, 5.0, 10.0]), np.array([10.0, 10.0, 10.0])) < 1 < alike
        True
    """
    rate = yes.sum() / count.sum()

    def surprise(log_strength: float) -> float:
        a, b = np.exp(log_strength) * rate, np.exp(log_strength) * (1 - rate)
        return -float(np.sum(betaln(yes + a, count - yes + b) - betaln(a, b)))

    found = minimize_scalar(surprise, bounds=np.log(_STRENGTHS), method="bounded")
    return float(np.exp(found.x))


def binary_log_score(value: Values, probability: Float[np.ndarray, "N"]) -> float:
    """Mean log probability of what happened.

    Args:
        value: 0 or 1.
        probability: Of 1.

    Examples:
        >>> round(binary_log_score(np.array([0.0, 1.0]), np.array([0.5, 0.5])), 3)
        -0.693
    """
    return float(np.mean(np.log(np.where(value > 0.5, probability, 1 - probability))))


def _tallies(
    train_codes: Codes, train_value: Values, query_codes: Int[np.ndarray, "B K"]
) -> tuple[Values, Values, Int[np.ndarray, "B"]]:
    """Yes and all of each cell that occurs anywhere, and the cell of each query."""
    found = set(np.unique(train_value))
    if found != {0.0, 1.0}:
        raise DataError(
            "a rate needs training values of 0 and 1, both of them; got "
            f"{', '.join(f'{value:g}' for value in sorted(found)[:5]) or 'none'}"
        )
    both = np.concatenate([train_codes, query_codes])
    distinct, cell = np.unique(both, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    trained = cell[: len(train_codes)]
    yes = np.bincount(trained, weights=train_value, minlength=len(distinct))
    count = np.bincount(trained, minlength=len(distinct)).astype(float)
    return yes, count, cell[len(train_codes) :]
