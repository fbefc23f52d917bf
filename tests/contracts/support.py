"""Every estimator with options that train in a second, and the tables they train on.

An estimator that is not listed in `CASES` fails the whole suite: list it there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
import polars as pl

import nonfat as nf
from nonfat.estimators import ESTIMATORS, Estimator

MODES, TIME, VALUE = ["site", "pollutant"], "when", "level"
ANSWERS = ["mean", "std", "latent_std", "unseen", "beyond"]


@dataclass(frozen=True)
class Case:
    """How the suite treats an estimator.

    Attributes:
        options: with which it trains in a second.
        trained: whether it trains a model by gradients, with batches, epochs and draws.
        trajectories: whether its entities have trajectories to show.
        seeded: whether another seed gives another model.
        entities: whether it tells entities apart.
        grid: an option and two values of it to search over; another seed compiles nothing anew,
            so a size of the model is for the representative alone.
    """

    options: dict[str, Any] = field(default_factory=dict)
    trained: bool = True
    trajectories: bool = True
    seeded: bool = True
    entities: bool = True
    grid: dict[str, list[Any]] = field(default_factory=lambda: {"seed": [0, 1]})


def reference(**changes: Any) -> Case:
    """A plain predictor with nothing to train."""
    plain = {"trained": False, "trajectories": False, "seeded": False}
    return Case(**(plain | changes))


REPRESENTATIVE = "NONFAT"
"""Tests marked ``once`` look at what all estimators share, and run for this one alone."""

BRIEF = {"rank": 1, "epochs": 5, "draws": 16, "validation_fraction": 0.25, "progress": False}
MOVING = BRIEF | {"basis_size": 7}
STATIC = BRIEF | {"epochs": 60, "learning_rate": 0.05}
GP, NETWORK, STEPS = {"pseudo_inputs": 8}, {"width": 5, "depth": 2}, {"steps": 4}

CASES = {
    "NONFAT": Case(MOVING | GP, grid={"rank": [1, 2]}),
    "CPFT": Case(MOVING | {"epochs": 60, "learning_rate": 0.05, "draws": 64}),
    "NNFT": Case(MOVING | {"epochs": 60, "learning_rate": 0.05}),
    "CPCT": Case(STATIC | {"knots": 5}, trajectories=False),
    "GPCT": Case(STATIC | GP, trajectories=False),
    "NNCT": Case(STATIC | NETWORK, trajectories=False),
    "CPDTL": Case(STATIC | STEPS | {"epochs": 200}, trajectories=False),
    "CPDTN": Case(STATIC | STEPS | {"epochs": 200}, trajectories=False),
    "GPDTL": Case(STATIC | STEPS | GP, trajectories=False),
    "GPDTN": Case(STATIC | STEPS | GP, trajectories=False),
    "NNDTL": Case(STATIC | STEPS | NETWORK, trajectories=False),
    "NNDTN": Case(STATIC | STEPS | NETWORK, trajectories=False),
    "GlobalMean": reference(entities=False),
    "CellMean": reference(),
    "AdditiveEffects": reference(),
    "Interpolation": reference(),
    "LastValue": reference(),
    "MultiOutputGP": reference(options={"rank": 1, "terms": 1, "iterations": 10}, seeded=True),
}

TRAINING = {
    "batch_size", "draws", "dtype", "epochs", "learning_rate", "progress", "validation_fraction"
}  # fmt: skip


def make(name: str, **options: Any) -> Estimator:
    """An unfitted estimator of the standard table with its fast options.

    Options of training are for those that train.
    """
    if not CASES[name].trained:
        options = {key: value for key, value in options.items() if key not in TRAINING}
    columns = {"modes": MODES, "time": TIME, "value": VALUE}
    return ESTIMATORS[name](**{**columns, **CASES[name].options, **options})


def standard_table(seed: int = 0) -> pl.DataFrame:
    """48 shuffled rows: three sites, two pollutants, eight times; no two rows alike."""
    rng = np.random.default_rng(seed)
    site, pollutant, when = (index.ravel() for index in np.indices((3, 2, 8)))
    level = np.sin(when) + 2.0 * site - pollutant + 0.1 * rng.standard_normal(48)
    table = pl.DataFrame(
        {
            "site": np.array(["a", "b", "c"])[site],
            "pollutant": np.array(["x", "y"])[pollutant],
            "when": when,
            "level": level,
        }
    )
    return table[rng.permutation(48)]


def queries(*rows: tuple[Any, Any, Any]) -> pl.DataFrame:
    """Rows to predict."""
    return pl.DataFrame(rows, schema=[*MODES, TIME], orient="row")


def numbers(frame: Any) -> np.ndarray:
    """The answers of a prediction in any kind of frame."""
    return np.stack([np.asarray(frame[name]) for name in ("mean", "std", "latent_std")])


def events(frame: Any, **columns: Any) -> nf.Events:
    """A table read as training rows."""
    return nf.Events.read(frame, **({"modes": MODES, "time": TIME, "value": VALUE} | columns))


@contextmanager
def fast_compilation() -> Iterator[None]:
    """Programs that are compiled quickly and run slowly: these tests compile, and hardly run."""
    before = jax.config.values["jax_disable_most_optimizations"]
    jax.config.update("jax_disable_most_optimizations", True)
    try:
        yield
    finally:
        jax.config.update("jax_disable_most_optimizations", before)
