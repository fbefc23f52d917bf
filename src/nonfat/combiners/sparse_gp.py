"""A sparse Gaussian process over the inputs v (the paper's level two)."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from nonfat.combiners.base import Combiner
from nonfat.kernels import Kernel
from nonfat.numerics.cholesky import cholesky_pair
from nonfat.posteriors import WhitenedGaussian

__all__ = ["SparseGP"]


class SparseGP(Combiner):
    """m(v) = g(v) with g a GP summarised by its values h at pseudo inputs Z.

    With w = L_Z⁻¹ κ(Z, v) and the whitened posterior q(ĥ) = N(m, SSᵀ):
    mean wᵀm, variance κ(v, v) - ‖w‖² + ‖Sᵀw‖².

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from nonfat.kernels import SquaredExponential
        >>> kernel = SquaredExponential.create(1.0, jnp.ones(2))
        >>> g = SparseGP.create(kernel, jax.random.normal(jax.random.key(0), (5, 2)), scale=1.0)
        >>> mean, variance = g.marginals(jnp.zeros((3, 2)))
        >>> mean.shape, variance.shape
        ((3,), (3,))
    """

    Z: Float[Array, "a D"]
    kernel: Kernel
    posterior: WhitenedGaussian

    @classmethod
    def create(cls, kernel: Kernel, Z: Float[Array, "a D"], *, scale: float) -> "SparseGP":
        """Zero mean, and posterior deviation `scale`."""
        return cls(Z, kernel, WhitenedGaussian.create(Z.shape[0], scale, Z.dtype))

    def weights(self, V: Float[Array, "n D"]) -> tuple[Float[Array, "n a"], Float[Array, "n"]]:
        """The rows w = L_Z⁻¹ κ(Z, v), and the variance κ(v, v) - ‖w‖² that h leaves open."""
        _, P = cholesky_pair(self.kernel(self.Z, self.Z))
        W = self.kernel(V, self.Z) @ P.T
        return W, jnp.maximum(self.kernel.variance - jnp.sum(W * W, axis=1), 0.0)

    def marginals(self, V: Float[Array, "n D"]) -> tuple[Float[Array, "n"], Float[Array, "n"]]:
        """Mean and variance of g at each row of V."""
        W, residual = self.weights(V)
        mean, variance = self.posterior.project(W)
        return mean, residual + variance

    def draw(
        self, V: Float[Array, "n D"], h_key: Key[Array, ""], row_key: Key[Array, ""]
    ) -> Float[Array, "n"]:
        """One draw of ĥ for all rows, then each row on its own given it."""
        W, residual = self.weights(V)
        noise = jax.random.normal(row_key, residual.shape, residual.dtype)
        return W @ self.posterior.sample(h_key) + jnp.sqrt(residual) * noise

    def kl(self) -> Float[Array, ""]:
        """KL[q(ĥ) ‖ N(0, I)]."""
        return self.posterior.kl()
