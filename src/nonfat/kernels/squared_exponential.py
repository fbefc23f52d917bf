"""The squared-exponential kernel, the paper's choice on both levels."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from nonfat.kernels.base import Kernel
from nonfat.kernels.distance import squared_distance

__all__ = ["SquaredExponential"]


class SquaredExponential(Kernel):
    """κ(x, z) = σ² exp(-½ Σ_i (x_i - z_i)² / ℓ_i²), a length-scale for each input.

    Example:
        >>> import jax.numpy as jnp
        >>> kernel = SquaredExponential.create(variance=2.0, lengthscale=jnp.ones(3))
        >>> round(kernel(jnp.zeros((1, 3)), jnp.ones((1, 3))).item(), 4)  # 2 exp(-3/2)
        0.4463
    """

    log_variance: Float[Array, ""]
    log_lengthscale: Float[Array, "D"]

    @classmethod
    def create(cls, variance: float, lengthscale: Float[Array, "D"]) -> "SquaredExponential":
        """A kernel from its parameters in their own units."""
        lengthscale = jnp.asarray(lengthscale)
        log_variance = jnp.log(jnp.asarray(variance, lengthscale.dtype))
        return cls(log_variance=log_variance, log_lengthscale=jnp.log(lengthscale))

    def __call__(self, X: Float[Array, "n D"], Z: Float[Array, "a D"]) -> Float[Array, "n a"]:
        """The covariance matrix κ(X, Z)."""
        inverse = jnp.exp(-self.log_lengthscale)
        half_squares = 0.5 * squared_distance(X * inverse, Z * inverse)
        return jnp.exp(self.log_variance - half_squares)

    @property
    def variance(self) -> Float[Array, ""]:
        """κ(x, x) = σ²."""
        return jnp.exp(self.log_variance)
