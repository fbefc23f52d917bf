"""Likelihoods: how an observed value follows from the latent one."""

from nonfat.likelihoods.base import Likelihood, Observes
from nonfat.likelihoods.bernoulli import Bernoulli, Link
from nonfat.likelihoods.gaussian import Gaussian
from nonfat.likelihoods.negative_binomial import NegativeBinomial
from nonfat.likelihoods.poisson import Poisson
from nonfat.likelihoods.student_t import StudentT

__all__ = [
    "Bernoulli",
    "Gaussian",
    "Likelihood",
    "Link",
    "NegativeBinomial",
    "Observes",
    "Poisson",
    "StudentT",
]
