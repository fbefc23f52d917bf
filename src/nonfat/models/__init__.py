"""Models: the three axes put together, and the methods as compositions of them."""

from nonfat.models.predictive import Predictive
from nonfat.models.presets import BasisName, Recipe, nonfat
from nonfat.models.tensor_model import Batch, TensorModel

__all__ = ["BasisName", "Batch", "Predictive", "Recipe", "TensorModel", "nonfat"]
