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

import numpy as np
from jaxtyping import Array, Float, Int
from jaxtyping import PRNGKeyArray as Key

__all__ = ["Array", "Codes", "Float", "Int", "Key", "Label", "Values"]

Codes = Int[np.ndarray, "N K"]
"""Integer codes of entities, one column per mode; -1 stands for an unseen entity."""

Values = Float[np.ndarray, "N"]
"""Values of the observed entries, in the user's units or scaled."""

Label = Hashable
"""What a user calls an entity: a string, an integer, a date, a tuple, ..."""
