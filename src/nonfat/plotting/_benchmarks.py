"""Displays of benchmark results: calibration, and accuracy against time."""

from typing import TYPE_CHECKING, Any

import numpy as np

from nonfat.errors import ConfigError
from nonfat.plotting import _panels
from nonfat.plotting._frames import as_table

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

__all__ = ["against_time", "calibration"]

_LEAST_SECONDS = 1e-3  # on a logarithmic axis
_APART = 1.0  # points between labels


def calibration(
    frame: Any, *, title: str | None = None, figure: "FigureBase | None" = None
) -> "FigureBase":
    """Draw how values fall into their predictive distributions, one panel per method.

    Calibrated predictions have a tenth of the values in each tenth of the distribution: heaped
    ends are too sure, a heaped middle too unsure. Above each panel stands how many values its
    intervals hold.

    Args:
        frame: One row per method: ``method``, ``shares`` (a list), ``levels`` of intervals in
            percent and what share they ``covered`` (lists).
        title: A line above the panels.
        figure: A matplotlib figure or subfigure to draw on instead of a new one.

    Raises:
        DataError: The frame lacks a column or has no rows.
        ConfigError: There are too many panels, or matplotlib is not installed.

    Examples:
        >>> import polars as pl
        >>> frame = pl.DataFrame({
        ...     "method": ["NONFAT"], "shares": [[0.1] * 10], "levels": [[95]], "covered": [[0.94]]
        ... })
        >>> print(calibration(frame).axes[0].get_title(loc="left"))
        NONFAT
        94% in 95%
    """
    table = as_table(frame, ("method", "shares", "levels", "covered"), "the frame of calibration")
    across = min(table.height, 4)
    figure, axes = _panels.grid(
        table.height,
        across,
        panel=(2.7, 1.5),
        figure=figure,
        share_y=True,
        value_name="share of test values",
        title=title,
        advice="pass fewer rows",
    )
    for row, ax in zip(table.iter_rows(named=True), axes, strict=True):
        count = len(row["shares"])
        centres = (np.arange(count) + 0.5) / count
        ax.bar(centres, row["shares"], 0.9 / count, color=_panels.TINTS[1], label="test values")
        ax.axhline(1 / count, color=_panels.INK, linewidth=0.9, linestyle="--", label="calibrated")
        held = zip(row["levels"], row["covered"], strict=True)
        told = ", ".join(f"{share:.0%} in {level}%" for level, share in held)
        name = f"{row['method']}\n{told}"
        ax.set_title(name, loc="left", fontsize=_panels.SMALL, color=_panels.INK)
    name = "probability of a smaller value, as predicted"
    _panels.finish(figure, axes, None, time_name=name, dates=False)
    return figure


def against_time(
    frame: Any,
    *,
    score: str,
    lower: bool,
    title: str | None = None,
    figure: "FigureBase | None" = None,
) -> "FigureBase":
    """Draw a score against the seconds that fitting took, a point per method.

    Args:
        frame: One row per method: ``method``, ``kind`` ("method" or "reference"), ``seconds`` and
            ``score``.
        score: What the score is called.
        lower: Whether less of it is better.
        title: A line above the panel.
        figure: A matplotlib figure or subfigure to draw on instead of a new one.

    Raises:
        DataError: The frame lacks a column or has no rows.
        ConfigError: A row is neither a method nor a reference, or matplotlib is not installed.

    Examples:
        >>> import polars as pl
        >>> frame = pl.DataFrame({
        ...     "method": ["NONFAT"], "kind": ["method"], "seconds": [30.0], "score": [0.2]
        ... })
        >>> against_time(frame, score="relative RMSE", lower=True).axes[0].get_xscale()
        'log'
    """
    table = as_table(frame, ("method", "kind", "seconds", "score"), "the frame of scores")
    colours = {"method": _panels.BLUE, "reference": _panels.ORANGE}
    if odd := set(table["kind"]) - set(colours):
        raise ConfigError(f"kind: expected 'method' or 'reference', got {sorted(odd)[0]!r}")
    better = "less is better" if lower else "more is better"
    figure, axes = _panels.grid(
        1,
        1,
        panel=(7.0, 4.2),
        figure=figure,
        share_y=False,
        value_name=f"{score} ({better})",
        title=title,
        advice="",
    )
    (ax,) = axes
    ax.set_xscale("log")
    labels = []
    for kind, colour in colours.items():
        rows = table.filter(kind=kind)
        seconds = np.maximum(rows["seconds"].to_numpy(), _LEAST_SECONDS)
        if rows.height:
            ax.plot(seconds, rows["score"].to_numpy(), "o", color=colour, markersize=4, label=kind)
        for name, x, y in zip(rows["method"], seconds, rows["score"], strict=True):
            labels.append(
                ax.annotate(
                    name,
                    (x, y),
                    xytext=(4, 3),
                    textcoords="offset points",
                    fontsize=_panels.SMALL - 1,
                    color=_panels.INK,
                    arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": _panels.GREY},
                )
            )
    ax.margins(x=0.15, y=0.1)
    _panels.finish(figure, axes, None, time_name="seconds of fitting", dates=False)
    _part(figure, labels)
    return figure


def _part(figure: Any, labels: list[Any]) -> None:
    """Move labels up until none covers another; a line leads from each to its point."""
    figure.canvas.draw()  # only now is it known what lies where
    placed: list[Any] = []
    for label in sorted(labels, key=lambda label: label.get_window_extent().y0):
        box = _text_box(label)
        while hit := [other for other in placed if box.overlaps(other)]:
            x, y = label.xyann
            lift = max(other.y1 for other in hit) - box.y0
            label.xyann = x, y + lift * 72 / figure.dpi + _APART
            box = _text_box(label)
        placed.append(box)


def _text_box(label: Any) -> Any:
    """Where the text lies, without the line that leads to it."""
    from matplotlib.text import Text

    label.update_positions(label.figure.canvas.get_renderer())
    return Text.get_window_extent(label)
