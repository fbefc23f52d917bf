"""Factor trajectories as small multiples: one row per entity, one column per factor."""

import itertools
import textwrap
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from jaxtyping import Float

from nonfat.plotting import _panels
from nonfat.plotting._frames import as_table, boundary_on_axis, choose, is_date, times_on_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

__all__ = ["trajectories"]

_COLUMNS = ("entity", "factor", "time", "mean", "std")
_HALF_95 = 1.959964  # standard deviations on either side of a Gaussian's mean


def trajectories(
    frame: Any,
    *,
    entities: Sequence[Hashable] | None = None,
    factors: Sequence[Hashable] | None = None,
    boundary: Any = None,
    compare: bool = True,
    title: str | None = None,
    figure: "FigureBase | None" = None,
) -> "FigureBase":
    """Draw how the factors of some entities move, with a band of 95%.

    Every panel is one entity and one factor, on common axes; the other entities that were asked
    for run behind it in grey, for comparison. A single entity has its factors one below another.

    Args:
        frame: Tidy frame with columns ``entity``, ``factor``, ``time``, ``mean`` and ``std``.
        entities: Which entities to draw, in this order; all if None.
        factors: Which factors to draw, in this order; all if None.
        boundary: Where the training data end; what lies beyond is drawn lighter.
        compare: Whether the entities are of one kind: common value axes, the others in grey.
        title: A line above the panels.
        figure: A matplotlib figure or subfigure to draw on instead of a new one.

    Returns:
        The matplotlib figure; ``.savefig("trajectories.png")`` saves it.

    Raises:
        DataError: The frame lacks a column or has no rows.
        ConfigError: An entity or a factor is unknown, there are too many panels, or matplotlib is
            not installed.

    Examples:
        >>> frame = pl.DataFrame({
        ...     "entity": ["Dongsi"] * 3, "factor": [0] * 3, "time": [0.0, 1.0, 2.0],
        ...     "mean": [0.0, 1.0, 0.5], "std": [0.1, 0.1, 0.4],
        ... })
        >>> figure = trajectories(frame, boundary=1.0)
        >>> len(figure.axes)
        1
    """
    table = as_table(frame, _COLUMNS, "the frame of trajectories").sort("time")
    rows = choose(table["entity"].unique().sort().to_list(), entities, "entities")
    columns = choose(table["factor"].unique().sort().to_list(), factors, "factors")
    panels = list(itertools.product(rows, columns))
    # One entity alone gets wide panels, one below another.
    across = 1 if len(rows) == 1 else len(columns)
    figure, axes = _panels.grid(
        len(panels),
        across,
        panel=(7.0, 1.3) if across == 1 else (2.7, 1.2),
        figure=figure,
        share_y=compare,
        value_name="",
        title=title,
        advice=f"pass fewer, such as entities={rows[:3]!r} or factors={columns[:2]!r}",
    )
    lines = _lines(table)
    for (entity, factor), ax in zip(panels, axes, strict=True):
        others = [lines.get((other, factor)) for other in rows if compare and other != entity]
        _draw_panel(ax, lines.get((entity, factor)), others)
    if len(rows) == 1:
        _name_panels(axes, 1, [f"{rows[0]}"], [f"factor {factor}" for factor in columns])
    else:
        _name_panels(axes, across, [f"factor {f}" for f in columns], [f"{e}" for e in rows])
    limit, dates = boundary_on_axis(boundary, table["time"]), is_date(table["time"])
    _panels.finish(figure, axes, limit, time_name="time", dates=dates)
    return figure


class _Line(NamedTuple):
    time: np.ndarray
    mean: Float[np.ndarray, "T"]
    half: Float[np.ndarray, "T"]


_Panel = tuple[Hashable, Hashable]


def _lines(table: pl.DataFrame) -> dict[_Panel, _Line]:
    parts = table.partition_by("entity", "factor", as_dict=True)
    return {
        (entity, factor): _Line(
            times_on_axis(part["time"]),
            part["mean"].cast(pl.Float64).to_numpy(),
            _HALF_95 * part["std"].cast(pl.Float64).to_numpy(),
        )
        for (entity, factor), part in parts.items()
    }


def _draw_panel(ax: "Axes", line: _Line | None, others: list[_Line | None]) -> None:
    if line is not None:
        ends = (line.mean - line.half, line.mean + line.half)
        ax.plot(line.time, line.mean, color=_panels.BLUE, linewidth=1.3, label="mean", zorder=2.5)
        ax.fill_between(line.time, *ends, color=_panels.TINTS[0], linewidth=0, label="95%")
    for other in others:
        if other is not None:
            ax.plot(*other[:2], color=_panels.GREY, linewidth=0.7, label="other entities")


def _name_panels(axes: "list[Axes]", across: int, above: list[str], beside: list[str]) -> None:
    """Name the columns above and the rows beside, each once."""
    for ax, name in zip(axes[:across], above, strict=True):
        ax.set_title(name, loc="left", fontsize=_panels.LARGE, color=_panels.INK)
    for ax, name in zip(axes[::across], beside, strict=True):
        ax.set_ylabel(
            textwrap.fill(name, 18),
            rotation=0,
            ha="right",
            va="center",
            fontsize=_panels.LARGE,
            color=_panels.INK,
        )
