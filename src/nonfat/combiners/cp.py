"""CANDECOMP/PARAFAC: products of factors, weighted by constants or by functions of time."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int, Key

from nonfat.combiners.base import Combiner
from nonfat.kernels import Matern
from nonfat.numerics.cholesky import cholesky_pair
from nonfat.numerics.splines import cubic_splines
from nonfat.posteriors import WhitenedGaussian

__all__ = ["CP", "TimeSpline"]


class TimeSpline(eqx.Module):
    """λ(t) = B(t)ᵀ c with cubic B-splines B and a Gaussian process prior on c at the knots.

    Attributes:
        kernel: of c, over the knots.
        knots: how many.
        horizon: the length of the training range in the input's unit.
    """

    kernel: Matern
    knots: int = eqx.field(static=True)
    horizon: float = eqx.field(static=True)

    @classmethod
    def create(cls, knots: int, horizon: float, dtype: DTypeLike) -> "TimeSpline":
        """Rough paths that forget themselves in a third of the training range."""
        return cls(Matern.create(0.5, 1.0, jnp.full(1, 0.3, dtype)), knots, horizon)

    def whitened(self, tau: Float[Array, "n"]) -> Float[Array, "n c"]:
        """ψ(t) = L_cᵀ B(t), where L_c L_cᵀ is the prior covariance of c."""
        at = (jnp.arange(-1, self.knots + 1, dtype=tau.dtype) / (self.knots - 1))[:, None]
        L, _ = cholesky_pair(self.kernel(at, at))
        return cubic_splines(tau / self.horizon, self.knots) @ L


class CP(Combiner):
    """m = Σ_r λ_r Π_k u^k_r, with λ_r a constant, or a spline of the last input if that is time.

    Given the factors m is linear in λ, so mean and variance over the whitened posterior of λ are
    in closed form.

    Attributes:
        posterior: q(λ̂_r), stacked over r.
        spline: of time; None for constants.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> cp = CP.create(R=2, spline=None, key=jax.random.key(0), dtype=jnp.float32)
        >>> mean, variance = cp.marginals(jnp.ones((3, 4)))  # two modes of two factors
        >>> mean.shape, variance.shape
        ((3,), (3,))
    """

    posterior: WhitenedGaussian
    spline: TimeSpline | None

    @classmethod
    def create(
        cls, *, R: int, spline: TimeSpline | None, key: Key[Array, ""], dtype: DTypeLike
    ) -> "CP":
        """Means that start apart from each other, so that no two components are alike."""
        C = 1 if spline is None else spline.knots + 2

        def one(_: Int[Array, ""]) -> WhitenedGaussian:
            return WhitenedGaussian.create(C, 0.1, dtype)

        stacked = jax.vmap(one)(jnp.arange(R))
        start = jax.random.normal(key, (R, C), dtype)
        start = jnp.abs(start) + 0.5 if spline is None else 0.3 * start
        return cls(eqx.tree_at(lambda q: q.m, stacked, start / R**0.5), spline)

    def marginals(self, V: Float[Array, "n D"]) -> tuple[Float[Array, "n"], Float[Array, "n"]]:
        """Σ_r p_r ψᵀm_r and Σ_r p_r² ‖S_rᵀψ‖², with p_r = Π_k u^k_r."""
        products, psi = self._parts(V)
        mean, variance = jax.vmap(lambda q: q.project(psi))(self.posterior)
        return jnp.sum(products * mean.T, axis=1), jnp.sum(products**2 * variance.T, axis=1)

    def draw(
        self, V: Float[Array, "n D"], h_key: Key[Array, ""], row_key: Key[Array, ""]
    ) -> Float[Array, "n"]:
        """One draw of all λ_r; it leaves nothing open at a row."""
        products, psi = self._parts(V)
        keys = jax.random.split(h_key, products.shape[1])
        weights = jax.vmap(lambda q, key: psi @ q.sample(key))(self.posterior, keys)
        return jnp.sum(products * weights.T, axis=1)

    def kl(self) -> Float[Array, ""]:
        """Σ_r KL[q(λ̂_r) ‖ N(0, I)]."""
        return jnp.sum(jax.vmap(lambda q: q.kl())(self.posterior))

    def _parts(self, V: Float[Array, "n D"]) -> tuple[Float[Array, "n R"], Float[Array, "n c"]]:
        """The products of factors, and the whitened basis of λ."""
        R = self.posterior.m.shape[0]
        if self.spline is None:
            psi = jnp.ones((V.shape[0], 1), V.dtype)
        else:
            V, tau = V[:, :-1], V[:, -1]
            psi = self.spline.whitened(tau)
        return jnp.prod(V.reshape(V.shape[0], -1, R), axis=1), psi
