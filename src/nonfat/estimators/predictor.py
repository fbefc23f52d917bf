"""What the table-facing part asks of a fitted method."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from jaxtyping import Float, Float64

from nonfat.data import Events
from nonfat.likelihoods import Observes

__all__ = ["Predictor"]


class Predictor(Protocol):
    """Answers for the rows of a table, in the method's own (scaled) units.

    A trained model answers through an `Engine`, a plain reference by formulas.

    Example:
        >>> from nonfat.estimators.engine import Engine
        >>> all(hasattr(Engine, name) for name in ("summary", "log_density", "path"))
        True
    """

    @property
    def observes(self) -> Observes:
        """What kind of value it predicts: ``"real"``, ``"count"`` or ``"binary"``."""
        ...

    def summary(
        self,
        events: Events,
        levels: Float64[np.ndarray, "Q"] | Sequence[float],
        scaled: Float[np.ndarray, "N"] | None = None,
    ) -> dict[str, np.ndarray]:
        """``mean``, ``std`` of the observation, ``latent_std``, and ``quantiles`` of shape Q N.

        Those of a binary value are of its probability. With a value for each row also its
        ``log_density``.
        """
        ...

    def log_density(
        self, events: Events, scaled: Float[np.ndarray, "N"]
    ) -> Float64[np.ndarray, "N"]:
        """The log predictive density of a value for each row."""
        ...

    def observations(
        self, events: Events, repeats: int
    ) -> Iterator[tuple[slice, Float64[np.ndarray, "S _"]]]:
        """Draws of each row's observation on its own, a chunk of rows at a time."""
        ...

    def path(self, events: Events, seed: int) -> Float64[np.ndarray, "N"]:
        """One joint draw of the observations of all rows."""
        ...
