"""The paper's basis: inverse Fourier transform by Gauss-Laguerre quadrature."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float

from nonfat.kernels import SquaredExponential
from nonfat.numerics.cholesky import cholesky_pair
from nonfat.numerics.quadrature import gauss_laguerre
from nonfat.times.basis import Basis

__all__ = ["LaguerreBasis"]


class LaguerreBasis(Basis):
    """φ_c(t) = (γ_c/π) cos(ω̂_c t) with Ω_r = κ_r(ω̂, ω̂), squared exponential in frequency.

    The spectrum is symmetric, so there are cosines only; the weights γ_c die off beyond ω ≈ 8,
    which bounds how rough a trajectory can be.

    Attributes:
        log_lengthscale: of the frequency kernel, one per trajectory.
        size: C, the number of quadrature nodes.
        horizon: the length, in the paper's time, of the unit on the model's clock.

    Example:
        >>> import jax.numpy as jnp
        >>> basis = LaguerreBasis.create(R=3, C=10, horizon=10.0, dtype=jnp.float32)
        >>> basis.whitened(jnp.linspace(0.0, 1.0, 5)).shape
        (3, 5, 10)
    """

    log_lengthscale: Float[Array, "R"]
    size: int = eqx.field(static=True)
    horizon: float = eqx.field(static=True)

    @classmethod
    def create(cls, R: int, C: int, horizon: float, dtype: DTypeLike) -> "LaguerreBasis":
        """A basis of C functions with a length-scale of one unit of frequency."""
        return cls(log_lengthscale=jnp.zeros(R, dtype), size=C, horizon=horizon)

    def functions(self, times: Float[Array, "T"]) -> Float[Array, "T C"]:
        """φ_c(t) = (γ_c/π) cos(ω̂_c t)."""
        nodes, weights = (jnp.asarray(x, times.dtype) for x in gauss_laguerre(self.size))
        return weights / math.pi * jnp.cos(self.horizon * times[:, None] * nodes)

    def spectrum_factor(self) -> Float[Array, "R C C"]:
        """L_Ω, the lower factor of Ω_r = κ_r(ω̂, ω̂)."""
        nodes = jnp.asarray(gauss_laguerre(self.size)[0], self.log_lengthscale.dtype)[:, None]

        def covariance(log_lengthscale: Float[Array, ""]) -> Float[Array, "C C"]:
            unit = jnp.zeros_like(log_lengthscale)
            kernel = SquaredExponential(log_variance=unit, log_lengthscale=log_lengthscale[None])
            return kernel(nodes, nodes)

        return cholesky_pair(jax.vmap(covariance)(self.log_lengthscale))[0]

    def whitened(self, times: Float[Array, "T"]) -> Float[Array, "R T C"]:
        """ψ_r(t) = L_Ωᵀ φ(t)."""
        return self.functions(times) @ self.spectrum_factor()
