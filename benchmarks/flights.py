"""Likelihoods that fit the data, beside those that do not: New York's flights of 2013.

    python benchmarks/flights.py [--json] [--rows N] [--epochs E] [--quick] [--seed S]

Each experiment fits NONFAT once for each likelihood on the same rows, everything else alike, and
judges it on rows held out at random:

* scheduled flights per route and day, Poisson and negative binomial: a timetable is *less*
  scattered than Poisson counts, so that here both should come out alike (and their bands too wide);
* late arrivals per route and day, of so many flights: storms make these more scattered, which only
  the negative binomial can follow;
* late or not, flight by flight: Bernoulli, beside the smoothed rate of the route and the rate of
  all flights;
* the delay in minutes: Gaussian and Student-t.

The score is the mean log predictive density (probability, for counts) of a held-out row; more is
better. The 95% band should cover 95%, and more than that where values are whole numbers and few.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

import nonfat as nf
from nonfat.errors import NonfatError
from nonfat.estimators.catalogue import create
from nonfat.evaluation.flights import (
    ROUTE,
    arrival_delays,
    daily_counts,
    daily_late,
    late_arrivals,
)
from nonfat.evaluation.provenance import provenance
from nonfat.evaluation.rates import binary_log_score, cell_rate

HELD_OUT = 0.2


@dataclass(frozen=True)
class Experiment:
    """One table and the likelihoods that are tried on it."""

    name: str
    load: Callable[..., pl.DataFrame]
    likelihoods: tuple[str, ...]
    months: tuple[int, ...]
    options: dict[str, Any] = field(default_factory=dict)


# A basis of 151 reaches the thirds of a week over three months, and half a day over one.
EXPERIMENTS = (
    Experiment("scheduled per day", daily_counts, ("poisson", "negative_binomial"), (4, 5, 6)),
    Experiment(
        "late per day",
        daily_late,
        ("poisson", "negative_binomial"),
        (4, 5, 6),
        {"exposure": "flights"},
    ),
    Experiment("late or not", late_arrivals, ("bernoulli",), (7,)),
    Experiment("delay", arrival_delays, ("gaussian", "student_t"), (7,)),
)
SIZES = {"rank": 3, "basis_size": 151, "pseudo_inputs": 100, "batch_size": 250}
QUICK = {"rank": 2, "basis_size": 31, "pseudo_inputs": 30, "batch_size": 250}


@dataclass(frozen=True)
class Row:
    """What came of one predictor."""

    experiment: str
    predictor: str
    train_rows: int
    test_rows: int
    log_score: float | None = None
    coverage_95: float | None = None
    mae: float | None = None
    seconds: float | None = None
    error: str | None = None


def run(
    experiment: Experiment, sizes: dict[str, int], rows: int, epochs: int, seed: int
) -> list[Row]:
    """All predictors of one experiment."""
    table = experiment.load(routes=40, rows=rows, months=experiment.months, seed=seed)
    chosen, others = nf.random_split(table.height, HELD_OUT, seed)
    train, test = table[chosen], table[others]
    options = {**sizes, **experiment.options, "epochs": epochs, "seed": seed, "progress": False}
    found = [
        judge(experiment.name, train, test, likelihood=likelihood, **options)
        for likelihood in experiment.likelihoods
    ]
    if "bernoulli" in experiment.likelihoods:
        found += rates(experiment.name, train, test)
    return found


def judge(name: str, train: pl.DataFrame, test: pl.DataFrame, **options: Any) -> Row:
    """NONFAT with one likelihood; a failure is a row too."""
    row = Row(name, f"NONFAT, {options['likelihood']}", train.height, test.height)
    columns = {"modes": list(ROUTE), "time": "time", "value": "value"}
    start = time.monotonic()
    try:
        scores = create("NONFAT", columns | options).fit(train).evaluate(test)
    except NonfatError as error:
        return replace(row, error=" ".join(str(error).split()))
    return replace(
        row,
        log_score=scores["log_likelihood"],
        coverage_95=scores["coverage_95"],
        mae=scores["mae"],
        seconds=time.monotonic() - start,
    )


def rates(name: str, train: pl.DataFrame, test: pl.DataFrame) -> list[Row]:
    """The references for yes or no."""
    both = pl.concat([train, test]).select(pl.col(mode).rank("dense") for mode in ROUTE)
    codes = both.to_numpy().astype(np.int64)
    seen, asked = (part["value"].to_numpy().astype(float) for part in (train, test))
    smoothed = cell_rate(codes[: train.height], seen, codes[train.height :])
    predictors = {
        "smoothed rate of the route": smoothed,
        "rate of all flights": np.full(len(asked), seen.mean()),
    }
    return [
        Row(
            *(name, predictor, train.height, test.height),
            log_score=binary_log_score(asked, probability),
            mae=float(np.abs(asked - probability).mean()),
        )
        for predictor, probability in predictors.items()
    ]


def show(rows: list[Row]) -> None:
    """One line for each predictor, the best of each experiment with a star."""
    print(f"{'':30s} {'log score':>10s} {'in band':>8s} {'MAE':>8s} {'seconds':>8s}")
    for name in dict.fromkeys(row.experiment for row in rows):
        chosen = [row for row in rows if row.experiment == name]
        print(f"{name}: {chosen[0].train_rows} rows to learn from, {chosen[0].test_rows} held out")
        best = max((row.log_score for row in chosen if row.log_score is not None), default=None)
        for row in chosen:
            print(f"  {row.predictor:28s} {_line(row, best)}")


def _line(row: Row, best: float | None) -> str:
    if row.error is not None:
        return f"failed: {row.error}"
    star = "*" if row.log_score == best else " "
    shown = [
        f"{row.log_score:+9.4f}{star}",
        "" if row.coverage_95 is None else f"{row.coverage_95:.1%}",
        "" if row.mae is None else f"{row.mae:.4f}",
        "" if row.seconds is None else f"{row.seconds:.1f}",
    ]
    return " ".join(text.rjust(width) for text, width in zip(shown, (10, 8, 8, 8), strict=True))


def main() -> int:
    """Run all experiments and print them."""
    parser = argparse.ArgumentParser(description="Likelihoods on New York's flights of 2013.")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--rows", type=int, help="of each table (4000; 1000 if quick)")
    parser.add_argument("--epochs", type=int, help="passes over the rows (60; 10 if quick)")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    count = options.rows or (1000 if options.quick else 4000)
    epochs = options.epochs or (10 if options.quick else 60)
    sizes = QUICK if options.quick else SIZES
    found: list[Row] = []
    for experiment in EXPERIMENTS:
        found += run(experiment, sizes, count, epochs, options.seed)
    if options.json:
        rows = [asdict(row) for row in found]
        print(json.dumps({**provenance(), "seed": options.seed, "rows": rows}, indent=2))
    else:
        show(found)
    return 1 if any(row.error for row in found) else 0


if __name__ == "__main__":
    sys.exit(main())
