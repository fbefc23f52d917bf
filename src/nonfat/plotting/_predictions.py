"""Predictions as small multiples: one panel per cell, with intervals and observations."""

import re
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from nonfat.errors import ConfigError, DataError
from nonfat.plotting import _panels
from nonfat.plotting._frames import as_table, boundary_on_axis, choose, is_date, times_on_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

__all__ = ["predictions"]

_Cell = tuple[Hashable, ...]
_Parts = dict[_Cell, pl.DataFrame]
_LOWER_END = re.compile(r"lo-(\d+(?:\.\d+)?)")


def predictions(
    frame: Any,
    *,
    modes: Sequence[str],
    time: str,
    value: str = "value",
    observed: Any = None,
    held_out: Any = None,
    cells: Sequence[Hashable] | None = None,
    boundary: Any = None,
    share_y: bool = False,
    title: str | None = None,
    figure: "FigureBase | None" = None,
) -> "FigureBase":
    """Draw the predictions of some cells over time, with their intervals and the observations.

    Every pair of columns ``lo-XX`` and ``hi-XX`` is shaded, the wider the lighter.

    Args:
        frame: Predictions: the mode columns, the time column, ``mean``, ``lo-95``, ``hi-95``, ...
        modes: Names of the mode columns; one combination of their labels is a cell.
        time: Name of the time column.
        value: Name of the value column of ``observed`` and ``held_out``.
        observed: Training rows, drawn as small dots.
        held_out: Rows that the model has not seen, drawn as small rings.
        cells: Which cells to draw, in this order: one tuple of labels each (or one label, if there
            is one mode); all if None.
        boundary: Where the training data end; what lies beyond is drawn lighter.
        share_y: Whether all panels have one value axis.
        title: A line above the panels.
        figure: A matplotlib figure or subfigure to draw on instead of a new one.

    Returns:
        The matplotlib figure; ``.savefig("predictions.png")`` saves it.

    Raises:
        DataError: A frame lacks a column or has no rows.
        ConfigError: A cell is unknown, there are too many panels, or matplotlib is not installed.

    Examples:
        >>> frame = pl.DataFrame({
        ...     "site": ["Dongsi"] * 2, "when": [0.0, 1.0], "mean": [1.0, 2.0],
        ...     "lo-95": [0.0, 1.0], "hi-95": [2.0, 3.0],
        ... })
        >>> figure = predictions(frame, modes=["site"], time="when", cells=["Dongsi"])
        >>> figure.axes[0].get_title(loc="left")
        'Dongsi'
    """
    table = as_table(frame, [*modes, time, "mean"], "the frame of predictions").sort(*modes, time)
    parts = table.partition_by(*modes, as_dict=True)
    chosen = choose(list(parts), _as_tuples(cells, len(modes)), "cells")
    seen = _points(observed, "the observed rows", modes, table[time], value)
    unseen = _points(held_out, "the held-out rows", modes, table[time], value)
    across = 1 if len(chosen) == 1 else 2 if len(chosen) <= 6 else 3
    figure, axes = _panels.grid(
        len(chosen),
        across,
        panel=(7.0, 2.2) if across == 1 else (4.2, 1.6),
        figure=figure,
        share_y=share_y,
        value_name=value,
        title=title,
        advice=f"pass fewer, such as cells={chosen[:2]!r}",
    )
    levels = _levels(table.columns)
    for cell, ax in zip(chosen, axes, strict=True):
        _draw_bands(ax, parts[cell], time, levels)
        _draw_points(ax, seen.get(cell), unseen.get(cell), time, value)
        name = " · ".join(map(str, cell))
        ax.set_title(name, loc="left", fontsize=_panels.LARGE, color=_panels.INK)
    limit, dates = boundary_on_axis(boundary, table[time]), is_date(table[time])
    _panels.finish(figure, axes, limit, time_name=time, dates=dates)
    return figure


def _as_tuples(cells: Sequence[Hashable] | None, modes: int) -> list[_Cell] | None:
    """Cells as tuples of labels; a plain label will do where there is one mode."""
    if cells is None:
        return None
    if isinstance(cells, str):
        raise ConfigError(f"cells: expected a list of cells, got {cells!r}; write [{cells!r}]")
    tuples = [cell if isinstance(cell, tuple) else (cell,) for cell in cells]
    for cell in tuples:
        if len(cell) != modes:
            raise ConfigError(
                f"cells: expected tuples of {modes} labels, one per mode, got {cell!r}"
            )
    return tuples


def _points(rows: Any, what: str, modes: Sequence[str], time: pl.Series, value: str) -> _Parts:
    """Rows by cell, with times of the same kind as those of the predictions."""
    if rows is None:
        return {}
    table = as_table(rows, [*modes, time.name, value], what)
    if is_date(table[time.name]) != is_date(time):
        raise DataError(
            f"{what} have times of type {table[time.name].dtype}, the predictions {time.dtype}; "
            "give both the same"
        )
    return table.partition_by(*modes, as_dict=True)


def _levels(columns: Sequence[str]) -> list[str]:
    """The levels that have both ends, the widest first: it is drawn below the others."""
    found = [match[1] for column in columns if (match := _LOWER_END.fullmatch(column))]
    return sorted((level for level in found if f"hi-{level}" in columns), key=float, reverse=True)


def _draw_bands(ax: "Axes", part: pl.DataFrame, time: str, levels: list[str]) -> None:
    times = times_on_axis(part[time])
    mean = part["mean"].to_numpy()
    ax.plot(times, mean, color=_panels.BLUE, linewidth=1.3, label="mean", zorder=2.5)
    for place, level in enumerate(levels):
        lo, hi = (part[f"{end}-{level}"].to_numpy() for end in ("lo", "hi"))
        tint = _panels.TINTS[min(place, len(_panels.TINTS) - 1)]
        ax.fill_between(times, lo, hi, color=tint, linewidth=0, label=f"{level}%")


def _draw_points(
    ax: "Axes", seen: pl.DataFrame | None, unseen: pl.DataFrame | None, time: str, value: str
) -> None:
    """Above the veil beyond the boundary: observations are as certain there as before it."""
    if seen is not None:
        x, y = times_on_axis(seen[time]), seen[value].to_numpy()
        ax.plot(x, y, ".", color=_panels.INK, markersize=3, label="training", zorder=4)
    if unseen is not None:
        x, y = times_on_axis(unseen[time]), unseen[value].to_numpy()
        ax.plot(
            x,
            y,
            "o",
            color=_panels.ORANGE,
            markerfacecolor="none",
            markersize=3.2,
            markeredgewidth=0.8,
            label="held out",
            zorder=4,
        )
