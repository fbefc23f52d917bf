"""All that fitting found, as one value."""

import math
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from nonfat.data import Affine, Events, Schema
from nonfat.estimators.frames import FrameKind, frame_kind
from nonfat.estimators.likelihoods import Choice
from nonfat.training import Outcome

__all__ = ["Fit", "Origin", "Provenance"]

Model = TypeVar("Model")


@dataclass(frozen=True)
class Origin:
    """Where a fitted method comes from.

    Attributes:
        rows: of the table, without those that miss a value.
        training_rows: those that are not held out for validation.
        distinct_times: among the training rows.
        seconds: of fitting.
        kind: of the training frame.
    """

    rows: int
    training_rows: int
    distinct_times: int
    seconds: float
    kind: FrameKind

    @staticmethod
    def facts(events: Events, training: Events, seconds: float) -> dict[str, Any]:
        """What every method can tell."""
        return {
            "rows": len(events),
            "training_rows": len(training),
            "distinct_times": len(np.unique(training.time)),
            "seconds": seconds,
            "kind": frame_kind(events.table),
        }


@dataclass(frozen=True)
class Provenance(Origin):
    """How a trained model came to be.

    Attributes:
        epochs: that were run.
        best_epoch: the one whose model was kept.
        validation: its mean log predictive density on the held-out rows, per unit of the value.
        elbo: of the last epoch that had a finite one, per entry, scaled values.
        skipped: steps not taken because their gradient was not finite.
        likelihood: the name of the likelihood.
        reason: why it is that one.
    """

    epochs: int
    best_epoch: int
    validation: float | None
    elbo: float
    skipped: int
    likelihood: str = "gaussian"
    reason: str = ""

    @classmethod
    def of(
        cls, events: Events, training: Events, outcome: Outcome, scaler: Affine, chosen: Choice
    ) -> "Provenance":
        """The provenance of an outcome, in the user's units."""
        last, best = outcome.history[-1], outcome.best
        elbo = next(report.elbo for report in outcome.history[::-1] if report.elbo is not None)
        return cls(
            **cls.facts(events, training, last.seconds),
            epochs=len(outcome.history),
            best_epoch=outcome.best_epoch,
            validation=best - math.log(scaler.scale) if math.isfinite(best) else None,
            elbo=elbo,
            skipped=outcome.skipped,
            likelihood=chosen.name,
            reason=chosen.reason,
        )


@dataclass(frozen=True, eq=False)
class Fit(Generic[Model]):
    """Schema and scaler on the user's side, the fitted model on the other."""

    schema: Schema
    scaler: Affine
    model: Model
    provenance: Origin
