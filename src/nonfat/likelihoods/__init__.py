"""Likelihoods: how an observed value follows from the latent one."""

from nonfat.likelihoods.base import Likelihood
from nonfat.likelihoods.gaussian import Gaussian

__all__ = ["Gaussian", "Likelihood"]
