"""Combiners: a latent value from the inputs that the time representation gives."""

from nonfat.combiners.base import Combiner
from nonfat.combiners.cp import CP, TimeSpline
from nonfat.combiners.network import Network
from nonfat.combiners.sparse_gp import SparseGP

__all__ = ["CP", "Combiner", "Network", "SparseGP", "TimeSpline"]
