"""A benchmark as a table to read, and what it comes to in plain sentences."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from nonfat.evaluation.runner import Bench, Record
from nonfat.metrics import METRICS

__all__ = ["as_tree", "best", "cells", "line", "remarks"]

_JUDGED = ("relative_rmse", "mae", "log_likelihood", "crps")
_WORDS = {
    "relative_rmse": "relative RMSE",
    "mae": "MAE",
    "log_likelihood": "log likelihood",
    "crps": "CRPS",
}


def as_tree(bench: Bench) -> dict[str, Any]:
    """All of a benchmark as JSON writes it; provenance is at the top level.

    Args:
        bench: what `nonfat.evaluation.runner.run_suite` gives.
    """
    suite = bench.suite
    return {
        "suite": suite.name,
        "dataset": suite.dataset,
        "fold": suite.fold,
        "rank": suite.rank,
        "seed": bench.seed,
        "protocol": suite.protocol,
        "train_rows": bench.train_rows,
        "test_rows": bench.test_rows,
        **bench.provenance,
        "records": [dataclasses.asdict(record) for record in bench.records],
        "remarks": remarks(bench),
    }


def line(record: Record) -> str:
    """What came of one method, in one line.

    Example:
        >>> line(Record("NONFAT", "method", "", relative_rmse=0.2, seconds=31.0))
        'NONFAT: relative RMSE 0.200, 31.0 s'
        >>> line(Record("CPCT", "method", "", error="it broke"))
        'CPCT failed: it broke'
    """
    if record.error is not None:
        return f"{record.method} failed: {record.error}"
    known = [
        f"relative RMSE {record.relative_rmse:.3f}" if record.relative_rmse is not None else "",
        f"{record.seconds:.1f} s" if record.seconds is not None else "",
    ]
    return f"{record.method}: {', '.join(filter(None, known))}"


def best(records: Sequence[Record], score: str) -> Record | None:
    """The record with the best score; None if no record has this score.

    Example:
        >>> rows = [Record("A", "method", "", mae=0.5), Record("B", "reference", "", mae=0.25)]
        >>> best(rows, "mae").method
        'B'
    """
    known = [record for record in records if getattr(record, score) is not None]
    choose: Callable[..., Record] = max if METRICS[score].greater_is_better else min
    return choose(known, key=lambda record: getattr(record, score)) if known else None


def cells(records: Sequence[Record]) -> list[list[str]]:
    """The table: a heading, methods, then references; the best of each score has a star.

    Example:
        >>> cells([Record("A", "method", "CP", mae=0.5)])[1]
        ['A', 'CP', '', '', '0.500*', '', '', '', '', '']
    """
    heading = [*("method", "composition", "rank", "relative RMSE", "MAE", "log lik.", "CRPS")]
    rows = [[*heading, "in 95% band", "seconds", "epochs"]]
    winners = {score: best(records, score) for score in _JUDGED}
    for kind in ("method", "reference"):
        chosen = [record for record in records if record.kind == kind]
        if chosen and kind == "reference":
            rows.append(["references", *[""] * (len(rows[0]) - 1)])
        rows += [_row(record, winners) for record in chosen]
    return rows


def _row(record: Record, winners: dict[str, Record | None]) -> list[str]:
    def shown(score: str, form: str) -> str:
        value = getattr(record, score)
        star = "*" if winners[score] is record else " "
        return "" if value is None else f"{value:{form}}{star}"

    indent = "  " if record.kind == "reference" else ""
    return [
        f"{indent}{record.method}",
        "failed" if record.error else record.composition,
        _told(record.rank, "d"),
        shown("relative_rmse", ".3f"),
        shown("mae", ".3f"),
        shown("log_likelihood", "+.3f"),
        shown("crps", ".3f"),
        _told(record.coverage_95, ".1%"),
        _told(record.seconds, ".1f"),
        _told(record.epochs, "d"),
    ]


def _told(value: float | None, form: str) -> str:
    return "" if value is None else f"{value:{form}}"


def remarks(bench: Bench) -> list[str]:
    """What the numbers come to, and what there is to know about them, a sentence each."""
    scored = [record for record in bench.records if record.error is None]
    found = [bench.suite.note] if bench.suite.note else []
    found += [line(record) for record in bench.failed]
    methods = [record for record in scored if record.kind == "method"]
    references = [record for record in scored if record.kind == "reference"]
    if methods and not references:
        found.append("No reference was run, so this says little: add references to the methods.")
    for score in _JUDGED if methods and references else ():
        found += _beaten(methods, references, score)
    return found


def _beaten(methods: Sequence[Record], references: Sequence[Record], score: str) -> list[str]:
    """A sentence if no method is better than the best reference."""
    top, mark = best(methods, score), best(references, score)
    if top is None or mark is None:
        return []
    mine, theirs = getattr(top, score), getattr(mark, score)
    if mine > theirs if METRICS[score].greater_is_better else mine < theirs:
        return []
    return [
        f"No method beats the references on {_WORDS[score]}: "
        f"{mark.method} has {theirs:.3f}, the best method, {top.method}, {mine:.3f}."
    ]
