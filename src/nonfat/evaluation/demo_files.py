"""The demo's pictures and its table of predictions, in the units that people read."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from nonfat import plotting
from nonfat.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

    from nonfat.evaluation.demo import Chapter

__all__ = ["check_folder", "write_files"]

_MODES = ("station", "variable")
_READ = ("value", "mean", "lo-80", "hi-80", "lo-95", "hi-95")  # columns with a level and a unit
_CELLS = (
    ("EWR", "temperature"),
    ("JFK", "temperature"),
    ("LGA", "temperature"),
    ("JFK", "dew point"),
)
_MOMENTS = 500  # of a curve
_ZOOM = timedelta(days=18)  # before the boundary


def check_folder(folder: Path, overwrite: bool) -> None:
    """Refuse a folder with anything in it, unless that may be replaced.

    Raises:
        ConfigError: the folder is not empty, is a file, or cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be a folder ({error.strerror or error})") from error
    if taken and not overwrite:
        raise ConfigError(
            f"the folder {folder} is not empty; pass --overwrite to replace the demo's files in it "
            "(overwrite=True in Python), or choose another folder with --out"
        )


def write_files(chapters: Sequence["Chapter"], folder: Path) -> list[Path]:
    """Draw every chapter and write all predictions of held-out rows.

    Returns:
        The files, in the order in which to look at them.
    """
    paths = []
    for chapter in chapters:
        for name, figure in _figures(chapter).items():
            paths.append(folder / f"{chapter.plan.name}-{name}.png")
            figure.savefig(paths[-1])  # type: ignore[attr-defined]
    paths.append(folder / "predictions.csv")
    pl.concat([_held_out(chapter) for chapter in chapters]).write_csv(paths[-1], float_precision=4)
    return paths


def _figures(chapter: "Chapter") -> dict[str, "FigureBase"]:
    """What there is to see of a chapter."""
    plan, boundary, (first, last) = chapter.plan, chapter.boundary, _span(chapter)
    figures = {"temperature": _temperature(chapter, first, f"Warmth and moisture, {plan.title}")}
    if plan.every.endswith("h") and boundary - first > 1.5 * _ZOOM:
        title = "The last days of training, and after"
        figures["days"] = _temperature(chapter, boundary - _ZOOM, title)
    times = _evenly(first, last)
    for mode in _MODES:
        figures[f"trajectories-{mode}"] = plotting.trajectories(
            chapter.model.trajectories(mode, times=times),
            boundary=boundary,
            title=f"Trajectories of each {mode}, {plan.title}",
        )
    return figures


def _temperature(chapter: "Chapter", since: datetime, title: str) -> "FigureBase":
    """The temperature at every station, and one dew point, from a moment on."""
    _, last = _span(chapter)
    grid = pl.DataFrame({"time": _evenly(since, last)})
    queries = pl.DataFrame(_CELLS, schema=_MODES, orient="row").join(grid, how="cross")
    held_out = pl.concat([chapter.gaps, chapter.later])
    answer = chapter.model.predict(queries, level=[80, 95])
    frame, seen, unseen = (
        _in_units(chapter, rows.filter(pl.col("time") >= since)).rename(
            {"value": "°F"}, strict=False
        )
        for rows in (answer, chapter.train, held_out)
    )
    return plotting.predictions(
        frame,
        modes=_MODES,
        time="time",
        value="°F",
        observed=seen,
        held_out=unseen,
        cells=_CELLS,
        boundary=chapter.boundary,
        share_y=True,
        title=title,
    )


def _held_out(chapter: "Chapter") -> pl.DataFrame:
    """What was measured and what was predicted, for every row that training did not see."""
    rows = pl.concat(
        [
            chapter.gaps.with_columns(part=pl.lit("gap")),
            chapter.later.with_columns(part=pl.lit("later")),
        ]
    )
    answer = chapter.model.predict(rows, level=95).select("mean", "lo-95", "hi-95")
    table = _in_units(chapter, pl.concat([rows, answer], how="horizontal"))
    names = chapter.scales.select("variable", "unit")
    return table.join(names, on="variable", maintain_order="left").select(
        pl.lit(chapter.plan.name).alias("chapter"),
        *("part", "station", "variable", "unit", "time", "value", "mean", "lo-95", "hi-95"),
    )


def _in_units(chapter: "Chapter", frame: pl.DataFrame) -> pl.DataFrame:
    """Standardised columns back in degrees, hectopascals and so on."""
    variables = chapter.scales["variable"]
    mean, std = (
        pl.col("variable").replace_strict(variables, chapter.scales[name], return_dtype=pl.Float64)
        for name in ("mean", "std")
    )
    columns = [name for name in _READ if name in frame.columns]
    return frame.with_columns((mean + std * pl.col(name)).alias(name) for name in columns)


def _span(chapter: "Chapter") -> tuple[datetime, datetime]:
    """The first moment of training, and the last of all."""
    first, last = chapter.train["time"].min(), chapter.later["time"].max()
    assert isinstance(first, datetime)
    assert isinstance(last, datetime)
    return first, last


def _evenly(first: datetime, last: datetime) -> pl.Series:
    """Moments of a curve."""
    step = (last - first) / (_MOMENTS - 1)
    return pl.Series("time", [first + number * step for number in range(_MOMENTS)])
