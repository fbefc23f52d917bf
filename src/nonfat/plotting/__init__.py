"""Static displays of tidy frames, drawn with matplotlib; nothing here trains or predicts."""

from nonfat.plotting._benchmarks import against_time, calibration
from nonfat.plotting._panels import require_matplotlib
from nonfat.plotting._predictions import predictions
from nonfat.plotting._trajectories import trajectories

__all__ = ["against_time", "calibration", "predictions", "require_matplotlib", "trajectories"]
