"""What a combiner offers: a latent value from the inputs v."""

import abc

import equinox as eqx
from jaxtyping import Array, Float, Key

__all__ = ["Combiner"]


class Combiner(eqx.Module):
    """The map from the inputs v of an entry to its latent value m."""

    @abc.abstractmethod
    def marginals(self, V: Float[Array, "n D"]) -> tuple[Float[Array, "n"], Float[Array, "n"]]:
        """Mean and variance of m given the inputs, one per row."""

    @abc.abstractmethod
    def draw(
        self, V: Float[Array, "n D"], h_key: Key[Array, ""], row_key: Key[Array, ""]
    ) -> Float[Array, "n"]:
        """One draw of m at each row from one draw of the function.

        Args:
            V: the inputs.
            h_key: of the function; the same key gives the same function.
            row_key: of what the function's summary leaves open at each row.
        """

    @abc.abstractmethod
    def kl(self) -> Float[Array, ""]:
        """Divergence of the combiner's posterior from its prior."""
