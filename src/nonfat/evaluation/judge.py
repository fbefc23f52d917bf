"""How a fitted method is judged: once at the end, or after every few epochs."""

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from nonfat.data import Events, Schema
from nonfat.errors import NonfatError
from nonfat.estimators.answers import Answers
from nonfat.metrics import METRICS, coverage
from nonfat.training import EpochReport

__all__ = ["BINS", "LEVELS", "LOOKED_AT", "SCORES", "Looks", "best_look", "judged", "last_look"]

LEVELS = (50, 80, 95)
"""Intervals whose coverage and width are told, in percent."""

BINS = 10
"""Of the histogram of the probability integral transform."""

SCORES = (
    "relative_rmse", "rmse", "mae", "log_likelihood", "crps",
    *(f"{what}_{level}" for level in LEVELS for what in ("coverage", "width")),
)  # fmt: skip
"""Every score of a record."""

LOOKED_AT = ("relative_rmse", "rmse", "mae", "log_likelihood")
"""Scores of the looks while a method trains; the others cost more, or nobody chooses by them."""

_MOST_LOOKS = 200
# Intervals whose ends are the tenths of a distribution; that of 1% is narrow around the median.
_TENTHS = (80, 60, 40, 20, 1)


def judged(model: Any, test: pl.DataFrame) -> tuple[dict[str, float | None], list[int] | None]:
    """All scores of a fitted method, and where the values fall in its predictions.

    Args:
        model: an estimator.
        test: rows that it has not seen.

    Returns:
        Scores by name, None for those that it does not tell, and the counts of values in each
        tenth of their predictive distribution.
    """
    found = model.evaluate(test)
    scores: dict[str, float | None] = {name: _known(found.get(name)) for name in SCORES}
    if found.get("coverage_95") is None:  # the ends of intervals say nothing of such values
        return scores, None
    levels = sorted({*LEVELS, *_TENTHS})
    table = model.predict(test, level=levels)
    value = test["value"].to_numpy()
    for level in LEVELS:
        lo, hi = (table[f"{end}-{level}"].to_numpy() for end in ("lo", "hi"))
        scores[f"coverage_{level}"] = coverage(value, lo, hi)
        scores[f"width_{level}"] = _known(float(np.mean(hi - lo)))
    return scores, _histogram(table, value)


def _histogram(table: Any, value: np.ndarray) -> list[int]:
    """How many values fall into each tenth; exact, where draws would scatter."""
    ends = {
        level: [table[f"{end}-{level}"].to_numpy() for end in ("lo", "hi")] for level in _TENTHS
    }
    lower = [ends[level][0] for level in _TENTHS[:-1]]
    upper = [ends[level][1] for level in _TENTHS[-2::-1]]
    median = (ends[1][0] + ends[1][1]) / 2
    place = np.sum(np.stack([*lower, median, *upper]) < value, axis=0)
    return np.bincount(place, minlength=BINS).tolist()


class Looks:
    """Looks at the test rows while a method trains, at most some 200 times.

    Attributes:
        found: one entry for each look: ``epoch``, ``seconds`` of training, scores.
        seconds: that looking took.
    """

    def __init__(self, test: pl.DataFrame) -> None:
        self.found: list[dict[str, float | None]] = []
        self.seconds = 0.0
        self._test = test
        self._events: Events | None = None

    def __call__(self, report: EpochReport, answers: Answers, schema: Schema) -> None:
        """See what the model of an epoch answers, if it is time to look."""
        every = -(-report.epochs // _MOST_LOOKS)
        if report.epoch % every and report.epoch != report.epochs:
            return
        start = time.monotonic()
        if self._events is None:
            self._events = schema.encode(self._test, need_value=True)
        try:
            scores = answers.evaluate(self._events, list(LOOKED_AT))
        except NonfatError:  # this epoch's model is no good; a later one may be
            scores = {}
        trained = report.seconds - self.seconds
        told = {name: _known(scores.get(name)) for name in LOOKED_AT}
        self.found.append({"epoch": report.epoch, "seconds": trained, **told})
        self.seconds += time.monotonic() - start


def best_look(looks: list[dict[str, float | None]]) -> dict[str, dict[str, float | None]]:
    """For each score the best look, by itself: what a paper reports that chooses on test rows.

    Example:
        >>> looks = [{"epoch": 1, "rmse": 0.5, "log_likelihood": -1.0},
        ...          {"epoch": 2, "rmse": 0.4, "log_likelihood": -2.0}]
        >>> best_look(looks)["rmse"], best_look(looks)["log_likelihood"]
        ({'value': 0.4, 'epoch': 2}, {'value': -1.0, 'epoch': 1})
    """
    best: dict[str, dict[str, float | None]] = {}
    for name in LOOKED_AT:
        known = [(score, look["epoch"]) for look in looks if (score := look.get(name)) is not None]
        if known:
            choose = max if METRICS[name].greater_is_better else min
            value, epoch = choose(known, key=lambda pair: pair[0])
            best[name] = {"value": value, "epoch": epoch}
    return best


def last_look(scores: Mapping[str, float | None], epoch: int | None) -> dict[str, float | None]:
    """The final model as a look: an oracle may choose it too."""
    return {"epoch": epoch or 0, **{name: scores.get(name) for name in LOOKED_AT}}


def _known(score: float | None) -> float | None:
    return None if score is None or math.isnan(score) else float(score)
