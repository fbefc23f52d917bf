"""Training: state in, state out; nothing here knows labels or frames."""

from nonfat.training.batching import ArraySource, LocalBatch, Source, local_entries
from nonfat.training.callbacks import Callback, EpochReport
from nonfat.training.loop import Outcome, Watch, train
from nonfat.training.progress import progress_bar
from nonfat.training.scope import DType, scoped
from nonfat.training.settings import Training

__all__ = [
    "ArraySource",
    "Callback",
    "DType",
    "EpochReport",
    "LocalBatch",
    "Outcome",
    "Source",
    "Training",
    "Watch",
    "local_entries",
    "progress_bar",
    "scoped",
    "train",
]
