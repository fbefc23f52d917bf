"""``nonfat demo``: a year of New York's weather, taken apart and put beside plain references.

One tensor, station × variable × time, looked at twice: the *year* in daily means shows the seasons,
*autumn* in means of six hours shows the day. One fit cannot show both in a minute: a basis that
reaches the period of a day over a whole year has 900 functions, and the cost of a step grows with
their square. Of each table the last 5% of the time are kept out of training (the rows after the
boundary), and about a fifth of the rest, at random (the gaps). The settings were chosen by the
validation score, which sees neither; nor do the means and standard deviations that make degrees and
hectopascals alike.

Both chapters train on equally many rows with the same settings, so that the second one finds the
training step compiled: on two cores that takes as long as the training itself.
"""

import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl

from nonfat.data import Events, random_split
from nonfat.errors import ConfigError
from nonfat.estimators import NONFAT
from nonfat.estimators.references.cells import cell_mean, interpolate_in_time
from nonfat.evaluation.demo_files import check_folder, write_files
from nonfat.evaluation.weather import scales_of, standardised, weather_readings
from nonfat.metrics import mae, relative_rmse

__all__ = [
    "AUTUMN",
    "YEAR",
    "Chapter",
    "Demo",
    "Plan",
    "Scores",
    "check_folder",
    "run_chapter",
    "run_demo",
]

_LATER = 0.05  # of the time


@dataclass(frozen=True)
class Plan:
    """One table of weather and how to fit it.

    Attributes:
        name: of the chapter; files are named after it.
        title: what it is.
        every: length of the intervals that readings are averaged over.
        start: first moment.
        end: the moment after the last.
        epochs: of training.
        rows: to train on; the others before the boundary are gaps.
        rank: R, trajectories per entity.
        basis_size: C; on the three months of autumn 211 reach the period of one day.
        pseudo_inputs: a_g.
        batch_size: rows in a step.
    """

    name: str
    title: str
    every: str
    start: datetime
    end: datetime
    epochs: int = 25
    rows: int = 5760
    rank: int = 3
    basis_size: int = 211
    pseudo_inputs: int = 100
    batch_size: int = 200


YEAR = Plan("year", "2013 in daily means", "1d", datetime(2013, 1, 1), datetime(2014, 1, 1))
AUTUMN = Plan(
    "autumn",
    "August to October 2013 in means of six hours",
    "6h",
    datetime(2013, 8, 1),
    datetime(2013, 11, 1),
)


@dataclass(frozen=True)
class Scores:
    """How well one predictor did; None where it does not say how sure it is."""

    name: str
    relative_rmse: float
    mae: float
    temperature: float
    log_likelihood: float | None = None
    crps: float | None = None
    coverage_95: float | None = None


@dataclass(frozen=True, eq=False)
class Chapter:
    """A fitted table and what came of it.

    Attributes:
        plan: what was asked for.
        model: the fitted model.
        scales: unit, mean and std of each variable over the training rows.
        train: training rows, validation rows among them.
        gaps: rows held out at random, within the training range.
        later: rows after the boundary.
        gap_scores: NONFAT, interpolation in time and cell mean on `gaps`.
        later_scores: NONFAT, last value and cell mean on `later`.
        seconds: that all this took.
    """

    plan: Plan
    model: NONFAT
    scales: pl.DataFrame
    train: pl.DataFrame
    gaps: pl.DataFrame
    later: pl.DataFrame
    gap_scores: list[Scores]
    later_scores: list[Scores]
    seconds: float

    @property
    def boundary(self) -> datetime:
        """The last moment of training."""
        last = self.train["time"].max()
        assert isinstance(last, datetime)
        return last


@dataclass(frozen=True, eq=False)
class Demo:
    """All chapters, and the files that were written."""

    chapters: list[Chapter]
    files: list[Path]
    seconds: float


