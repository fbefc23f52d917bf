"""What a time representation offers to the combiner."""

import abc

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from nonfat.times.entries import Entries

__all__ = ["EntityTables", "TimeRepresentation"]

EntityTables = tuple[Float[Array, "_ _"], ...]
"""For each mode a table of parameters with one row per entity."""


class TimeRepresentation(eqx.Module):
    """How entities and time become the inputs v of the combiner."""

    tables: eqx.AbstractVar[EntityTables]
    """The only parameters with a row per entity; a training step sees the batch's rows alone."""

    @property
    @abc.abstractmethod
    def inputs(self) -> int:
        """D, how many inputs v an entry has."""

    @abc.abstractmethod
    def marginals(self, entries: Entries) -> tuple[Float[Array, "B D"], Float[Array, "B D"]]:
        """Mean and variance of the independent Gaussian inputs v of each entry."""

    @abc.abstractmethod
    def draw(self, entries: Entries, key: Key[Array, ""]) -> Float[Array, "B D"]:
        """One joint draw of the inputs v of all entries: the same functions at every row."""

    @abc.abstractmethod
    def kl(self) -> Float[Array, ""]:
        """Divergence of the posterior from the prior, without the entity tables' part."""

    @abc.abstractmethod
    def entity_penalty(self, mode: int) -> Float[Array, "J"]:
        """What each row of a mode's entity table costs: its divergence from the prior.

        For a point estimate it is -log prior, up to a constant.
        """

    @abc.abstractmethod
    def newcomer(self, normal: Float[Array, "_"]) -> Float[Array, "_"]:
        """The row of an entity that training never saw, from standard-normal draws."""

    def with_newcomers(self, normals: tuple[Float[Array, "_"], ...]) -> "TimeRepresentation":
        """The representation with one more entity in each mode, drawn from its prior.

        Args:
            normals: standard-normal draws, as many for each mode as its table is wide.
        """
        tables = tuple(
            jnp.concatenate([table, self.newcomer(row)[None]])
            for table, row in zip(self.tables, normals, strict=True)
        )
        return eqx.tree_at(lambda time: time.tables, self, tables)
