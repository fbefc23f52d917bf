"""Our basis: a Gaussian process in time as sines and cosines with a Matérn spectrum."""

import math

import equinox as eqx
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float

from nonfat.kernels.matern import Smoothness, matern_spectrum
from nonfat.times.basis import Basis

__all__ = ["SpectralBasis"]


class SpectralBasis(Basis):
    """A constant, then cos(ω_c t) and sin(ω_c t) at ω_c = 2πc/P, with Ω_r diagonal.

    The paper's idea, a Gaussian process on the frequency function, with sine as well as cosine
    and enough frequencies for rough signals. The constant is the static offset of an entity; the
    other variances follow the spectral density of a Matérn kernel and add up to one, so ‖ψ(t)‖²
    is the same at all times: the prior is stationary. It repeats after a period P longer than the
    training range. Half of the gap ``P - 1`` away from that range a trajectory has returned to its
    prior, so times beyond are answered as if they stood there, before the past would come back.

    Attributes:
        log_lengthscale: of the Matérn kernel, one per trajectory, on the model's clock.
        log_offset: logarithm of the offset's standard deviation, one per trajectory.
        size: C, odd: the constant and (C - 1)/2 frequencies.
        period: P, in units of the training range.
        nu: smoothness of the Matérn kernel.

    Example:
        >>> import jax.numpy as jnp
        >>> basis = SpectralBasis.create(R=2, C=21, dtype=jnp.float32)
        >>> psi = basis.whitened(jnp.array([0.0, 0.3]))
        >>> bool(jnp.allclose((psi**2).sum(-1), 2.0, atol=1e-5))  # offset 1 + Matérn 1
        True
    """

    log_lengthscale: Float[Array, "R"]
    log_offset: Float[Array, "R"]
    size: int = eqx.field(static=True)
    period: float = eqx.field(static=True)
    nu: Smoothness = eqx.field(static=True)

    @classmethod
    def create(
        cls,
        R: int,
        C: int,
        dtype: DTypeLike,
        *,
        period: float = 1.2,
        nu: Smoothness = 0.5,
        lengthscale: float = 0.3,
    ) -> "SpectralBasis":
        """A basis of C functions; an even C loses one, since sines and cosines come in pairs."""
        return cls(
            log_lengthscale=jnp.full(R, math.log(lengthscale), dtype),
            log_offset=jnp.zeros(R, dtype),
            size=C - 1 + C % 2,
            period=period,
            nu=nu,
        )

    @property
    def frequencies(self) -> Float[Array, "M"]:
        """ω_c = 2πc/P for c = 1 … (C - 1)/2."""
        M = (self.size - 1) // 2
        return 2.0 * math.pi / self.period * jnp.arange(1, M + 1, dtype=self.log_offset.dtype)

    def variances(self) -> Float[Array, "R M"]:
        """The share of each frequency in a Matérn variance of one."""
        spectrum = matern_spectrum(
            self.frequencies, jnp.exp(self.log_lengthscale)[:, None], self.nu
        )
        return spectrum / jnp.sum(spectrum, axis=1, keepdims=True)

    def whitened(self, times: Float[Array, "T"]) -> Float[Array, "R T C"]:
        """ψ_r(t) = L_Ωᵀ φ(t), a product with the square roots of the variances."""
        margin = 0.5 * (self.period - 1.0)
        angles = jnp.clip(times, -margin, 1.0 + margin)[:, None] * self.frequencies
        scale = jnp.sqrt(self.variances())[:, None, :]
        offset = jnp.exp(self.log_offset)[:, None, None]
        constant = jnp.broadcast_to(offset, (offset.shape[0], times.shape[0], 1))
        return jnp.concatenate([constant, jnp.cos(angles) * scale, jnp.sin(angles) * scale], -1)
