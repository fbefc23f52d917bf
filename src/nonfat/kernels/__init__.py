"""Covariance functions."""

from nonfat.kernels.base import Kernel
from nonfat.kernels.matern import Matern, matern_spectrum
from nonfat.kernels.squared_exponential import SquaredExponential

__all__ = ["Kernel", "Matern", "SquaredExponential", "matern_spectrum"]
