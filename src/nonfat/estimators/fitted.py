"""All that fitting found, as one value."""

import math
from dataclasses import dataclass

import numpy as np

from nonfat.data import Affine, Events, Schema
from nonfat.estimators.frames import FrameKind, frame_kind
from nonfat.models import TensorModel
from nonfat.training import Outcome

__all__ = ["Fit", "Provenance"]


@dataclass(frozen=True)
class Provenance:
    """How a model came to be.

    Attributes:
        rows: of the table, without those that miss a value.
        training_rows: those that are not held out for validation.
        distinct_times: among the training rows.
        epochs: that were run.
        best_epoch: the one whose model was kept.
        validation: its mean log predictive density on the held-out rows, per unit of the value.
        elbo: of the last epoch that had a finite one, per entry, scaled values.
        seconds: of training.
        skipped: steps not taken because their gradient was not finite.
        kind: of the training frame.
    """

    rows: int
    training_rows: int
    distinct_times: int
    epochs: int
    best_epoch: int
    validation: float | None
    elbo: float
    seconds: float
    skipped: int
    kind: FrameKind

    @classmethod
    def of(cls, events: Events, training: Events, outcome: Outcome, scaler: Affine) -> "Provenance":
        """The provenance of an outcome, in the user's units."""
        last, best = outcome.history[-1], outcome.best
        elbo = next(report.elbo for report in outcome.history[::-1] if report.elbo is not None)
        return cls(
            rows=len(events),
            training_rows=len(training),
            distinct_times=len(np.unique(training.time)),
            epochs=len(outcome.history),
            best_epoch=outcome.best_epoch,
            validation=best - math.log(scaler.scale) if math.isfinite(best) else None,
            elbo=elbo,
            seconds=last.seconds,
            skipped=outcome.skipped,
            kind=frame_kind(events.table),
        )


@dataclass(frozen=True, eq=False)
class Fit:
    """Schema and scaler on the user's side, the trained model on the other."""

    schema: Schema
    scaler: Affine
    model: TensorModel
    provenance: Provenance
