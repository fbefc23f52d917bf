"""Mixtures of Gaussians, one component at a time."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm


def cdf(y, means, variances):
    """Distribution function of an equal mixture."""
    return np.mean([norm.cdf(y, m, np.sqrt(v)) for m, v in zip(means, variances, strict=True)])


def log_density(y, means, variances):
    """Log density of an equal mixture."""
    each = [norm.pdf(y, m, np.sqrt(v)) for m, v in zip(means, variances, strict=True)]
    return np.log(np.mean(each))


def quantile(level, means, variances):
    """The root of cdf(y) = level."""
    reach = 40 * np.sqrt(np.max(variances))
    low, high = np.min(means) - reach, np.max(means) + reach
    return brentq(lambda y: cdf(y, means, variances) - level, low, high, xtol=1e-13)
