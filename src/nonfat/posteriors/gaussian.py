"""A whitened Gaussian posterior over pseudo outputs."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Key

from nonfat.numerics.bijectors import lower_triangular, raw_triangular
from nonfat.posteriors.kl import gaussian_kl

__all__ = ["WhitenedGaussian"]


class WhitenedGaussian(eqx.Module):
    """q(ĥ) = N(m, SSᵀ) for ĥ = L_Z⁻¹ h, whose prior is N(0, I).

    Example:
        >>> import jax.numpy as jnp
        >>> q = WhitenedGaussian.create(a=4, scale=1.0, dtype=jnp.float32)
        >>> q.kl().item()
        0.0
    """

    m: Float[Array, "a"]
    raw_S: Float[Array, "a a"]

    @classmethod
    def create(cls, a: int, scale: float, dtype: DTypeLike) -> "WhitenedGaussian":
        """Zero mean and standard deviation `scale` in every direction."""
        S = scale * jnp.eye(a, dtype=dtype)
        return cls(m=jnp.zeros(a, dtype), raw_S=raw_triangular(S))

    @property
    def S(self) -> Float[Array, "a a"]:
        """The lower-triangular factor of the covariance."""
        return lower_triangular(self.raw_S)

    def project(self, W: Float[Array, "n a"]) -> tuple[Float[Array, "n"], Float[Array, "n"]]:
        """Mean ``w_iᵀ m`` and variance ``‖Sᵀ w_i‖²`` of the rows' projections."""
        WS = W @ self.S
        return W @ self.m, jnp.sum(WS * WS, axis=1)

    def sample(self, key: Key[Array, ""]) -> Float[Array, "a"]:
        """One draw ``m + S ε``."""
        return self.m + self.S @ jax.random.normal(key, self.m.shape, self.m.dtype)

    def kl(self) -> Float[Array, ""]:
        """KL[q ‖ N(0, I)]."""
        return gaussian_kl(self.m, self.S)
