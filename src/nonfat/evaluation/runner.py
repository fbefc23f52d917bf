"""Runs a suite: each method learns from the training rows and sees the test rows once."""

import math
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from nonfat.errors import NonfatError, TrainingInterrupted
from nonfat.estimators.base import Kind
from nonfat.estimators.catalogue import create
from nonfat.estimators.options import seed as check_seed
from nonfat.estimators.options import whole
from nonfat.evaluation.datasets import Split, load_fold
from nonfat.evaluation.provenance import provenance
from nonfat.evaluation.suites import Contender, Suite, contenders

__all__ = ["SCORES", "Bench", "Record", "run_contender", "run_suite", "told", "whole_fits"]

SCORES = ("relative_rmse", "rmse", "mae", "log_likelihood", "crps", "coverage_95")
_SIZES = ("rank", "epochs")


@dataclass(frozen=True)
class Record:
    """What came of one method; None stands for what it does not say, or did not get to.

    Attributes:
        method: its name in the table.
        kind: "method" or "reference".
        composition: time representation × combiner.
        rank: R, or what a reference calls its rank; None for estimators that have none.
        seed: of the fit.
        rows: of the test part.
        relative_rmse: and the other scores of `SCORES`, on the test rows.
        seconds: of fitting.
        epochs: that were run.
        error: why there are no scores.
    """

    method: str
    kind: Kind
    composition: str
    rank: int | None = None
    seed: int = 0
    rows: int | None = None
    relative_rmse: float | None = None
    rmse: float | None = None
    mae: float | None = None
    log_likelihood: float | None = None
    crps: float | None = None
    coverage_95: float | None = None
    seconds: float | None = None
    epochs: int | None = None
    error: str | None = None


@dataclass(frozen=True)
class Bench:
    """A table of results, and where it comes from.

    Attributes:
        suite: what was run, with the rank that was asked for.
        seed: of all fits.
        train_rows: to learn from.
        test_rows: to be judged by.
        records: one for each method.
        provenance: versions, machine, command and date.
    """

    suite: Suite
    seed: int
    train_rows: int
    test_rows: int
    records: list[Record]
    provenance: dict[str, Any]

    @property
    def failed(self) -> list[Record]:
        """Methods without scores."""
        return [record for record in self.records if record.error is not None]


def run_suite(
    suite: Suite,
    *,
    folder: str | os.PathLike[str] | None = None,
    seed: int = 0,
    epochs: int | None = None,
    tell: Callable[[Record, int, int], None] | None = None,
) -> Bench:
    """Fit and score every method of a suite.

    Args:
        suite: what to run; `dataclasses.replace` gives it another rank or other methods.
        folder: of the data, as `nonfat.evaluation.datasets.find_folder` takes it.
        seed: of all fits.
        epochs: at most this many for methods that train; what they choose themselves if None.
        tell: called after each method with its record, its place from 1 on, and how many there
            are.

    Returns:
        The records. A method that fails is a record with `error`; the others run all the same.

    Raises:
        ConfigError: a method, dataset or folder does not exist.
        DataError: the data cannot be used.
        KeyboardInterrupt: Ctrl-C; a fit that was cut short is no result.
    """
    rows = contenders(suite.methods, suite.skips)
    wishes = _wishes(suite.rank, seed, epochs)
    split = load_fold(suite.dataset, suite.fold, folder)
    records = []
    for place, row in enumerate(rows, 1):
        records.append(run_contender(row, split, wishes))
        if tell:
            tell(records[-1], place, len(rows))
    return Bench(suite, seed, split.train.height, split.test.height, records, provenance())


def _wishes(rank: int, seed: int, epochs: int | None) -> dict[str, Any]:
    """Options for whoever has them, checked here: a mistake is not each method's failure."""
    wishes: dict[str, Any] = {"rank": whole("rank", rank), "seed": check_seed(seed)}
    if epochs is not None:
        wishes["epochs"] = whole("epochs", epochs)
    return {**wishes, "progress": False}


def run_contender(row: Contender, split: Split, wishes: Mapping[str, Any]) -> Record:
    """Fit and score one method.

    Args:
        row: the method.
        split: the data; the estimator takes its validation rows from ``split.train`` itself.
        wishes: options, for those estimators that have them; references keep their own rank.
    """
    record = Record(row.name, row.kind, row.composition, seed=wishes.get("seed", 0))
    try:
        with whole_fits():
            return _scored(record, row, split, wishes)
    except Exception as error:  # whatever breaks in one method must not take the others with it
        return replace(record, error=told(error))


def _scored(record: Record, row: Contender, split: Split, wishes: Mapping[str, Any]) -> Record:
    named = {"modes": list(split.modes), "time": "time", "value": "value"}
    if row.kind == "reference":  # a mark that moved with the methods' sizes would be none
        wishes = {name: wish for name, wish in wishes.items() if name not in _SIZES}
    model = create(row.estimator, {**named, **row.options}, wishes)
    start = time.monotonic()
    model.fit(split.train)
    seconds = time.monotonic() - start
    found = model.evaluate(split.test)
    scores: dict[str, Any] = {name: _number(found.get(name)) for name in SCORES}
    return replace(
        record,
        rank=getattr(model, "rank", None),
        rows=int(found["rows"]),
        seconds=seconds,
        epochs=getattr(getattr(getattr(model, "fit_", None), "provenance", None), "epochs", None),
        **scores,
    )


def _number(score: float | None) -> float | None:
    """A score as JSON can write it; minus infinity stays, as it says something."""
    return None if score is None or math.isnan(score) else float(score)


def told(error: Exception) -> str:
    """One line: errors of ours explain themselves, others need their name."""
    message = " ".join(str(error).split())
    return message if isinstance(error, NonfatError) else f"{type(error).__name__}: {message}"


@contextmanager
def whole_fits() -> Iterator[None]:
    """Ctrl-C keeps the best model so far, with a warning; a benchmark has no use for that."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=TrainingInterrupted)
        try:
            yield
        except TrainingInterrupted as stopped:
            raise KeyboardInterrupt from stopped
