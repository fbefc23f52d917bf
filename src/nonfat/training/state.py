"""Everything that training changes, as one value."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Int, Key

from nonfat._typing import AnyArray
from nonfat.models.tensor_model import TensorModel

__all__ = ["State", "create_state", "optimiser"]


class State(eqx.Module):
    """What a step takes and returns; enough to resume from.

    Attributes:
        model: the current parameters.
        moments: the optimiser's state; its parts that mirror the model are models too.
        key: of the steps to come.
        step: steps taken, skipped ones included.
        skipped: steps not taken because their gradient was not finite.
    """

    model: TensorModel
    moments: optax.OptState
    key: Key[Array, ""]
    step: Int[Array, ""]
    skipped: Int[Array, ""]


@cache  # the same transformation for the same numbers: a second fit compiles nothing again
def optimiser(learning_rate: float, total_steps: int) -> optax.GradientTransformation:
    """Adam on a rate that warms up over 50 steps, then decays to a hundredth as a cosine."""
    warmup = min(50, max(1, total_steps // 10))
    rate = optax.warmup_cosine_decay_schedule(
        init_value=learning_rate / 10,
        peak_value=learning_rate,
        warmup_steps=warmup,
        decay_steps=max(total_steps, warmup + 1),
        end_value=learning_rate / 100,
    )
    return optax.adam(rate)


def create_state(
    model: TensorModel, optim: optax.GradientTransformation, key: Key[Array, ""]
) -> State:
    """The state before the first step."""
    zero = jnp.zeros((), jnp.int32)
    return State(model, optim.init(eqx.filter(model, eqx.is_inexact_array)), key, zero, zero)


def is_model(node: object) -> bool:
    """Whether a node of the state is the model, or moments of the same structure."""
    return isinstance(node, TensorModel)


def take(tree: optax.OptState, entities: tuple[Int[AnyArray, "_"] | None, ...]) -> optax.OptState:
    """The part of an optimiser's state that belongs to some entities (see `TensorModel.take`)."""
    return jax.tree.map(lambda x: x.take(entities) if is_model(x) else x, tree, is_leaf=is_model)


def put(
    whole: optax.OptState,
    part: optax.OptState,
    entities: tuple[Int[AnyArray, "_"] | None, ...],
) -> optax.OptState:
    """Inverse of `take`."""
    return jax.tree.map(
        lambda x, y: x.put(y, entities) if is_model(x) else y, whole, part, is_leaf=is_model
    )


def all_finite(tree: object) -> Bool[Array, ""]:
    """Whether every number of a tree is finite."""
    leaves = jax.tree.leaves(eqx.filter(tree, eqx.is_inexact_array))
    return jnp.all(jnp.stack([jnp.all(jnp.isfinite(leaf)) for leaf in leaves]))
