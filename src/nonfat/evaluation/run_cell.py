"""Runs one cell of a benchmark: fit, judge, record, whatever happens."""

import hashlib
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from nonfat.errors import TrainingInterrupted
from nonfat.estimators.catalogue import create
from nonfat.evaluation.datasets import load_fold
from nonfat.evaluation.grids import Cell
from nonfat.evaluation.judge import Looks, best_look, judged, last_look
from nonfat.evaluation.memory import peak_mb, restart_peak
from nonfat.evaluation.protocols import protocol
from nonfat.evaluation.provenance import provenance
from nonfat.evaluation.records import Result
from nonfat.evaluation.runner import told
from nonfat.evaluation.suites import Contender, contenders

__all__ = ["SPLIT_SEED", "run_cell"]

SPLIT_SEED = 0
"""Of random splits: the same for all methods and seeds, so that their scores can be paired."""


def run_cell(
    cell: Cell, folder: str | os.PathLike[str] | None = None, model: Path | None = None
) -> Result:
    """Fit and judge one cell.

    Args:
        cell: what to run.
        folder: of the data, as `nonfat.evaluation.datasets.find_folder` takes it.
        model: where to keep the fitted model; nowhere if None.

    Returns:
        The record; with `error` if anything broke.

    Raises:
        KeyboardInterrupt: Ctrl-C; a fit that was cut short is no result.
    """
    (row,) = contenders([cell.method])
    restart_peak()
    start = time.monotonic()
    result = Result(cell, row.kind, "failed", composition=row.composition)
    try:
        result = _run(result, row, folder, model)
    except TrainingInterrupted as stopped:
        raise KeyboardInterrupt from stopped
    except Exception as error:  # whatever breaks in one cell must not take the others with it
        result = replace(result, error=told(error))
    wall = time.monotonic() - start
    return replace(result, wall_seconds=wall, peak_mb=peak_mb(), provenance=provenance())


def _run(
    result: Result, row: Contender, folder: str | os.PathLike[str] | None, path: Path | None
) -> Result:
    cell, rules = result.cell, protocol(result.cell.protocol)
    split = load_fold(cell.dataset, cell.fold, folder)
    train, test = rules.cut(split, cell.part, SPLIT_SEED)
    model = _estimator(cell, row, split.modes)
    looks = Looks(test)
    start = time.monotonic()
    if rules.looks and hasattr(model, "_fit_observed"):
        model._fit_observed(train, looks)
    else:
        model.fit(train)
    seconds = time.monotonic() - start - looks.seconds
    scores, pit = judged(model, test)
    origin = getattr(getattr(model, "fit_", None), "provenance", None)
    epochs, best_epoch = (getattr(origin, name, None) for name in ("epochs", "best_epoch"))
    chosen = best_look([*looks.found, last_look(scores, best_epoch)]) if rules.looks else {}
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        model.save(path, overwrite=True)
    return replace(
        result,
        status="done",
        scores=scores,
        pit=pit,
        oracle=chosen,
        looks=looks.found,
        seconds=seconds,
        train_rows=train.height,
        test_rows=test.height,
        data=_digest(train, test),
        epochs=epochs,
        best_epoch=best_epoch,
        options=model.get_params(deep=False) if hasattr(model, "get_params") else {},
    )


def _estimator(cell: Cell, row: Contender, modes: tuple[str, ...]) -> Any:
    """The method with the cell's sizes; references keep their own."""
    named = {"modes": list(modes), "time": "time", "value": "value"}
    wishes: dict[str, Any] = {"seed": cell.seed, "progress": False}
    if row.kind == "method":
        wishes |= {"rank": cell.rank, **protocol(cell.protocol).options}
        wishes |= {} if cell.epochs is None else {"epochs": cell.epochs}
    return create(row.estimator, {**named, **row.options}, wishes)


def _digest(*frames: pl.DataFrame) -> str:
    """What tells whether two records are of the same rows."""
    found = hashlib.sha256()
    for frame in frames:
        for column in frame:
            found.update(column.to_numpy().tobytes())
    return found.hexdigest()[:16]
