"""A whitened matrix-Gaussian posterior over the pseudo outputs of R frequency functions."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Key

from nonfat.numerics.bijectors import lower_triangular, raw_triangular
from nonfat.posteriors.kl import matrix_gaussian_kl

__all__ = ["WhitenedMatrixGaussian"]


class WhitenedMatrixGaussian(eqx.Module):
    """q(Ĝ_r) = MN(A_r, L_r L_rᵀ, R_r R_rᵀ) for Ĝ = L_Z⁻¹ G L_Ω⁻ᵀ, whose prior is MN(0, I, I).

    Example:
        >>> import jax, jax.numpy as jnp
        >>> key = jax.random.key(0)
        >>> q = WhitenedMatrixGaussian.create(R=2, a=3, C=4, scale=0.1, key=key, dtype=jnp.float32)
        >>> q.sample(key).shape
        (2, 3, 4)
    """

    A: Float[Array, "R a C"]
    raw_L: Float[Array, "R a a"]
    raw_R: Float[Array, "R C C"]

    @classmethod
    def create(
        cls, R: int, a: int, C: int, scale: float, key: Key[Array, ""], dtype: DTypeLike
    ) -> "WhitenedMatrixGaussian":
        """Random means of size `scale` (they break the symmetry) and deviations of `scale`."""
        eye_a, eye_C = jnp.eye(a, dtype=dtype), scale * jnp.eye(C, dtype=dtype)
        return cls(
            A=scale * jax.random.normal(key, (R, a, C), dtype),
            raw_L=jnp.tile(raw_triangular(eye_a), (R, 1, 1)),
            raw_R=jnp.tile(raw_triangular(eye_C), (R, 1, 1)),
        )

    @property
    def L(self) -> Float[Array, "R a a"]:
        """Factors of the row covariances (over pseudo inputs)."""
        return lower_triangular(self.raw_L)

    @property
    def R(self) -> Float[Array, "R C C"]:
        """Factors of the column covariances (over frequencies)."""
        return lower_triangular(self.raw_R)

    def sample(self, key: Key[Array, ""]) -> Float[Array, "R a C"]:
        """One draw ``A + L S Rᵀ`` with S standard normal."""
        S = jax.random.normal(key, self.A.shape, self.A.dtype)
        return self.A + self.L @ S @ jnp.swapaxes(self.R, -1, -2)

    def kl(self) -> Float[Array, ""]:
        """KL[q ‖ prior], summed over the R trajectories."""
        return jnp.sum(matrix_gaussian_kl(self.A, self.L, self.R))
