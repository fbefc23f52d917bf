"""Estimators: tables in, tables out, after scikit-learn's contract."""

from nonfat.estimators.base import TensorEstimator
from nonfat.estimators.nonfat import NONFAT
from nonfat.estimators.registry import ESTIMATORS, load

__all__ = ["ESTIMATORS", "NONFAT", "TensorEstimator", "load"]
