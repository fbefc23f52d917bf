"""Which entries of the tensor, at which times: the question a time representation answers."""

import equinox as eqx
from jaxtyping import Float, Int

from nonfat._typing import AnyArray

__all__ = ["Entries"]


class Entries(eqx.Module):
    """B entries, each pointing into its modes' tables and into a table of times.

    Distinct times are listed once, so that work on times is never repeated for rows that share
    one; the tables of entities hold the entities of the batch only (see `training.batching`).

    The arrays may still be on the host; a compiled function takes them to the device.

    Attributes:
        position: row of each mode's entity table.
        times: distinct times, on the model's clock (0 to 1 over the training range).
        time_position: index into `times`.
    """

    position: Int[AnyArray, "B K"]
    times: Float[AnyArray, "T"]
    time_position: Int[AnyArray, "B"]
