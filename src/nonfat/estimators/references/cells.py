"""Cells and their knots: the arithmetic of the references that look at one cell at a time.

Pure functions over integer codes: a *cell* is one combination of entities, one row of codes.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from nonfat._typing import Codes, Float, Int, Values
from nonfat.errors import DataError

__all__ = ["Knots", "Neighbours", "cell_mean", "interpolate_in_time", "number_cells"]


def cell_mean(
    train_codes: Codes, train_value: Values, query_codes: Int[np.ndarray, "B K"]
) -> Float[np.ndarray, "B"]:
    """Predict the mean of the cell's training values, whatever the time.

    Args:
        train_codes: Codes of the training rows, one column per mode.
        train_value: Values of the training rows.
        query_codes: Codes of the rows to predict.

    Returns:
        One prediction per query; the mean of all training values where the cell is new.

    Examples:
        >>> cell_mean(np.array([[0], [0], [1]]), np.array([1.0, 3.0, 8.0]), np.array([[0], [7]]))
        array([2., 4.])
    """
    _check_not_empty(train_value)
    train_cell, query_cell, cells = number_cells(train_codes, query_codes)
    count = np.bincount(train_cell, minlength=cells)
    total = np.bincount(train_cell, weights=train_value, minlength=cells)
    mean = np.where(count > 0, total / np.maximum(count, 1), train_value.mean())
    return mean[query_cell]


def interpolate_in_time(
    train_codes: Codes,
    train_time: Values,
    train_value: Values,
    query_codes: Int[np.ndarray, "B K"],
    query_time: Float[np.ndarray, "B"],
) -> Float[np.ndarray, "B"]:
    """Predict on the straight line between the cell's neighbours in time.

    Rows of one cell at one time are averaged first. Before the first and after the last
    observation of the cell the line is level.

    Args:
        train_codes: Codes of the training rows, one column per mode.
        train_time: Times of the training rows.
        train_value: Values of the training rows.
        query_codes: Codes of the rows to predict.
        query_time: Times of the rows to predict.

    Returns:
        One prediction per query; the mean of all training values where the cell is new.

    Examples:
        >>> codes, time, value = np.array([[0], [0]]), np.array([0.0, 2.0]), np.array([1.0, 5.0])
        >>> interpolate_in_time(codes, time, value, np.zeros((3, 1), int), np.array([1.0, 2, 9]))
        array([3., 5., 5.])
    """
    _check_not_empty(train_value)
    line = Knots.of(train_codes, train_time, train_value)
    at = line.around(query_codes, query_time)
    return np.where(at.known, at.line(line.value), train_value.mean())


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Where queries lie among the knots of their cells.

    Attributes:
        known: whether the cell has knots at all.
        left: the knot before the query, or the nearest one.
        right: the knot after it, or the nearest one.
        weight: of the right knot; 0 where both are the same.
        spread: variance of a Brownian motion of unit rate at the query, given the knots: a bridge
            between two, a random walk away from one.
    """

    known: Bool[np.ndarray, "B"]
    left: Int[np.ndarray, "B"]
    right: Int[np.ndarray, "B"]
    weight: Float[np.ndarray, "B"]
    spread: Float[np.ndarray, "B"]

    @classmethod
    def between(
        cls,
        known: Bool[np.ndarray, "B"],
        left: Int[np.ndarray, "B"],
        right: Int[np.ndarray, "B"],
        knot_time: Values,
        time: Float[np.ndarray, "B"],
    ) -> "Neighbours":
        """Weights and spreads from the knots' and the queries' times."""
        gap, since = knot_time[right] - knot_time[left], time - knot_time[left]
        weight = np.divide(since, gap, out=np.zeros_like(time), where=gap > 0)
        spread = np.where(gap > 0, since * (1 - weight), np.abs(since))
        return cls(known, left, right, weight, spread)

    def line(self, values: Values) -> Float[np.ndarray, "B"]:
        """Values of the knots, on the straight line between them."""
        return (1 - self.weight) * values[self.left] + self.weight * values[self.right]

    def variance(self, variances: Values) -> Float[np.ndarray, "B"]:
        """Variance of `line`, if the knots' errors are independent."""
        left, right = variances[self.left], variances[self.right]
        return (1 - self.weight) ** 2 * left + self.weight**2 * right


