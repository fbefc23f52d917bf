"""Models: the three axes put together, and the methods as compositions of them."""

from nonfat.models.grid import COMBINERS, TIMES, CombinerName, Recipe, TimeName, compose
from nonfat.models.predictive import Predictive
from nonfat.models.tensor_model import Batch, TensorModel

__all__ = [
    "COMBINERS",
    "TIMES",
    "Batch",
    "CombinerName",
    "Predictive",
    "Recipe",
    "TensorModel",
    "TimeName",
    "compose",
]
