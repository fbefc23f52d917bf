"""Discrete time: a factor vector for each step, with a prior that moves from step to step."""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int, Key

from nonfat.times.dynamics import Dynamics
from nonfat.times.factors import Moment

__all__ = ["Discrete"]

Moments = tuple[Float[Array, "R"], Float[Array, "R"]]

_START_LOG_STD = -2.0
_MOST_AHEAD = 4  # training ranges that the dynamics are rolled forward; then they stand still


class Discrete(Moment):
    """τ(t) = t_j, with j the step that t falls into: one more mode whose entities are steps.

    The prior is t_1 ~ N(0, I) and t_{j+1} ~ N(σ(C t_j) + b, vI); the posterior is an independent
    Gaussian for each step and factor. Beyond the last step its moments are rolled forward by the
    dynamics; before the first step, t_1 stands, with v more variance for each step.

    Attributes:
        mean: of q(t_j).
        log_std: of q(t_j).
        dynamics: σ, C, b and v.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> time = Discrete.create(50, R=2, nonlinear=False, key=jax.random.key(0),
        ...                        dtype=jnp.float32)
        >>> mean, variance = time.marginals(jnp.array([0.0, 1.0, 1.5]))
        >>> bool(variance[2].sum() > variance[1].sum())  # a forecast is less sure
        True
    """

    mean: Float[Array, "n R"]
    log_std: Float[Array, "n R"]
    dynamics: Dynamics

    @classmethod
    def create(
        cls, steps: int, *, R: int, nonlinear: bool, key: Key[Array, ""], dtype: DTypeLike
    ) -> "Discrete":
        """Random means, and posteriors that are sure of them."""
        mean = 0.3 * jax.random.normal(key, (steps, R), dtype)
        dynamics = Dynamics.create(R, nonlinear, dtype)
        return cls(mean, jnp.full_like(mean, _START_LOG_STD), dynamics)

    @property
    def inputs(self) -> int:
        """R, as of the entities."""
        return int(self.mean.shape[1])

    def marginals(
        self, times: Float[Array, "T"]
    ) -> tuple[Float[Array, "T _"], Float[Array, "T _"]]:
        """Mean and variance of the step of each time."""
        index, before = self._place(times)
        known = self.mean, jnp.exp(2.0 * self.log_std)
        last = known[0][-1], known[1][-1]

        def ahead() -> tuple[Array, Array]:
            def body(now: Moments, _: None) -> tuple[Moments, Moments]:
                new = self.dynamics.advance(*now)
                return new, new

            return jax.lax.scan(body, last, length=self._ahead)[1]

        mean, variance = self._continued(index, known, ahead)
        return mean[index], variance[index] + self.dynamics.v * before[:, None]

    def draw(self, times: Float[Array, "T"], key: Key[Array, ""]) -> Float[Array, "T _"]:
        """One path of the chain, continued by the dynamics and their noise."""
        index, before = self._place(times)
        n, R = self.mean.shape
        noise = jax.random.normal(key, (1 + n + self._ahead, R), self.mean.dtype)
        known = self.mean + jnp.exp(self.log_std) * noise[1 : n + 1]

        def ahead() -> tuple[Array]:
            def body(t: Array, fresh: Array) -> tuple[Array, Array]:
                new = self.dynamics.step(t) + jnp.sqrt(self.dynamics.v) * fresh
                return new, new

            return (jax.lax.scan(body, known[-1], noise[n + 1 :])[1],)

        (path,) = self._continued(index, (known,), ahead)
        return path[index] + jnp.sqrt(self.dynamics.v * before)[:, None] * noise[0]

    def kl(self) -> Float[Array, ""]:
        """E_q[log q(t) - log p(t)]: entropies, then the cross terms of neighbouring steps."""
        variance = jnp.exp(2.0 * self.log_std)
        size = self.mean.size
        entropy = 0.5 * size * (1.0 + math.log(2.0 * math.pi)) + jnp.sum(self.log_std)
        R = self.mean.shape[1]
        start = 0.5 * (jnp.sum(variance[0] + self.mean[0] ** 2) + R * math.log(2.0 * math.pi))
        moves = self.dynamics.cross_entropy(
            self.mean[:-1], variance[:-1], self.mean[1:], variance[1:]
        )
        return start + moves - entropy

    @property
    def _ahead(self) -> int:
        return _MOST_AHEAD * self.mean.shape[0]

    def _place(self, times: Float[Array, "T"]) -> tuple[Int[Array, "T"], Float[Array, "T"]]:
        """The step of each time, and how many steps it lies before the first one."""
        n = self.mean.shape[0]
        step = jnp.clip(times * n, -float(self._ahead), float(n + self._ahead - 1))
        # The training range is closed: its last moment belongs to the last step.
        step = jnp.where(times > 1.0, jnp.maximum(step, n), jnp.minimum(step, n - 1))
        return jnp.maximum(step, 0.0).astype(jnp.int32), jnp.ceil(jnp.maximum(-step, 0.0))

    def _continued(
        self,
        index: Int[Array, "T"],
        known: tuple[Float[Array, "n R"], ...],
        ahead: Callable[[], tuple[Array, ...]],
    ) -> tuple[Float[Array, "m R"], ...]:
        """The steps and those ahead, which are worked out only where some time asks for them."""
        shape = (self._ahead, self.mean.shape[1])

        def nothing() -> tuple[Array, ...]:
            return tuple(jnp.zeros(shape, part.dtype) for part in known)

        future = jax.lax.cond(jnp.any(index >= self.mean.shape[0]), ahead, nothing)
        return tuple(jnp.concatenate(parts) for parts in zip(known, future, strict=True))
