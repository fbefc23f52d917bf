"""Estimators: tables in, tables out, after scikit-learn's contract."""

from nonfat.estimators.base import Estimator
from nonfat.estimators.methods import (
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
)
from nonfat.estimators.nonfat import NONFAT
from nonfat.estimators.references import (
    AdditiveEffects,
    CellMean,
    GlobalMean,
    Interpolation,
    LastValue,
    MultiOutputGP,
)
from nonfat.estimators.registry import ESTIMATORS, load
from nonfat.estimators.trained import TensorEstimator

__all__ = [
    "CPCT",
    "CPDTL",
    "CPDTN",
    "CPFT",
    "ESTIMATORS",
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
    "Estimator",
    "GlobalMean",
    "Interpolation",
    "LastValue",
    "MultiOutputGP",
    "TensorEstimator",
    "load",
]
