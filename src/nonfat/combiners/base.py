"""What a combiner offers: a latent value from the inputs v."""

import abc

import equinox as eqx
from jaxtyping import Array, Float

__all__ = ["Combiner"]


class Combiner(eqx.Module):
    """The map from the inputs v of an entry to its latent value m."""

    @abc.abstractmethod
    def marginals(self, V: Float[Array, "n D"]) -> tuple[Float[Array, "n"], Float[Array, "n"]]:
        """Mean and variance of m given the inputs, one per row."""

    @abc.abstractmethod
    def kl(self) -> Float[Array, ""]:
        """Divergence of the combiner's posterior from its prior."""
