"""Decompose temporal tensors into factors that move in time, with honest uncertainty.

Example:
    >>> import nonfat as nf
    >>> nf.NONFAT(modes=["site", "pollutant"], time="when", value="level", rank=3)
    NONFAT(modes=['site', 'pollutant'], rank=3, time='when', value='level')
"""

from importlib import metadata as _metadata

from nonfat.data import Events, cold_entity_split, random_split, temporal_split
from nonfat.errors import (
    ConfigError,
    DataError,
    DataWarning,
    ModelFileError,
    NonfatError,
    NonfatWarning,
    NotFittedError,
    TrainingError,
    TrainingInterrupted,
    TrainingWarning,
)
from nonfat.estimators import NONFAT, load

__all__ = [
    "NONFAT",
    "ConfigError",
    "DataError",
    "DataWarning",
    "Events",
    "ModelFileError",
    "NonfatError",
    "NonfatWarning",
    "NotFittedError",
    "TrainingError",
    "TrainingInterrupted",
    "TrainingWarning",
    "cold_entity_split",
    "load",
    "random_split",
    "temporal_split",
]

try:
    __version__ = _metadata.version("nonfat")
except _metadata.PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"
