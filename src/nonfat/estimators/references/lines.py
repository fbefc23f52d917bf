"""References that join the dots of each cell in time."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Float64, Int, Int32
from scipy.optimize import minimize

from nonfat._typing import Codes, Values
from nonfat.estimators.references.base import (
    PRIOR_VARIANCE,
    ReferenceEstimator,
    Rule,
    Scenario,
)
from nonfat.estimators.references.cells import Knots, number_cells

__all__ = ["Interpolation", "InterpolationRule", "LastValue", "LastValueRule"]

_CENTRE, _WIDTH = np.log([1.0, 0.05]), np.array([3.0, 2.0])  # prior of log rate and log noise
_LAGS, _FURTHER = (1, 2, 4, 8), 0.05  # neighbours by place, and the weight of all but the first


@dataclass(frozen=True, eq=False)
class _Lines(Rule):
    """Each cell a random walk that is observed at its knots.

    Attributes:
        codes: of the knots, sorted by cell and time.
        time: of the knots.
        value: mean of the rows at a knot.
        count: rows at a knot.
        overall: the mean of all values, for cells that are new.
        total: variance of a new cell's latent value.
        rate: variance that the walk gains in a unit of time.
        noise: variance of an observation.
    """

    past: ClassVar[bool] = False

    codes: Int32[np.ndarray, "M K"]
    time: Float64[np.ndarray, "M"]
    value: Float64[np.ndarray, "M"]
    count: Float64[np.ndarray, "M"]
    overall: Float64[np.ndarray, ""]
    total: Float64[np.ndarray, ""]
    rate: Float64[np.ndarray, ""]
    noise: Float64[np.ndarray, ""]

    @classmethod
    def learn(cls, codes: Codes, time: Values, value: Values) -> "_Lines":
        """Knots, and the variances under which each is best predicted from the others."""
        knots = Knots.of(np.asarray(codes, np.int32), time, value)
        rate, noise = fit_variances(knots, past=cls.past)
        overall, N = value.mean(), len(value)
        spread = (np.sum((value - overall) ** 2) + PRIOR_VARIANCE) / N
        total = max(spread - noise, PRIOR_VARIANCE * spread)
        scalars = (np.asarray(float(x)) for x in (overall, total, rate, noise))
        return cls(knots.codes, knots.time, knots.value, knots.count, *scalars)

    @property
    def _knots(self) -> Knots:
        return Knots(self.codes, self.time, self.value, self.count)

    def moments(
        self, codes: Int[np.ndarray, "B K"], time: Float[np.ndarray, "B"]
    ) -> tuple[Float64[np.ndarray, "B"], Float64[np.ndarray, "B"]]:
        """See `Rule`: the line between the knots, with the variance of a Brownian bridge."""
        at = self._knots.around(codes, time, past=self.past)
        variance = self.rate * at.spread + at.variance(self.noise / self.count)
        mean = np.where(at.known, at.line(self.value), self.overall)
        return mean, np.where(at.known, variance, self.total)

    def scenario(self, codes: Int[np.ndarray, "B K"], time: Float[np.ndarray, "B"]) -> Scenario:
        """See `Rule`.

        A bridge is a Brownian motion less the line between its own values at the knots; so is the
        walk beyond the last knot, where that line is level.
        """
        at = self._knots.around(codes, time, past=self.past)
        knot_cell, cell, cells = number_cells(self.codes, codes)
        both = np.concatenate([knot_cell, cell]), np.concatenate([self.time, time])
        order = np.lexsort((both[1], both[0]))
        step = np.diff(both[1][order], prepend=0.0)
        step[np.diff(both[0][order], prepend=-1) != 0] = 0.0
        step_std, M = np.sqrt(self.rate * step), len(self.time)
        error = np.sqrt(self.noise / self.count)

        def draw(rng: np.random.Generator) -> Float64[np.ndarray, "B"]:
            motion = np.empty(len(order))
            motion[order] = np.cumsum(step_std * rng.standard_normal(len(order)))
            knots = self.value + error * rng.standard_normal(M) - motion[:M]
            new = self.overall + np.sqrt(self.total) * rng.standard_normal(cells)
            return np.where(at.known, at.line(knots) + motion[M:], new[cell])

        return draw


class InterpolationRule(_Lines):
    """The straight line between neighbours, with the band of a Brownian bridge."""


class LastValueRule(_Lines):
    """The latest knot, with the band of a random walk."""

    past: ClassVar[bool] = True


class Interpolation(ReferenceEstimator):
    """Joins the dots: the straight line between the cell's neighbours in time.

    Rows of one cell at one time are averaged first. The band is that of a Brownian bridge between
    the neighbours, and of a random walk before the first and after the last of them, where the
    line is level. Its rate and the noise are those under which every knot is best predicted from
    its neighbours. A cell that is new has the mean of all values and their variance.

    Args:
        modes: the columns of entity ids; by default all columns but time and value.
        time: the column of times: numbers, dates or datetimes.
        value: the column of values.
        seed: of the draws that scores are computed from.

    Example:
        >>> import polars as pl
        >>> table = pl.DataFrame({"site": ["a", "b", "a"], "time": [0, 4, 8], "value": [1.0, 2, 3]})
        >>> model = Interpolation().fit(table)
        >>> model.predict(pl.DataFrame({"site": "a", "time": [2, 9]}))["mean"].to_list()
        [1.5, 3.0]
    """

    _rule = InterpolationRule

    def _fit_rule(self, codes: Codes, time: Values, value: Values, shape: tuple[int, ...]) -> Rule:
        return InterpolationRule.learn(codes, time, value)


class LastValue(ReferenceEstimator):
    """Predicts the latest value of the cell at or before the query's time.

    Before a cell's first value it predicts that one. The band is that of a random walk, whose rate
    and noise are those under which every knot is best predicted from the one before it.

    Args:
        modes: the columns of entity ids; by default all columns but time and value.
        time: the column of times: numbers, dates or datetimes.
        value: the column of values.
        seed: of the draws that scores are computed from.

    Example:
        >>> import polars as pl
        >>> table = pl.DataFrame({"site": ["a", "b", "a"], "time": [0, 4, 8], "value": [1.0, 2, 3]})
        >>> model = LastValue().fit(table)
        >>> model.predict(pl.DataFrame({"site": "a", "time": [7, 9]}))["mean"].to_list()
        [1.0, 3.0]
    """

    _rule = LastValueRule

    def _fit_rule(self, codes: Codes, time: Values, value: Values, shape: tuple[int, ...]) -> Rule:
        return LastValueRule.learn(codes, time, value)


def fit_variances(knots: Knots, *, past: bool) -> tuple[float, float]:
    """The rate of the walk and the noise, by the likelihood of each knot given its neighbours.

    A knot of n rows lies at the line of its neighbours with the variance
    rate * spread + noise * (variance of the line + 1 / n); the rows of one knot scatter around it
    with the noise alone. Neighbours a few places away count a little: where times are regular they
    alone can tell the walk from the noise. Both have a weak log-normal prior.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> time = np.linspace(0.0, 1.0, 2000)
        >>> walk = np.cumsum(rng.normal(0, np.sqrt(4.0 / 2000), 2000))
        >>> knots = Knots.of(np.zeros((2000, 1), int), time, walk + rng.normal(0, 0.02, 2000))
        >>> rate, noise = fit_variances(knots, past=False)
        >>> 3.0 < rate < 5.0, 2e-4 < noise < 6e-4
        (True, True)
    """
    near = [_Residuals.of(knots, lag, past) for lag in _LAGS]
    spread, factor, square, weight = (
        np.concatenate([getattr(part, name) for part in near])
        for name in ("spread", "factor", "square", "weight")
    )
    repeats = float(np.sum(knots.count - 1))

    def loss(log: Float64[np.ndarray, "2"]) -> tuple[float, Float64[np.ndarray, "2"]]:
        rate, noise = np.exp(log)
        variance = rate * spread + noise * factor
        share = weight * (1 / variance - square / variance**2)
        away, inside = (log - _CENTRE) / _WIDTH, knots.within / noise
        value = weight @ (np.log(variance) + square / variance)
        value += repeats * log[1] + inside + away @ away
        slope = np.array([rate * (share @ spread), noise * (share @ factor) + repeats - inside])
        return float(value), slope + 2 * away / _WIDTH

    starts = [np.log([rate, noise]) for rate, noise in ((1.0, 0.1), (10.0, 0.01), (0.1, 0.5))]
    bounds = [(-25.0, 25.0)] * 2
    found = [minimize(loss, start, jac=True, bounds=bounds) for start in starts]
    rate, noise = np.exp(min(found, key=lambda one: one.fun).x)
    return float(rate), float(noise)


@dataclass(frozen=True)
class _Residuals:
    """Knots against the line of others, with what makes up their variance."""

    spread: Float64[np.ndarray, "_"]
    factor: Float64[np.ndarray, "_"]
    square: Float64[np.ndarray, "_"]
    weight: Float64[np.ndarray, "_"]

    @classmethod
    def of(cls, knots: Knots, lag: int, past: bool) -> "_Residuals":
        at = knots.others(lag, past=past)
        square = (knots.value - at.line(knots.value)) ** 2
        factor = at.variance(1 / knots.count) + 1 / knots.count
        weight = np.full(len(square), 1.0 if lag == 1 else _FURTHER)
        return cls(*(part[at.known] for part in (at.spread, factor, square, weight)))
