"""``model.plot``: the tables of a fitted model, drawn."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

    from nonfat.estimators.base import Estimator

__all__ = ["PlotAccessor"]


class PlotAccessor:
    """Pictures of a fitted model; made by ``model.plot``."""

    def __init__(self, model: "Estimator") -> None:
        self._model = model

    def trajectories(
        self,
        mode: Any = None,
        *,
        entities: Sequence[Any] | None = None,
        factors: Sequence[int] | None = None,
        times: Any = None,
        **options: Any,
    ) -> "FigureBase":
        """The factors of a mode's entities as they move, with 95% bands.

        Args:
            mode: name of the mode.
            entities: which entities; all by default.
            factors: which factors; all by default.
            times: at which times; see ``model.trajectories``.
            **options: of `nonfat.plotting.trajectories`.
        """
        from nonfat import plotting

        frame = self._model.trajectories(mode, entities=entities, times=times)
        options.setdefault("boundary", self._boundary())
        return plotting.trajectories(frame, factors=factors, **options)

    def predictions(self, queries: Any, *, observed: Any = None, **options: Any) -> "FigureBase":
        """Predictions of some cells over time, with 80% and 95% bands.

        Args:
            queries: entities and times, as for ``model.predict``.
            observed: training rows to draw as points.
            **options: of `nonfat.plotting.predictions`.
        """
        from nonfat import plotting

        schema = self._model._fitted().schema
        frame = self._model.predict(queries, level=[80, 95])
        options.setdefault("boundary", self._boundary())
        return plotting.predictions(
            frame,
            modes=list(schema.modes),
            time=schema.time,
            value=schema.value,
            observed=observed,
            **options,
        )

    def _boundary(self) -> Any:
        """The last training time."""
        import numpy as np

        clock = self._model._fitted().schema.clock
        return clock.from_float(np.array([clock.last])).to_list()[0]
