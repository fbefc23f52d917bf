"""From records to the entries of a table: means over runs, and what there is in their place."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float
from scipy.special import stdtr

from nonfat.evaluation.published import published
from nonfat.evaluation.records import Result
from nonfat.metrics import METRICS

__all__ = [
    "Difference",
    "Entry",
    "State",
    "best_reference",
    "differences",
    "direction",
    "entry",
    "label",
    "one",
    "printed",
    "standard_error",
]

State = Literal["done", "failed", "not run", "none"]
"""``none``: a method that does not tell this score, or a number that was not published."""

Which = Literal["oracle", "honest"]
_FEWEST_PAIRS = 3


@dataclass(frozen=True)
class Entry:
    """One entry of a table.

    Attributes:
        state: whether there is a number, and if not, why.
        mean: over the runs.
        error: standard error of that mean; None of a single run.
        runs: with a number.
        failures: runs without.
        partial: what it is of, if others of its table are of more folds: no match for them.
    """

    state: State
    mean: float | None = None
    error: float | None = None
    runs: int = 0
    failures: int = 0
    partial: str = ""


def label(result: Result) -> str:
    """The row that a record belongs to: runs that were cut short have rows of their own."""
    epochs = result.cell.epochs
    return result.cell.method + (f" ({epochs} epochs)" if epochs else "")


def one(result: Result, score: str, which: Which) -> float | None:
    """The number of one record; an oracle has nothing to choose from where nothing is trained."""
    if which == "oracle" and result.kind == "method":
        return result.oracle.get(score, {}).get("value")
    return result.scores.get(score)


def entry(
    results: Iterable[Result],
    score: str,
    which: Which = "honest",
    folds: Collection[int] = (),
) -> Entry:
    """The entry of some runs that differ by their folds, parts and seeds only.

    Args:
        results: the runs.
        score: of `nonfat.evaluation.judge.SCORES`.
        which: of its numbers.
        folds: of the table; an entry that lacks some of them says so.

    Example:
        >>> entry([], "relative_rmse").state
        'not run'
    """
    runs = list(results)
    found = [
        (run.cell.fold, value) for run in runs if (value := one(run, score, which)) is not None
    ]
    failures = sum(run.failed for run in runs)
    if found:
        known = [value for _, value in found]
        mine = {fold for fold, _ in found}
        partial = "" if mine >= set(folds) else f"fold {', '.join(map(str, sorted(mine)))} only"
        error = standard_error(known)
        return Entry("done", float(np.mean(known)), error, len(known), failures, partial)
    if not runs:
        return Entry("not run")
    return Entry("failed" if failures else "none", failures=failures)


def printed(score: str, dataset: str, method: str, rank: int) -> Entry:
    """The entry of the paper's own table."""
    number = published(score, dataset, method, rank)
    return Entry("done", number.mean, number.error, 5) if number else Entry("none")


def direction(score: str) -> bool | None:
    """Whether more is better; None of a score that should hit a mark, or says nothing alone.

    Example:
        >>> direction("log_likelihood"), direction("crps"), direction("coverage_80")
        (True, False, None)
    """
    return METRICS[score].greater_is_better if score in METRICS else None


def standard_error(values: Sequence[float] | Float[np.ndarray, "N"]) -> float | None:
    """Of the mean.

    Example:
        >>> standard_error([1.0, 3.0]), standard_error([1.0])
        (1.0, None)
    """
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def best_reference(results: Sequence[Result], score: str) -> str | None:
    """The reference with the best mean over all folds; None if there is none, or no best."""
    more = direction(score)
    if more is None:
        return None
    rows: dict[str, list[Result]] = {}
    for result in results:
        if result.kind == "reference":
            rows.setdefault(label(result), []).append(result)
    folds = {result.cell.fold for runs in rows.values() for result in runs}
    found = {row: entry(runs, score, folds=folds) for row, runs in rows.items()}
    means = {
        row: known.mean
        for row, known in found.items()
        if known.mean is not None and not known.partial
    }
    choose: Callable[..., str] = max if more else min
    return choose(means, key=means.__getitem__) if means else None


@dataclass(frozen=True)
class Difference:
    """A method against the best reference, on the same rows.

    Attributes:
        row: of the method.
        rank: R.
        reference: its row.
        mean: of method minus reference.
        error: standard error of that mean.
        pairs: how many.
        p: of a paired t test, from three pairs on.
        better: whether the method is.
    """

    row: str
    rank: int | None
    reference: str
    mean: float
    error: float | None
    pairs: int
    p: float | None
    better: bool


def differences(results: Sequence[Result], score: str) -> list[Difference]:
    """Every method's difference to the best reference, among records of one table."""
    mark = best_reference(results, score)
    if mark is None:
        return []
    marks: dict[tuple[int, str], float] = {}
    for result in results:
        value = one(result, score, "honest")
        if label(result) == mark and value is not None:
            marks[result.cell.fold, result.cell.part] = value
    rows: dict[tuple[str, int | None], list[float]] = {}
    for result in results:
        value = one(result, score, "honest")
        place = result.cell.fold, result.cell.part
        if result.kind == "method" and value is not None and place in marks:
            rows.setdefault((label(result), result.cell.rank), []).append(value - marks[place])
    return [_difference(row, rank, mark, gaps, score) for (row, rank), gaps in rows.items()]


def _difference(
    row: str, rank: int | None, mark: str, gaps: Sequence[float], score: str
) -> Difference:
    mean = float(np.mean(gaps))
    better = mean > 0 if direction(score) else mean < 0
    return Difference(row, rank, mark, mean, standard_error(gaps), len(gaps), _p(gaps), better)


def _p(gaps: Sequence[float]) -> float | None:
    """Of the hypothesis that the differences have mean zero; None where nothing can be said."""
    error = standard_error(gaps)
    if len(gaps) < _FEWEST_PAIRS or not error:
        return None
    return float(2 * stdtr(len(gaps) - 1, -abs(np.mean(gaps)) / error))
