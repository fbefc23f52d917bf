"""What a time representation offers to the combiner."""

import abc

import equinox as eqx
from jaxtyping import Array, Float

from nonfat.times.entries import Entries

__all__ = ["EntityTables", "TimeRepresentation"]

EntityTables = tuple[Float[Array, "_ _"], ...]
"""For each mode a table of parameters with one row per entity."""


class TimeRepresentation(eqx.Module):
    """How entities and time become the inputs v of the combiner."""

    tables: eqx.AbstractVar[EntityTables]
    """The only parameters with a row per entity; a training step sees the batch's rows alone."""

    @abc.abstractmethod
    def marginals(self, entries: Entries) -> tuple[Float[Array, "B D"], Float[Array, "B D"]]:
        """Mean and variance of the independent Gaussian inputs v of each entry."""

    @abc.abstractmethod
    def kl(self) -> Float[Array, ""]:
        """Divergence of the posterior from the prior, without the entity tables' part."""

    @abc.abstractmethod
    def entity_penalty(self, mode: int) -> Float[Array, "J"]:
        """-log prior (up to a constant) of each row of a mode's entity table."""
