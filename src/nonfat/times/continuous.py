"""Continuous time: t itself is one more input of the combiner."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from nonfat.times.factors import Moment

__all__ = ["Continuous"]


class Continuous(Moment):
    """τ(t) = horizon · t: the time itself, in a unit that a combiner can tell apart.

    Attributes:
        horizon: the length of the training range as the combiner sees it.

    Example:
        >>> import jax.numpy as jnp
        >>> mean, variance = Continuous(horizon=10.0).marginals(jnp.array([0.0, 0.5]))
        >>> mean.tolist(), variance.tolist()
        ([[0.0], [5.0]], [[0.0], [0.0]])
    """

    horizon: float = eqx.field(static=True)

    @property
    def inputs(self) -> int:
        """The time."""
        return 1

    def marginals(
        self, times: Float[Array, "T"]
    ) -> tuple[Float[Array, "T _"], Float[Array, "T _"]]:
        """The time, without any doubt."""
        tau = self.horizon * times[:, None]
        return tau, jnp.zeros_like(tau)

    def draw(self, times: Float[Array, "T"], key: Key[Array, ""]) -> Float[Array, "T _"]:
        """The time."""
        return self.marginals(times)[0]

    def kl(self) -> Float[Array, ""]:
        """Time is known."""
        return jnp.zeros(())
