"""What a basis of time functions offers to the trajectories."""

import abc

import equinox as eqx
from jaxtyping import Array, Float

__all__ = ["Basis"]


class Basis(eqx.Module):
    """Time functions φ_c and the prior covariance Ω_r of their coefficients, for R trajectories."""

    size: eqx.AbstractVar[int]
    """C, the number of functions."""

    @abc.abstractmethod
    def whitened(self, times: Float[Array, "T"]) -> Float[Array, "R T C"]:
        """ψ_r(t) = L_Ωᵀ φ(t), where Ω_r = L_Ω L_Ωᵀ: the basis in whitened coordinates."""
