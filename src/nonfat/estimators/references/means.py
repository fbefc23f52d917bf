"""Means that know no time: of everything, and of each cell."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64, Int, Int32

from nonfat._typing import Codes, Values
from nonfat.estimators.references.base import (
    PRIOR_VARIANCE,
    ReferenceEstimator,
    Rule,
    Scenario,
)
from nonfat.estimators.references.cells import cell_mean, number_cells

__all__ = ["CellMean", "CellMeanRule", "GlobalMean", "GlobalMeanRule"]


@dataclass(frozen=True, eq=False)
class GlobalMeanRule(Rule):
    """One mean for all.

    Attributes:
        mean: of all values.
        error: variance of that mean's error.
        noise: variance of a row around it.
    """

    mean: Float64[np.ndarray, ""]
    error: Float64[np.ndarray, ""]
    noise: Float64[np.ndarray, ""]

    def moments(
        self, codes: Int[np.ndarray, "B K"], time: Float[np.ndarray, "B"]
    ) -> tuple[Float64[np.ndarray, "B"], Float64[np.ndarray, "B"]]:
        """See `Rule`."""
        return np.full(len(codes), self.mean), np.full(len(codes), self.error)

    def scenario(self, codes: Int[np.ndarray, "B K"], time: Float[np.ndarray, "B"]) -> Scenario:
        """See `Rule`; the mean's error is the same for all rows."""
        mean, error = self.moments(codes, time)
        return lambda rng: mean + np.sqrt(error) * rng.standard_normal()


class GlobalMean(ReferenceEstimator):
    """Predicts the mean of all training values, for everyone and always.

    Args:
        modes: the columns of entity ids; by default all columns but time and value.
        time: the column of times: numbers, dates or datetimes.
        value: the column of values.
        seed: of the draws that scores are computed from.

    Example:
        >>> import polars as pl
        >>> table = pl.DataFrame({"site": ["a", "b"], "time": [0, 4], "value": [1.0, 2.0]})
        >>> GlobalMean().fit(table).predict(table)["mean"].to_list()
        [1.5, 1.5]
    """

    _rule = GlobalMeanRule

    def _fit_rule(
        self, codes: Codes, time: Values, value: Values, shape: tuple[int, ...]
    ) -> GlobalMeanRule:
        mean, noise = value.mean(), residual_variance(value - value.mean(), 1)
        return GlobalMeanRule(np.asarray(mean), np.asarray(noise / len(value)), np.asarray(noise))


@dataclass(frozen=True, eq=False)
class CellMeanRule(Rule):
    """A mean for each cell.

    Attributes:
        cells: codes of the known cells.
        mean: of each cell's values.
        count: of each cell's rows.
        overall: the mean of all values, for cells that are new.
        between: variance of a new cell's mean around it.
        noise: variance of a row around its cell's mean.
    """

    cells: Int32[np.ndarray, "C K"]
    mean: Float64[np.ndarray, "C"]
    count: Float64[np.ndarray, "C"]
    overall: Float64[np.ndarray, ""]
    between: Float64[np.ndarray, ""]
    noise: Float64[np.ndarray, ""]

    @classmethod
    def learn(cls, codes: Codes, value: Values) -> "CellMeanRule":
        """Variances from the decomposition of the sum of squares (random effects of cells).

        With n rows a cell's mean has the error variance noise / n. The sum of squares between
        C cells has the expectation (C - 1) noise + (N - Σ n² / N) between.
        """
        cell, _, C = number_cells(codes, codes[:0])
        first = np.unique(cell, return_index=True)[1]
        cells = np.asarray(codes[first], np.int32)
        count = np.bincount(cell).astype(np.float64)
        mean = cell_mean(codes, value, cells)
        overall, N = value.mean(), len(value)
        noise = residual_variance(value - mean[cell], C)
        squares = np.sum(count * (mean - overall) ** 2)
        effective = N - np.sum(count**2) / N
        between = max((squares - (C - 1) * noise) / effective, 0.0) if C > 1 else 0.0
        between = ((C - 1) * between + PRIOR_VARIANCE) / C
        error = (noise + between) / C  # of the overall mean, were all cells of one size
        new = np.asarray(between + error)
        return cls(cells, mean, count, np.asarray(overall), new, np.asarray(noise))

    def _place(self, codes: Int[np.ndarray, "B K"]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Number of each query's cell among all, and its mean and error variance by number."""
        mine, number, cells = number_cells(self.cells, codes)
        mean, error = np.full(cells, self.overall), np.full(cells, self.between)
        mean[mine], error[mine] = self.mean, self.noise / self.count
        return number, mean, error

    def moments(
        self, codes: Int[np.ndarray, "B K"], time: Float[np.ndarray, "B"]
    ) -> tuple[Float64[np.ndarray, "B"], Float64[np.ndarray, "B"]]:
        """See `Rule`."""
        number, mean, error = self._place(codes)
        return mean[number], error[number]

    def scenario(self, codes: Int[np.ndarray, "B K"], time: Float[np.ndarray, "B"]) -> Scenario:
        """See `Rule`; each cell has an error of its own."""
        number, mean, error = self._place(codes)
        return lambda rng: (mean + np.sqrt(error) * rng.standard_normal(len(mean)))[number]


class CellMean(ReferenceEstimator):
    """Predicts the mean of the cell's training values, whatever the time.

    The band comes from a model of random effects: rows scatter around the mean of their cell, and
    cells around the mean of all. A cell of one row has a wider band than one of many, and a cell
    that is new has the mean of all with the variance between cells.

    Args:
        modes: the columns of entity ids; by default all columns but time and value.
        time: the column of times: numbers, dates or datetimes.
        value: the column of values.
        seed: of the draws that scores are computed from.

    Example:
        >>> import polars as pl
        >>> table = pl.DataFrame(
        ...     {"site": ["a", "a", "b"], "time": [0, 4, 5], "value": [1.0, 2.0, 6.0]}
        ... )
        >>> answer = CellMean().fit(table).predict(pl.DataFrame({"site": ["a", "c"], "time": 1}))
        >>> answer["mean"].to_list(), answer["unseen"].to_list()
        ([1.5, 3.0], [False, True])
    """

    _rule = CellMeanRule

    def _fit_rule(
        self, codes: Codes, time: Values, value: Values, shape: tuple[int, ...]
    ) -> CellMeanRule:
        return CellMeanRule.learn(codes, value)


def residual_variance(residual: Values, parameters: int) -> float:
    """Variance of residuals that are left by some fitted means, held above zero."""
    free = len(residual) - parameters
    return float((np.sum(residual**2) + PRIOR_VARIANCE) / (free + 1))
