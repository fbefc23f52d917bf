"""What a covariance function offers."""

import abc

import equinox as eqx
from jaxtyping import Array, Float

__all__ = ["Kernel"]


class Kernel(eqx.Module):
    """A stationary covariance function κ with its parameters."""

    @abc.abstractmethod
    def __call__(self, X: Float[Array, "n D"], Z: Float[Array, "a D"]) -> Float[Array, "n a"]:
        """The covariance matrix κ(X, Z)."""

    @property
    @abc.abstractmethod
    def variance(self) -> Float[Array, ""]:
        """κ(x, x), the same for every x."""
