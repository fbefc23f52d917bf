"""What the training loop tells its callers while it runs."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

__all__ = ["Callback", "EpochReport"]


@dataclass(frozen=True)
class EpochReport:
    """One epoch.

    Attributes:
        epoch: counted from 1.
        epochs: at most this many.
        elbo: evidence lower bound per training entry, mean over the epoch's steps; None if none
            of them was finite.
        validation: mean log predictive density of the validation rows (scaled values), if they
            were looked at after this epoch.
        best: the best such score so far.
        seconds: since training began.
    """

    epoch: int
    epochs: int
    elbo: float | None
    validation: float | None
    best: float | None
    seconds: float


@runtime_checkable
class Callback(Protocol):
    """Called after each epoch."""

    def __call__(self, report: EpochReport) -> None:
        """Look at the report; an exception ends the training."""
        ...