@dataclass(frozen=True, eq=False)
class Knots:
    """The mean value of every cell at every time at which it was observed.

    Attributes:
        codes: of the cell.
        time: sorted within a cell; the rows of a cell stand together.
        value: mean of the rows.
        count: how many rows there were.
        within: the sum of squares of the rows around the knots, all together.

    Examples:
        >>> codes, time = np.array([[1], [0], [1]]), np.array([4.0, 0.0, 4.0])
        >>> knots = Knots.of(codes, time, np.array([1.0, 5.0, 3.0]))
        >>> knots.codes.tolist(), knots.value.tolist(), knots.count.tolist(), knots.within
        ([[0], [1]], [5.0, 2.0], [1.0, 2.0], 2.0)
    """

    codes: Codes
    time: Values
    value: Values
    count: Values
    within: float = 0.0

    @classmethod
    def of(cls, codes: Codes, time: Values, value: Values) -> "Knots":
        """Rows of one cell at one time are averaged."""
        cell, _, _ = number_cells(codes, codes[:0])
        key, _ = _number_moments(cell, time, cell[:0], time[:0])
        _, first, place = np.unique(key, return_index=True, return_inverse=True)
        count = np.bincount(place).astype(np.float64)
        mean = np.bincount(place, weights=value) / count
        within = float(np.sum((value - mean[place]) ** 2))
        return cls(codes[first], time[first], mean, count, within)

    def around(
        self,
        query_codes: Int[np.ndarray, "B K"],
        query_time: Float[np.ndarray, "B"],
        *,
        past: bool = False,
    ) -> Neighbours:
        """The knots on both sides of queries, or, for the `past` alone, the latest one."""
        cell, query_cell, _ = number_cells(self.codes, query_codes)
        key, query_key = _number_moments(cell, self.time, query_cell, query_time)
        start = np.searchsorted(cell, query_cell, side="left")
        stop = np.searchsorted(cell, query_cell, side="right")
        known = start < stop
        start, last = np.where(known, start, 0), np.where(known, stop - 1, 0)
        right = np.searchsorted(key, query_key)  # the first knot at or after the query
        left = np.searchsorted(key, query_key, side="right") - 1 if past else right - 1
        left, right = np.clip(left, start, last), np.clip(right, start, last)
        return Neighbours.between(known, left, left if past else right, self.time, query_time)

    def others(self, lag: int = 1, *, past: bool = False) -> Neighbours:
        """For each knot the knots of its cell some places before and after it (or before it)."""
        here = np.arange(len(self.time))
        same, none = (self.codes[lag:] == self.codes[:-lag]).all(axis=1), np.zeros(lag, bool)
        before = np.concatenate([none, same])[: len(here)]
        after = np.concatenate([same, none])[: len(here)]
        if past:
            left = np.where(before, here - lag, here)
            return Neighbours.between(before, left, left, self.time, self.time)
        left = np.where(before, here - lag, np.where(after, here + lag, here))
        right = np.where(after, here + lag, left)
        return Neighbours.between(before | after, left, right, self.time, self.time)


def _check_not_empty(train_value: Values) -> None:
    if len(train_value) == 0:
        raise DataError("a reference needs one training row or more, got none")


def number_cells(
    train_codes: Codes, query_codes: Int[np.ndarray, "B K"]
) -> tuple[Int[np.ndarray, "N"], Int[np.ndarray, "B"], int]:
    """Number the cells of both tables jointly; say how many there are."""
    both = np.concatenate([train_codes, query_codes])
    distinct, number = np.unique(both, axis=0, return_inverse=True)
    number = number.reshape(-1)
    return number[: len(train_codes)], number[len(train_codes) :], len(distinct)


def _number_moments(
    train_cell: Int[np.ndarray, "N"],
    train_time: Values,
    query_cell: Int[np.ndarray, "B"],
    query_time: Float[np.ndarray, "B"],
) -> tuple[Int[np.ndarray, "N"], Int[np.ndarray, "B"]]:
    """One integer per (cell, time), in the order of cells and then of times.

    Ranks stand for times, so that one sorted search finds neighbours within a cell exactly.
    """
    distinct, rank = np.unique(np.concatenate([train_time, query_time]), return_inverse=True)
    key = np.concatenate([train_cell, query_cell]).astype(np.int64) * len(distinct) + rank
    return key[: len(train_cell)], key[len(train_cell) :]
