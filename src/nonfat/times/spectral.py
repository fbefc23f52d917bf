"""Our basis: a Gaussian process in time as sines and cosines with a Matérn spectrum."""

import math

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike
from jaxtyping import Array, Float
from scipy.special import stdtrit

from nonfat.kernels.matern import Smoothness, matern_correlation, matern_spectrum
from nonfat.times.basis import Basis

__all__ = ["SpectralBasis"]

_M = 512  # frequencies of a fresh path


class SpectralBasis(Basis):
    """A constant, then cos(ω_c t) and sin(ω_c t) at ω_c = 2πc/P, with Ω_r diagonal.

    The paper's idea, a Gaussian process on the frequency function, with sine as well as cosine
    and enough frequencies for rough signals. The constant is the static offset of an entity; the
    other variances follow the spectral density of a Matérn kernel and add up to one, so ‖ψ(t)‖²
    is the same at all times: the prior is stationary.

    The sines repeat after a period P somewhat longer than the training range, so they end with that
    range. At a distance δ from it, with ρ = κ(δ/ℓ) the Matérn correlation, a trajectory is ρ times
    its value at the end, around its offset, plus a fresh part of variance 1 - ρ² that nothing in
    training knows of. For ν = 1/2, where the future depends on the end alone, that is exact.

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

    def correlation(self, times: Float[Array, "T"]) -> Float[Array, "R T"]:
        """ρ, of each time with the nearest end of the training range: one inside of it."""
        return matern_correlation(_beyond(times) / jnp.exp(self.log_lengthscale)[:, None], self.nu)

    def whitened(self, times: Float[Array, "T"]) -> Float[Array, "R T C"]:
        """ψ_r(t) = L_Ωᵀ φ(t), a product with the square roots of the variances."""
        angles = jnp.clip(times, 0.0, 1.0)[:, None] * self.frequencies
        scale = jnp.sqrt(self.variances())[:, None, :] * self.correlation(times)[:, :, None]
        offset = jnp.exp(self.log_offset)[:, None, None]
        constant = jnp.broadcast_to(offset, (offset.shape[0], times.shape[0], 1))
        return jnp.concatenate([constant, jnp.cos(angles) * scale, jnp.sin(angles) * scale], -1)

    def fresh_variance(self, times: Float[Array, "T"]) -> Float[Array, "R T"]:
        """1 - ρ²."""
        return 1.0 - self.correlation(times) ** 2

    def fresh(self, times: Float[Array, "T"]) -> Float[Array, "R T F"]:
        """Waves cos ω_m δ - ρ and sin ω_m δ, at frequencies spread evenly over the Matérn spectrum.

        Weighted with standard normals, √(1/M) Σ_m a_m cos ω_m δ + b_m sin ω_m δ is a path x of the
        prior, and x(δ) - ρ x(0) is what it adds to its end. The two ends have paths of their own.
        """
        omega = _spread(self.nu, times.dtype) / jnp.exp(self.log_lengthscale)[:, None, None]
        angles = _beyond(times)[:, None] * omega
        waves = (jnp.cos(angles) - self.correlation(times)[:, :, None], jnp.sin(angles))
        sides = ((times > 1.0)[:, None], (times < 0.0)[:, None])
        return jnp.concatenate([jnp.where(s, w, 0.0) for s in sides for w in waves], -1) / _M**0.5


def _beyond(times: Float[Array, "T"]) -> Float[Array, "T"]:
    """δ, the distance of each time from the training range."""
    return jnp.maximum(jnp.maximum(times - 1.0, -times), 0.0)


def _spread(nu: Smoothness, dtype: DTypeLike) -> Float[Array, "M"]:
    """ω_m ℓ at even quantiles: the Matérn spectrum is Student's t with 2ν degrees of freedom."""
    return jnp.asarray(stdtrit(2 * nu, 0.5 + (np.arange(_M) + 0.5) / (2 * _M)), dtype)
