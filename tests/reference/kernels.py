"""Kernels one pair at a time."""

import math

import numpy as np


def _scaled_distance(x, z, lengthscale):
    return math.sqrt(sum(((a - b) / c) ** 2 for a, b, c in zip(x, z, lengthscale, strict=True)))


def squared_exponential(r):
    return math.exp(-0.5 * r * r)


def matern_12(r):
    return math.exp(-r)


def matern_32(r):
    return (1 + math.sqrt(3) * r) * math.exp(-math.sqrt(3) * r)


def matern_52(r):
    return (1 + math.sqrt(5) * r + 5 * r * r / 3) * math.exp(-math.sqrt(5) * r)


def gram(profile, X, Z, variance, lengthscale):
    """The covariance matrix by a double loop."""
    K = np.empty((len(X), len(Z)))
    for i, x in enumerate(X):
        for j, z in enumerate(Z):
            K[i, j] = variance * profile(_scaled_distance(x, z, lengthscale))
    return K


def squared_distances(X, Z):
    """‖x_i - z_j‖² by a double loop, in double precision."""
    X, Z = np.asarray(X, np.float64), np.asarray(Z, np.float64)
    return np.array([[np.sum((x - z) ** 2) for z in Z] for x in X])
