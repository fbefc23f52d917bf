"""Time representation × combiner × likelihood: the one model."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from nonfat._typing import AnyArray
from nonfat.combiners import Combiner
from nonfat.likelihoods import Likelihood
from nonfat.times import Entries, TimeRepresentation

__all__ = ["Batch", "TensorModel"]


class Batch(eqx.Module):
    """B observed entries and the share of each entity's prior that belongs to them.

    Attributes:
        entries: which entries, at which times.
        value: observed values, scaled.
        offset: added to the latent mean: the logarithm of the exposure, or zero.
        prior_weight: for each mode, the weight of each row of the entity table, such that the
            weights of an epoch's batches add up to the number of batches for every entity.
    """

    entries: Entries
    value: Float[AnyArray, "B"]
    offset: Float[AnyArray, "B"]
    prior_weight: tuple[Float[AnyArray, "_"], ...]


class TensorModel(eqx.Module):
    """p(y | m(v(ℓ, t))): the three axes put together.

    Attributes:
        time: entities and time to the combiner's inputs v.
        combiner: inputs v to the latent value m.
        likelihood: latent value m to the observation y.
    """

    time: TimeRepresentation
    combiner: Combiner
    likelihood: Likelihood

    def elbo(
        self, batch: Batch, N: int, key: Key[Array, ""], kl_weight: Float[Array, ""] | float = 1.0
    ) -> Float[Array, ""]:
        """An unbiased estimate of the evidence lower bound of N entries from a batch of them.

        ``-KL(time) - KL(combiner) + (N/B) Σ_n E_q[log p(y_n | m_n)]``. Only the inputs v are
        sampled; given them the expectation over the combiner's posterior is taken by the
        likelihood. The entities' tables are point estimates: their log prior is added.

        Args:
            batch: the entries.
            N: how many entries there are in all.
            key: for the sample of v.
            kl_weight: below one while training warms up; the bound holds at one.
        """
        mean, variance = self.time.marginals(batch.entries)
        V = mean + jnp.sqrt(variance) * jax.random.normal(key, mean.shape, mean.dtype)
        f, s2 = self.combiner.marginals(V)
        fit = self.likelihood.expected_log_prob(batch.value, f + batch.offset, s2)
        penalty = jnp.stack(
            [jnp.dot(w, self.time.entity_penalty(k)) for k, w in enumerate(batch.prior_weight)]
        ).sum()
        return N * jnp.mean(fit) - kl_weight * (self.time.kl() + self.combiner.kl()) - penalty

    def latent_samples(
        self,
        entries: Entries,
        noise: Float[Array, "S D"],
        fresh: tuple[Float[Array, "S _"], ...] | None = None,
    ) -> tuple[Float[Array, "S B"], Float[Array, "S B"]]:
        """Mean and variance of m given each of S draws of the inputs v.

        All entries share the same standard-normal noise, so the answer for an entry does not
        depend on which others are asked with it, and curves in time are smooth.

        Args:
            entries: which entries, at which times.
            noise: standard-normal draws.
            fresh: for each mode, S draws of an entity never seen; it stands behind the last row
                of the mode's table.
        """
        if fresh is None:
            mean, variance = self.time.marginals(entries)
            deviation = jnp.sqrt(variance)
            return jax.lax.map(lambda z: self.combiner.marginals(mean + deviation * z), noise)

        def one(draw: tuple[Array, tuple[Array, ...]]) -> tuple[Array, Array]:
            z, rows = draw
            mean, variance = self.time.with_newcomers(rows).marginals(entries)
            return self.combiner.marginals(mean + jnp.sqrt(variance) * z)

        return jax.lax.map(one, (noise, fresh))

    def draw(
        self, entries: Entries, key: Key[Array, ""], part: Int[Array, ""] | int = 0
    ) -> Float[Array, "B"]:
        """One joint draw of the latent values of entries.

        Args:
            entries: which entries, at which times.
            key: the same key draws the same trajectories and the same function of them.
            part: number of this part, if the entries of one draw come in several parts.
        """
        time_key, h_key, row_key = jax.random.split(key, 3)
        V = self.time.draw(entries, time_key)
        return self.combiner.draw(V, h_key, jax.random.fold_in(row_key, part))

    def take(self, entities: tuple[Int[AnyArray, "_"] | None, ...]) -> "TensorModel":
        """The model of some entities of each mode only (None: of all).

        An index beyond a table gives a row that no entry points at.
        """
        tables = tuple(
            table if index is None else jnp.take(table, index, axis=0, mode="clip")
            for table, index in zip(self.time.tables, entities, strict=True)
        )
        return self.with_tables(tables)

    def put(
        self, part: "TensorModel", entities: tuple[Int[AnyArray, "_"] | None, ...]
    ) -> "TensorModel":
        """The model with `part` for the entities that `part` was taken for; inverse of `take`."""
        tables = tuple(
            rows if index is None else table.at[index].set(rows, mode="drop", unique_indices=True)
            for table, rows, index in zip(self.time.tables, part.time.tables, entities, strict=True)
        )
        return part.with_tables(tables)

    def with_tables(self, tables: tuple[Float[Array, "_ _"], ...]) -> "TensorModel":
        """The same model with other entity tables."""
        return eqx.tree_at(lambda model: model.time.tables, self, tables)
