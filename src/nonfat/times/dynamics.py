"""How the factors of one step in time lead to those of the next."""

import math

import equinox as eqx
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float

from nonfat.numerics.quadrature import gauss_hermite

__all__ = ["Dynamics"]

_NODES = 20  # for E[tanh x] and E[tanh² x] of a Gaussian x


class Dynamics(eqx.Module):
    """p(t_{j+1} | t_j) = N(σ(C t_j) + b, vI), with σ the identity or tanh.

    Attributes:
        C: the transition matrix.
        b: the drift.
        log_v: logarithm of the innovations' variance v.
        nonlinear: whether σ is tanh.

    Example:
        >>> import jax.numpy as jnp
        >>> walk = Dynamics(C=jnp.eye(2), b=jnp.zeros(2), log_v=jnp.zeros(()), nonlinear=False)
        >>> mean, variance = walk.advance(jnp.array([3.0, 0.0]), jnp.array([0.5, 0.0]))
        >>> mean.tolist(), variance.tolist()
        ([3.0, 0.0], [1.5, 1.0])
    """

    C: Float[Array, "R R"]
    b: Float[Array, "R"]
    log_v: Float[Array, ""]
    nonlinear: bool = eqx.field(static=True)

    @classmethod
    def create(cls, R: int, nonlinear: bool, dtype: DTypeLike) -> "Dynamics":
        """Steps that nearly stay where they are."""
        C = 0.9 * jnp.eye(R, dtype=dtype)
        return cls(C, jnp.zeros(R, dtype), jnp.asarray(math.log(0.1), dtype), nonlinear)

    @property
    def v(self) -> Float[Array, ""]:
        """The variance of an innovation."""
        return jnp.exp(self.log_v)

    def step(self, t: Float[Array, "R"]) -> Float[Array, "R"]:
        """σ(C t) + b."""
        x = self.C @ t
        return (jnp.tanh(x) if self.nonlinear else x) + self.b

    def advance(
        self, mean: Float[Array, "*n R"], variance: Float[Array, "*n R"]
    ) -> tuple[Float[Array, "*n R"], Float[Array, "*n R"]]:
        """Moments of the next step from independent moments of this one."""
        first, second = self._activated(mean, variance)
        return first + self.b, second - first * first + self.v

    def cross_entropy(
        self,
        mean: Float[Array, "n R"],
        variance: Float[Array, "n R"],
        next_mean: Float[Array, "n R"],
        next_variance: Float[Array, "n R"],
    ) -> Float[Array, ""]:
        """-E[log p(t_{j+1} | t_j)] over independent Gaussians, summed over the steps.

        With x = C t_j: E(t' - σ(x) - b)² = Var t' + (E t' - b)² - 2 (E t' - b) E σ(x) + E σ(x)².
        """
        first, second = self._activated(mean, variance)
        offset = next_mean - self.b
        squares = next_variance + offset * offset - 2.0 * offset * first + second
        return 0.5 * jnp.sum(squares / self.v + self.log_v + math.log(2.0 * math.pi))

    def _activated(
        self, mean: Float[Array, "*n R"], variance: Float[Array, "*n R"]
    ) -> tuple[Float[Array, "*n R"], Float[Array, "*n R"]]:
        """E[σ(x)] and E[σ(x)²] for x = C t: each component of x is a scalar Gaussian."""
        mu, s2 = mean @ self.C.T, variance @ (self.C * self.C).T
        if not self.nonlinear:
            return mu, mu * mu + s2
        nodes, weights = (jnp.asarray(part, mu.dtype) for part in gauss_hermite(_NODES))
        value = jnp.tanh(mu[..., None] + jnp.sqrt(s2)[..., None] * nodes)
        return value @ weights, (value * value) @ weights
