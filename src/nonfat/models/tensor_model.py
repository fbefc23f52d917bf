"""Time representation × combiner × likelihood: the one model."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from nonfat.combiners import Combiner
from nonfat.likelihoods import Likelihood
from nonfat.times import Entries, TimeRepresentation

__all__ = ["Batch", "TensorModel"]


class Batch(eqx.Module):
    """B observed entries and the share of each entity's prior that belongs to them.

    Attributes:
        entries: which entries, at which times.
        value: observed values, scaled.
        prior_weight: for each mode, the weight of each row of the entity table, such that the
            weights of an epoch's batches add up to the number of batches for every entity.
    """

    entries: Entries
    value: Float[Array, "B"]
    prior_weight: tuple[Float[Array, "_"], ...]


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

    def elbo(self, batch: Batch, N: int, key: Key[Array, ""]) -> Float[Array, ""]:
        """An unbiased estimate of the evidence lower bound of N entries from a batch of them.

        ``-KL(time) - KL(combiner) + (N/B) Σ_n E_q[log p(y_n | m_n)]``. Only the inputs v are
        sampled; given them the expectation over the combiner's posterior is taken by the
        likelihood. The entities' tables are point estimates: their log prior is added.
        """
        mean, variance = self.time.marginals(batch.entries)
        V = mean + jnp.sqrt(variance) * jax.random.normal(key, mean.shape, mean.dtype)
        f, s2 = self.combiner.marginals(V)
        fit = self.likelihood.expected_log_prob(batch.value, f, s2)
        penalty = sum(
            jnp.dot(weight, self.time.entity_penalty(k))
            for k, weight in enumerate(batch.prior_weight)
        )
        return N * jnp.mean(fit) - self.time.kl() - self.combiner.kl() - penalty

    def latent_samples(
        self, entries: Entries, noise: Float[Array, "S D"]
    ) -> tuple[Float[Array, "S B"], Float[Array, "S B"]]:
        """Mean and variance of m given each of S draws of the inputs v.

        All entries share the same standard-normal noise, so the answer for an entry does not
        depend on which others are asked with it, and curves in time are smooth.
        """
        mean, variance = self.time.marginals(entries)
        deviation = jnp.sqrt(variance)
        return jax.lax.map(lambda z: self.combiner.marginals(mean + deviation * z), noise)
