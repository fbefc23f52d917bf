"""Small multiples: the grid, the look and the marks that every display shares.

Figures are built object by object, without pyplot, so drawing leaves no global state behind.
matplotlib is imported when a display is drawn, not before.
"""

from typing import TYPE_CHECKING, Any

from nonfat.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

__all__ = [
    "BLUE",
    "GREY",
    "INK",
    "LARGE",
    "ORANGE",
    "SMALL",
    "TINTS",
    "finish",
    "grid",
    "require_matplotlib",
]

# Okabe and Ito's palette: told apart under every common colour blindness, and in grey.
BLUE, ORANGE = "#0072B2", "#D55E00"
INK, GREY, FAINT = "#333333", "#C4C4C4", "#E6E6E6"
# Bands are opaque tints of blue, wide to narrow, so that the legend shows what the panel shows.
TINTS = ("#CFE4F1", "#9FCAE3", "#70AFD5", "#4094C6")

LARGE, SMALL = 9.0, 8.0  # points
MOST_PANELS = 60
_WIDEST, _TALLEST = 16.0, 48.0  # inches


def grid(
    count: int,
    columns: int,
    *,
    panel: tuple[float, float],
    figure: "FigureBase | None",
    share_y: bool,
    value_name: str,
    title: str | None,
    advice: str,
) -> "tuple[FigureBase, list[Axes]]":
    """Axes row by row, on the given figure or on a new one of fitting size (inches a panel)."""
    if count > MOST_PANELS:
        raise ConfigError(
            f"{count} panels cannot be read; at most {MOST_PANELS} are drawn: {advice}"
        )
    rows = -(-count // columns)
    figure = _new_figure(rows, columns, panel) if figure is None else figure
    axes = figure.subplots(rows, columns, sharex=True, sharey=share_y, squeeze=False)
    for ax in axes.flat:
        _style(ax)
    for column in range(columns - (rows * columns - count), columns):
        axes[-1, column].remove()
        axes[-2, column].tick_params(labelbottom=True)
        axes[-2, column].xaxis.get_offset_text().set_visible(True)
    figure.supylabel(value_name, fontsize=SMALL, color=INK)
    if title is not None:
        figure.suptitle(title, x=0.01, ha="left", fontsize=LARGE + 2, color=INK)
    return figure, axes.ravel().tolist()[:count]


def _new_figure(rows: int, columns: int, panel: tuple[float, float]) -> "Figure":
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width = min(1.3 + columns * panel[0], _WIDEST)
    height = min(0.9 + rows * panel[1], _TALLEST)
    figure = Figure(figsize=(width, height), layout="constrained", dpi=120)
    FigureCanvasAgg(figure)
    return figure


def require_matplotlib() -> None:
    """Refuse to go on without matplotlib, before work is done for a picture.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            'plots need matplotlib, which is not installed: pip install "nonfat[plot]"'
        ) from error


def _style(ax: "Axes") -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=SMALL, color=GREY, labelcolor=INK, length=2.5)
    ax.locator_params(axis="y", nbins=4)
    ax.margins(x=0.01, y=0.12)
    ax.xaxis.get_offset_text().set(size=SMALL, color=INK)


def finish(
    figure: "FigureBase", axes: "list[Axes]", boundary: Any, *, time_name: str, dates: bool
) -> None:
    """What comes once all marks are drawn: time, its boundary, the legend."""
    _add_legend(figure, axes)
    corner = axes[0]
    left, right = corner.get_xlim()  # the axes share it
    corner.set_xlim(left, right)
    if dates:
        _label_dates(corner)
    else:  # a calendar explains itself, a number does not
        figure.supxlabel(time_name, fontsize=SMALL, color=INK)
    if boundary is None:
        return
    place = float(corner.convert_xunits(boundary))  # type: ignore[no-untyped-call]
    if left <= place <= right:
        for ax in axes:
            # A veil over what lies beyond makes it lighter, whatever was drawn there.
            ax.axvspan(place, right, facecolor="white", alpha=0.5, linewidth=0, zorder=3)
            ax.axvline(place, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=3.5)
        _label_boundary(corner, place, on_left=bool(place - left > 0.7 * (right - left)))


def _label_dates(ax: "Axes") -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(minticks=3, maxticks=6)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    # Days carry their month, and there is no offset text: its month is that of the last tick,
    # which may lie beyond all the others.
    formats = ["%Y", "%b", "%d %b", "%H:%M", "%H:%M", "%S.%f"]
    formatter = ConciseDateFormatter(  # type: ignore[no-untyped-call]
        locator,
        formats=formats,
        zero_formats=["", "%b\n%Y", "%d %b", "%d %b", "%H:%M", "%H:%M"],
        show_offset=False,
    )
    ax.xaxis.set_major_formatter(formatter)


def _label_boundary(ax: "Axes", place: float, *, on_left: bool) -> None:
    ax.annotate(
        "training ends",
        (place, 1.0),
        xycoords=ax.get_xaxis_transform(),
        xytext=(-4 if on_left else 4, -1),
        textcoords="offset points",
        ha="right" if on_left else "left",
        va="top",
        fontsize=SMALL,
        color=INK,
        zorder=5,
    )


def _add_legend(figure: "FigureBase", axes: "list[Axes]") -> None:
    """One legend for all panels, outside them, with one entry per kind of mark."""
    marks: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            marks.setdefault(label, handle)
    figure.legend(
        marks.values(),
        marks.keys(),
        loc="outside upper right",
        ncols=len(marks),
        frameon=False,
        fontsize=SMALL,
        labelcolor=INK,
        handlelength=1.6,
        columnspacing=1.4,
    )
