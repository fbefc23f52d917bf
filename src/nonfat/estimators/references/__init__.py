"""Plain predictors that every result table carries as reference rows."""

from nonfat.estimators.references.additive import AdditiveEffects
from nonfat.estimators.references.base import ReferenceEstimator
from nonfat.estimators.references.lines import Interpolation, LastValue
from nonfat.estimators.references.means import CellMean, GlobalMean
from nonfat.estimators.references.process import MultiOutputGP

__all__ = [
    "AdditiveEffects",
    "CellMean",
    "GlobalMean",
    "Interpolation",
    "LastValue",
    "MultiOutputGP",
    "ReferenceEstimator",
]
