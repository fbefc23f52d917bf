"""The alphabet of shapes: one letter per dimension, the same in code, docs and tests.

======  ==========================================================================
letter  meaning
======  ==========================================================================
``N``   observed entries (rows of the user's table)
``B``   rows in a batch
``K``   modes of the tensor
``d``   entities in one mode
``J``   distinct entities of one mode in a batch (at most ``min(d, B)``)
``T``   distinct times in a batch (at most ``B``)
``R``   trajectories per entity (the rank)
``C``   size of the basis in frequency
``s``   size of an entity's embedding
``a``   pseudo inputs (of a mode, or of level two)
``D``   inputs of the combiner, ``K * R`` for trajectories
``S``   Monte-Carlo samples
``Q``   quantiles or levels
======  ==========================================================================
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from jaxtyping import Array, Float, Int
from jaxtyping import PRNGKeyArray as Key

__all__ = ["AnyArray", "Array", "Codes", "Float", "Int", "Key", "Label", "Values"]

Codes = Int[np.ndarray, "N K"]
"""Integer codes of entities, one column per mode; -1 stands for an unseen entity."""

Values = Float[np.ndarray, "N"]
"""Values of the observed entries, in the user's units or scaled."""

Label = Hashable
"""What a user calls an entity: a string, an integer, a date, a tuple, ..."""

# Compiled functions take NumPy arrays as well. At run time both are checked; to a type checker
# the difference would be noise, because what runs inside sees JAX arrays only.
if TYPE_CHECKING:
    AnyArray: TypeAlias = Any
else:
    AnyArray = Array | np.ndarray
