"""Variational posteriors in whitened coordinates."""

from nonfat.posteriors.gaussian import WhitenedGaussian
from nonfat.posteriors.kl import gaussian_kl, matrix_gaussian_kl
from nonfat.posteriors.matrix_gaussian import WhitenedMatrixGaussian

__all__ = ["WhitenedGaussian", "WhitenedMatrixGaussian", "gaussian_kl", "matrix_gaussian_kl"]
