"""Plain predictors that every result table carries as reference rows.

A model that does not beat them has learned nothing worth its name (on the paper's own Beijing
split, joining the dots in time beats the paper's model). They are pure functions over integer
codes: a *cell* is one combination of entities, one row of codes.
"""

import numpy as np

from nonfat._typing import Codes, Float, Int, Values
from nonfat.errors import DataError

__all__ = ["cell_mean", "interpolate_in_time"]


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
    train_cell, query_cell, cells = _number_cells(train_codes, query_codes)
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
    train_cell, query_cell, _ = _number_cells(train_codes, query_codes)
    train_key, query_key = _number_moments(train_cell, train_time, query_cell, query_time)
    key, first, place = np.unique(train_key, return_index=True, return_inverse=True)
    value = np.bincount(place, weights=train_value) / np.bincount(place)
    time, cell = train_time[first], train_cell[first]  # the knots, sorted by cell, then time

    start = np.searchsorted(cell, query_cell, side="left")
    stop = np.searchsorted(cell, query_cell, side="right")
    known = start < stop
    last = np.where(known, stop - 1, 0)
    start = np.where(known, start, 0)
    right = np.searchsorted(key, query_key)  # the first knot at or after the query
    left = np.clip(right - 1, start, last)
    right = np.clip(right, start, last)
    gap = time[right] - time[left]
    weight = np.divide(query_time - time[left], gap, out=np.zeros_like(gap), where=gap > 0)
    line = (1 - weight) * value[left] + weight * value[right]
    return np.where(known, line, train_value.mean())


def _check_not_empty(train_value: Values) -> None:
    if len(train_value) == 0:
        raise DataError("a reference needs one training row or more, got none")


def _number_cells(
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
