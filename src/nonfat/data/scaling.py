"""An invertible scaling of the values, so that models see numbers of order one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from nonfat._typing import Values
from nonfat.errors import DataError

__all__ = ["Affine"]


@dataclass(frozen=True)
class Affine:
    """The map ``y -> (y - shift) / scale`` and its inverse.

    Attributes:
        shift: what becomes 0.
        scale: what becomes 1 more than that; positive.

    Example:
        >>> scaling = Affine.learn(np.array([1.0, 3.0]))
        >>> scaling, scaling.apply(np.array([1.0, 3.0])).tolist()
        (Affine(shift=2.0, scale=1.0), [-1.0, 1.0])
        >>> scaling.invert(np.array([0.0])).tolist()
        [2.0]
    """

    shift: float
    scale: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.shift) and np.isfinite(self.scale) and self.scale > 0):
            raise DataError(
                "a scaling needs a finite shift and a positive, finite scale, "
                f"got shift={self.shift}, scale={self.scale}; rescale values this extreme yourself"
            )

    @classmethod
    def learn(cls, values: Values) -> "Affine":
        """The scaling to mean 0 and standard deviation 1; equal values keep scale 1.

        Raises:
            DataError: there are no values, some are not finite, or they are too large to average.
        """
        if not len(values) or not np.isfinite(values).all():
            raise DataError("a scaling is learned from one or more finite values")
        low, high = float(np.min(values)), float(np.max(values))
        if low == high:  # their computed deviation may be a rounding error away from 0
            return cls(low, 1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            shift, scale = float(np.mean(values)), float(np.std(values))
        return cls(shift, scale if scale > 0 else 1.0)

    def apply(self, values: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
        """From the user's units to the model's."""
        return (values - self.shift) / self.scale

    def invert(self, scaled: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
        """From the model's units back to the user's."""
        return scaled * self.scale + self.shift

    def to_json(self) -> dict[str, float]:
        """This scaling as a JSON object."""
        return {"shift": self.shift, "scale": self.scale}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> "Affine":
        """Reads back what `to_json` wrote."""
        return cls(float(tree["shift"]), float(tree["scale"]))
