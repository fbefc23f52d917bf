"""One compiled scan over the steps of a chunk: state in, state out."""

from typing import TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float

from nonfat.training.batching import LocalBatch
from nonfat.training.state import State, all_finite, put, take

__all__ = ["StepRule", "run_steps"]

Tree = TypeVar("Tree")


class StepRule(eqx.Module):
    """What stays the same over all steps.

    Attributes:
        optim: the optimiser.
        size: N, the number of training entries.
        warmup_steps: steps in which the weight of the KL terms grows to one.
    """

    optim: optax.GradientTransformation = eqx.field(static=True)
    size: int = eqx.field(static=True)
    warmup_steps: int = eqx.field(static=True)

    def kl_weight(self, step: Array) -> Float[Array, ""]:
        """From 1% to 100% along a straight line.

        At full weight from the start, the KL terms switch trajectories off before the data have
        had a say, and they never come back.
        """
        return jnp.minimum(1.0, 0.01 + step / max(self.warmup_steps, 1)).astype(jnp.float32)

    def step(self, state: State, local: LocalBatch) -> tuple[State, Float[Array, ""]]:
        """One step on the entities of the batch; its ELBO per entry."""
        params, static = eqx.partition(state.model, eqx.is_inexact_array)
        part, moments = params.take(local.entities), take(state.moments, local.entities)
        key = jax.random.fold_in(state.key, state.step)

        def loss(part: object) -> Float[Array, ""]:
            model = eqx.combine(part, static)
            weight = self.kl_weight(state.step).astype(local.batch.value.dtype)
            return -model.elbo(local.batch, self.size, key, weight) / self.size

        value, gradient = jax.value_and_grad(loss)(part)
        ok = jnp.isfinite(value) & all_finite(gradient)
        updates, new_moments = self.optim.update(gradient, moments, part)
        new_part = optax.apply_updates(part, updates)
        new_part, new_moments = _where(ok, (new_part, new_moments), (part, moments))
        new_state = State(
            model=eqx.combine(params.put(new_part, local.entities), static),
            moments=put(state.moments, new_moments, local.entities),
            key=state.key,
            step=state.step + 1,
            skipped=state.skipped + (~ok).astype(jnp.int32),
        )
        return new_state, -value


def _where(ok: Array, new: Tree, old: Tree) -> Tree:
    return jax.tree.map(lambda x, y: jnp.where(ok, x, y), new, old)


@eqx.filter_jit
def run_steps(
    rule: StepRule, state: State, chunk: LocalBatch
) -> tuple[State, Float[Array, "steps"]]:
    """All steps of a chunk; the state after them and the ELBO per entry of each."""
    arrays, static = eqx.partition(state, eqx.is_array)

    def body(carry: object, local: LocalBatch) -> tuple[object, Float[Array, ""]]:
        new, elbo = rule.step(eqx.combine(carry, static), local)
        return eqx.filter(new, eqx.is_array), elbo

    arrays, elbos = jax.lax.scan(body, arrays, chunk)
    return eqx.combine(arrays, static), elbos
