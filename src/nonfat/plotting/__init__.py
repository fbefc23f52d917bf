"""Static displays of tidy frames, drawn with matplotlib; nothing here trains or predicts."""

from nonfat.plotting._predictions import predictions
from nonfat.plotting._trajectories import trajectories

__all__ = ["predictions", "trajectories"]
