"""What a basis of time functions offers to the trajectories."""

import abc

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

__all__ = ["Basis"]


class Basis(eqx.Module):
    """Time functions φ_c and the prior covariance Ω_r of their coefficients, for R trajectories."""

    size: eqx.AbstractVar[int]
    """C, the number of functions."""

    @abc.abstractmethod
    def whitened(self, times: Float[Array, "T"]) -> Float[Array, "R T C"]:
        """ψ_r(t) = L_Ωᵀ φ(t), where Ω_r = L_Ω L_Ωᵀ: the basis in whitened coordinates."""

    def fresh_variance(self, times: Float[Array, "T"]) -> Float[Array, "R T"]:
        """Prior variance that ψ does not span: what time adds outside the training range."""
        return jnp.zeros((self.whitened(times[:1]).shape[0], times.shape[0]), times.dtype)

    def fresh(self, times: Float[Array, "T"]) -> Float[Array, "R T F"]:
        """Functions of that part: weighted with standard normals they are a draw of it."""
        return jnp.zeros((self.whitened(times[:1]).shape[0], times.shape[0], 0), times.dtype)
