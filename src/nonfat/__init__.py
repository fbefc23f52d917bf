"""Decompose temporal tensors into factors that move in time, with honest uncertainty.

Example:
    >>> import nonfat as nf
    >>> nf.NONFAT(modes=["site", "pollutant"], time="when", value="level", rank=3)
    NONFAT(modes=['site', 'pollutant'], rank=3, time='when', value='level')
"""

import importlib
from importlib import metadata as _metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nonfat.data import Events, cold_entity_split, random_split, temporal_split
    from nonfat.errors import (
        ChoiceWarning,
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
    from nonfat.estimators import (
        CPCT,
        CPDTL,
        CPDTN,
        CPFT,
        GPCT,
        GPDTL,
        GPDTN,
        NNCT,
        NNDTL,
        NNDTN,
        NNFT,
        NONFAT,
        AdditiveEffects,
        CellMean,
        GlobalMean,
        Interpolation,
        LastValue,
        MultiOutputGP,
        load,
    )

__all__ = [
    "CPCT",
    "CPDTL",
    "CPDTN",
    "CPFT",
    "GPCT",
    "GPDTL",
    "GPDTN",
    "NNCT",
    "NNDTL",
    "NNDTN",
    "NNFT",
    "NONFAT",
    "AdditiveEffects",
    "CellMean",
    "ChoiceWarning",
    "ConfigError",
    "DataError",
    "DataWarning",
    "Events",
    "GlobalMean",
    "Interpolation",
    "LastValue",
    "ModelFileError",
    "MultiOutputGP",
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

_HOMES = {
    "nonfat.data": ("Events", "cold_entity_split", "random_split", "temporal_split"),
    "nonfat.estimators": (
        "NONFAT",
        "CPCT",
        "CPDTL",
        "CPDTN",
        "CPFT",
        "GPCT",
        "GPDTL",
        "GPDTN",
        "NNCT",
        "NNDTL",
        "NNDTN",
        "NNFT",
        "AdditiveEffects",
        "CellMean",
        "GlobalMean",
        "Interpolation",
        "LastValue",
        "MultiOutputGP",
        "load",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``nonfat --help`` needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'nonfat' has no attribute {name!r}")
    found = getattr(importlib.import_module(_HOME.get(name, "nonfat.errors")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


try:
    __version__ = _metadata.version("nonfat")
except _metadata.PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"
