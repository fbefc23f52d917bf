"""Integrals over a Gaussian latent on a dense grid, with distributions from SciPy."""

import numpy as np
from scipy import stats
from scipy.special import expit, log_expit, logsumexp

Z = np.linspace(-12, 12, 60_001)
LOG_WEIGHT = stats.norm.logpdf(Z) + np.log(Z[1] - Z[0])


def expectation(g, mean, variance):
    """E[g(m)] for m ~ N(mean, variance)."""
    return np.exp(LOG_WEIGHT) @ g(mean + np.sqrt(variance) * Z)


def log_expectation(log_g, mean, variance):
    """Log E[exp(log_g(m))]."""
    return logsumexp(LOG_WEIGHT + log_g(mean + np.sqrt(variance) * Z))


def poisson(eta):
    return stats.poisson(np.exp(eta))


def negative_binomial(r):
    return lambda eta: stats.nbinom(r, 1 / (1 + np.exp(eta) / r))


def student_t(scale, df):
    return lambda m: stats.t(df, m, scale)


class _Binary:
    def __init__(self, p, log_p, log_q):
        self.p, self.log_p, self.log_q = p, log_p, log_q

    def logpmf(self, y):
        return self.log_p if y == 1 else self.log_q

    def mean(self):
        return self.p

    def var(self):
        return self.p * (1 - self.p)

    def cdf(self, y):
        return np.where(y < 0, 0.0, np.where(y < 1, 1 - self.p, 1.0))


def logit(eta):
    return _Binary(expit(eta), log_expit(eta), log_expit(-eta))


def probit(eta):
    return _Binary(stats.norm.cdf(eta), stats.norm.logcdf(eta), stats.norm.logcdf(-eta))