def run_demo(
    folder: Path,
    *,
    seed: int = 0,
    progress: bool | None = None,
    overwrite: bool = False,
    plans: Sequence[Plan] = (YEAR, AUTUMN),
    tell: Callable[[Chapter], None] | None = None,
) -> Demo:
    """Fit, score and draw the weather.

    Args:
        folder: where pictures and predictions go; made if it is missing.
        seed: of the split and of training.
        progress: whether to show progress bars; None shows them on a terminal.
        overwrite: whether files of an earlier demo may be replaced.
        plans: the chapters.
        tell: called with each chapter when it is done.

    Raises:
        ConfigError: the folder has files in it already, or matplotlib is missing.
        DataError: the package with the data is missing.
    """
    start = time.monotonic()
    check_folder(folder, overwrite)
    if importlib.util.find_spec("matplotlib") is None:
        raise ConfigError('the demo draws with matplotlib: pip install "nonfat[demo]"')
    chapters = []
    for plan in plans:
        chapters.append(run_chapter(plan, seed, progress))
        if tell:
            tell(chapters[-1])
    files = write_files(chapters, folder)
    return Demo(chapters, files, time.monotonic() - start)


def run_chapter(plan: Plan, seed: int = 0, progress: bool | None = None) -> Chapter:
    """Fit one table and score it on what was held out."""
    start = time.monotonic()
    parts = _split(_readings(plan), plan.rows, seed)
    scales = scales_of(parts[0])  # the others are held out
    train, gaps, later = (standardised(part, scales) for part in parts)
    model = NONFAT(
        ["station", "variable"],
        rank=plan.rank,
        basis_size=plan.basis_size,
        pseudo_inputs=plan.pseudo_inputs,
        batch_size=plan.batch_size,
        epochs=plan.epochs,
        seed=seed,
        progress=progress,
    ).fit(train)
    chapter = Chapter(plan, model, scales, train, gaps, later, [], [], 0.0)
    return replace(
        chapter,
        gap_scores=_compare(chapter, gaps, "interpolation in time"),
        later_scores=_compare(chapter, later, "last value"),
        seconds=time.monotonic() - start,
    )


def _readings(plan: Plan) -> pl.DataFrame:
    moment = pl.col("time")
    return weather_readings(plan.every).filter(moment >= plan.start, moment < plan.end)


def _split(
    table: pl.DataFrame, rows: int, seed: int
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Training rows, gaps among them, and all rows after the boundary."""
    times = table["time"].unique().sort()
    boundary = times[round((1 - _LATER) * len(times))]
    before = table.filter(pl.col("time") < boundary)
    train, gaps = random_split(before.height, 1 - rows / before.height, seed)
    return before[train], before[gaps], table.filter(pl.col("time") >= boundary)


def _compare(chapter: Chapter, rows: pl.DataFrame, line_name: str) -> list[Scores]:
    """NONFAT beside the references; after its last neighbour a straight line is the last value."""
    schema = chapter.model.fit_.schema
    train, query = (schema.encode(frame, need_value=True) for frame in (chapter.train, rows))
    assert train.value is not None
    line = interpolate_in_time(train.codes, train.time, train.value, query.codes, query.time)
    mean = cell_mean(train.codes, train.value, query.codes)
    answer = chapter.model.predict(rows, level=95)["mean"].to_numpy()
    found = chapter.model.evaluate(query)
    return [
        replace(
            _scores("NONFAT", chapter, query, answer),
            log_likelihood=found["log_likelihood"],
            crps=found["crps"],
            coverage_95=found["coverage_95"],
        ),
        _scores(line_name, chapter, query, line),
        _scores("cell mean", chapter, query, mean),
    ]


def _scores(name: str, chapter: Chapter, rows: Events, mean: np.ndarray) -> Scores:
    """Errors of all rows, and of the temperature in its own unit."""
    assert rows.value is not None
    warm = rows.codes[:, 1] == rows.schema.vocabularies[1].encode(["temperature"])[0]
    unit = chapter.scales.filter(pl.col("variable") == "temperature")["std"].item()
    return Scores(
        name,
        relative_rmse(rows.value, mean),
        mae(rows.value, mean),
        unit * mae(rows.value[warm], mean[warm]),
    )
