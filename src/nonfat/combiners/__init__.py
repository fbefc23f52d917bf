"""Combiners: a latent value from the inputs that the time representation gives."""

from nonfat.combiners.base import Combiner
from nonfat.combiners.sparse_gp import SparseGP

__all__ = ["Combiner", "SparseGP"]
