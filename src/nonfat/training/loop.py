"""The training loop: Python between epochs, compiled within."""

import math
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import jax
import numpy as np

from nonfat.errors import TrainingError, TrainingInterrupted, TrainingWarning
from nonfat.models.tensor_model import TensorModel
from nonfat.training.batching import Source
from nonfat.training.callbacks import Callback, EpochReport
from nonfat.training.settings import Training
from nonfat.training.state import State, create_state, optimiser
from nonfat.training.steps import StepRule, run_steps

__all__ = ["Outcome", "Watch", "train"]

_LOST_EPOCHS = 3  # consecutive epochs without a single finite step after which there is no hope

Score = Callable[[TensorModel], float]
Watch = Callable[[TensorModel, EpochReport], None]
"""Looks at the model after each epoch; training goes on as if it did not."""


@dataclass
class Outcome:
    """What training found.

    Attributes:
        model: the best model by validation score, or the last one if none was validated.
        history: one report per epoch.
        best_epoch: the epoch of the model.
        skipped: steps not taken because their gradient was not finite.
    """

    model: TensorModel
    history: list[EpochReport] = field(default_factory=list)
    best_epoch: int = 0
    skipped: int = 0
    best: float = -math.inf

    def offer(self, model: TensorModel, epoch: int, score: float | None) -> None:
        """Keep a model if it is better, or if nothing was compared so far."""
        if score is not None and score > self.best:
            self.model, self.best_epoch, self.best = model, epoch, score
        elif score is None and not math.isfinite(self.best):
            self.model, self.best_epoch = model, epoch


def train(
    model: TensorModel,
    source: Source,
    settings: Training,
    score: Score | None = None,
    callbacks: Iterable[Callback] = (),
    watch: Watch | None = None,
) -> Outcome:
    """Maximise the evidence lower bound.

    Args:
        model: where to start.
        source: the training entries.
        settings: how.
        score: higher is better; None trains to the last epoch.
        callbacks: called after each epoch.
        watch: called after them, with the model of the epoch too.

    Returns:
        The best model and the way to it.

    Raises:
        TrainingError: the numbers stopped being finite and did not recover.

    Warns:
        TrainingInterrupted: Ctrl-C was pressed; the best model so far is returned.
        TrainingWarning: some steps were skipped.
    """
    total = settings.epochs * source.steps
    optim = optimiser(settings.learning_rate, total)
    rule = StepRule(optim, source.size, int(settings.warmup * total))
    state = create_state(model, optim, jax.random.key(settings.seed))
    outcome = Outcome(model)
    try:
        _run(state, rule, source, settings, score, list(callbacks), watch, outcome)
    except KeyboardInterrupt:
        if not outcome.best_epoch:
            raise
        warnings.warn(_interrupted(outcome, settings, score), TrainingInterrupted, stacklevel=2)
    else:
        _refuse_useless(outcome, settings, score, source)
    _report_skipped(outcome, source)
    return outcome


def _run(
    state: State,
    rule: StepRule,
    source: Source,
    settings: Training,
    score: Score | None,
    callbacks: list[Callback],
    watch: Watch | None,
    outcome: Outcome,
) -> None:
    rng = np.random.default_rng(settings.seed)
    start, lost = time.monotonic(), 0
    for epoch in range(1, settings.epochs + 1):
        state, elbo = _epoch(state, rule, source, rng)
        skipped = int(state.skipped)
        lost = lost + 1 if skipped - outcome.skipped == source.steps else 0
        outcome.skipped = skipped
        if lost == _LOST_EPOCHS:
            raise TrainingError(_hopeless(epoch, settings))
        value = score(state.model) if score is not None and settings.checks(epoch) else None
        if skipped < epoch * source.steps:  # at least one step was taken
            outcome.offer(state.model, epoch, value)
        best = outcome.best if math.isfinite(outcome.best) else None
        seconds = time.monotonic() - start
        report = EpochReport(epoch, settings.epochs, elbo, _known(value), best, seconds)
        outcome.history.append(report)
        for callback in callbacks:
            callback(report)
        if watch is not None:
            watch(state.model, report)
        if value is not None and settings.out_of_patience(epoch, outcome.best_epoch):
            return


def _epoch(
    state: State, rule: StepRule, source: Source, rng: np.random.Generator
) -> tuple[State, float | None]:
    """All chunks of an epoch; the mean ELBO of its finite steps, None if there are none."""
    elbos = []
    for chunk in source.epoch(rng):
        state, elbo = run_steps(rule, state, chunk)
        elbos.append(np.asarray(elbo))
    finite = np.concatenate(elbos)
    finite = finite[np.isfinite(finite)]
    return state, float(finite.mean()) if len(finite) else None


def _known(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _interrupted(outcome: Outcome, settings: Training, score: Score | None) -> str:
    early = "; no model was validated yet" if score and not math.isfinite(outcome.best) else ""
    return (
        f"training was interrupted after epoch {len(outcome.history)} of {settings.epochs}; "
        f"the model of epoch {outcome.best_epoch} is kept{early}"
    )


def _refuse_useless(
    outcome: Outcome, settings: Training, score: Score | None, source: Source
) -> None:
    """A run that came to its end without a model worth keeping."""
    epochs = len(outcome.history)
    if outcome.skipped == epochs * source.steps:
        raise TrainingError(_hopeless(epochs, settings))
    if score is not None and not math.isfinite(outcome.best):
        raise TrainingError(
            f"training broke down: no epoch gave a finite validation score. {_advice(settings)}"
        )


def _hopeless(epoch: int, settings: Training) -> str:
    lost = min(epoch, _LOST_EPOCHS)
    return (
        f"training broke down: no step of the {lost} epochs up to epoch {epoch} had a "
        f"finite gradient. {_advice(settings)}"
    )


def _advice(settings: Training) -> str:
    return (
        f"Try a lower learning_rate (now {settings.learning_rate:g}), "
        'dtype="float64", or look for extreme values in the table'
    )


def _report_skipped(outcome: Outcome, source: Source) -> None:
    taken = len(outcome.history) * source.steps
    if outcome.skipped:
        warnings.warn(
            f"{outcome.skipped} of {taken} training steps were skipped because their gradient was "
            "not finite; if the fit is poor, try a lower learning_rate or dtype='float64'",
            TrainingWarning,
            stacklevel=3,
        )
