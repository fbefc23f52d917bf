"""Distributions as mixtures of normals: then a Gaussian latent is integrated out exactly."""

from functools import lru_cache

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtr
from jaxtyping import Array, Float, Float64

__all__ = ["expected_softplus", "logistic_mixture"]


@lru_cache(maxsize=4)
def logistic_mixture(
    n: int = 24, reach: float = 3.3
) -> tuple[Float64[np.ndarray, "n"], Float64[np.ndarray, "n"]]:
    """Variances and log weights of normals whose mixture is the logistic distribution.

    A logistic variable is 2KZ with Z standard normal and K of Kolmogorov's distribution
    (Andrews and Mallows, 1974). So σ(η) = Σ wᵢ Φ(η/√vᵢ), and with η ~ N(f, s²) the same sum has
    √(vᵢ + s²) in place of √vᵢ, however wide or narrow the latent is. The nodes are a trapezoid
    rule in log K, which converges exponentially.

    Args:
        n: number of nodes.
        reach: largest K. Probabilities are right to e^(-2 reach²), and relative to their own size
            down to about e^(-4 reach²).

    Example:
        >>> variance, log_weight = logistic_mixture()
        >>> round(float(np.exp(log_weight) @ variance), 6)  # that of the logistic: π²/3
        3.289868
    """
    k = np.exp(np.linspace(np.log(0.17), np.log(reach), n))
    j = np.arange(1, 12)[:, None]
    # Two series for one density: the first converges for small K, the second for large K.
    c = (2 * j - 1) ** 2 * np.pi**2 / 8
    low = np.minimum(k, 1.0)
    below = (np.sqrt(2 * np.pi) / low**2) * np.sum(np.exp(-c / low**2) * (2 * c / low**2 - 1), 0)
    high = np.maximum(k, 1.0)
    above = np.sum((-1.0) ** (j - 1) * j**2 * np.exp(-2 * (j**2 - 1) * high**2), axis=0)
    log_density = np.where(k < 1, np.log(below), np.log(8 * high * above) - 2 * high**2)
    log_weight = log_density + np.log(k)
    peak = log_weight.max()
    return 4 * k**2, log_weight - peak - np.log(np.exp(log_weight - peak).sum())


def expected_softplus(mean: Float[Array, "*n"], variance: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """E[log(1 + exp(η))] for η ~ N(mean, variance), to about 1e-8.

    The softplus is E[max(η + L, 0)] with L logistic, so each normal of the mixture gives
    mean Φ(z) + c φ(z), where c² = v + variance and z = mean/c.

    Example:
        >>> import jax.numpy as jnp
        >>> round(expected_softplus(jnp.array(0.0), jnp.array(0.0)).item(), 5)  # log 2
        0.69315
    """
    v, log_weight = (jnp.asarray(x, mean.dtype) for x in logistic_mixture())
    c = jnp.sqrt(variance[..., None] + v)
    z = mean[..., None] / c
    density = jnp.exp(-0.5 * jnp.minimum(z * z, 200.0)) * (2.0 * np.pi) ** -0.5
    return jnp.sum(jnp.exp(log_weight) * (mean[..., None] * ndtr(z) + c * density), axis=-1)
