"""The figures of a benchmark: the paper's Figures 2 and 3, calibration, accuracy against time.

Figures 2 and 3 need models of one run: they come from cells of the protocol ``curves``, which
holds out gaps and the last tenth of the time, so that both interpolation and extrapolation can be
seen beside what was measured.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from nonfat import plotting
from nonfat.errors import ConfigError
from nonfat.estimators import load
from nonfat.evaluation.datasets import Split, load_fold
from nonfat.evaluation.entries import label
from nonfat.evaluation.grids import Cell
from nonfat.evaluation.judge import LEVELS
from nonfat.evaluation.protocols import Cut, protocol
from nonfat.evaluation.records import Result, model_path, read_all
from nonfat.evaluation.run_cell import SPLIT_SEED
from nonfat.evaluation.run_grid import Tell, run_cells
from nonfat.metrics import METRICS

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

__all__ = ["figure_cells", "write_figures"]

_DATASET, _RANK = "beijing", 3
_OURS = ("NONFAT-paper", "NONFAT")
_RIVAL = "GPCT"
# The first site and the second pollutant; entries (6, 6) and (7, 4), which the paper counts from 1.
_SHOWN = {"site": [0], "pollutant": [1]}
_CURVES = [(5, 5), (6, 3)]
_MOMENTS = 400
_BEYOND = 0.05  # of the time that all rows span, after the last of them
_SCORES = {"relative_rmse": "relative RMSE", "log_likelihood": "mean log likelihood"}
_ENDINGS = (".png", ".pdf")


def figure_cells(epochs: int | None = None) -> list[Cell]:
    """The fits that Figures 2 and 3 show.

    Example:
        >>> figure_cells()[0].key
        'beijing.fold0.curves.last-10pc.NONFAT-paper.R3.seed0'
    """
    (part,) = protocol("curves").parts
    return [
        Cell(_DATASET, 0, "curves", part, method, _RANK, 0, epochs) for method in (*_OURS, _RIVAL)
    ]


def write_figures(
    folder: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    epochs: int | None = None,
    jobs: int | None = 1,
    tell: Tell | None = None,
) -> list[Path]:
    """Draw all figures of a folder of records into its folder ``figures``.

    Args:
        folder: that `nonfat.evaluation.run_grid.run_cells` filled, or is to fill.
        data: the folder of the data.
        epochs: of the models that Figures 2 and 3 show, at most; None leaves it to them.
        jobs: models that are fitted at a time, if they are not there; None for one on each core.
        tell: called after each of these.

    Returns:
        The files, PNG and PDF of each figure.

    Raises:
        ConfigError: a model cannot be fitted, or matplotlib is not installed.
    """
    out = Path(folder)
    split = load_fold(_DATASET, 0, data)
    plotting.require_matplotlib()
    wanted = figure_cells(epochs)
    ran = run_cells(wanted, out, folder=data, jobs=jobs, models="need", retry=True, tell=tell)
    if ran.failed:
        raise ConfigError(f"{ran.failed[0].cell.key} failed: {ran.failed[0].error}")
    models = {cell.method: load(model_path(out, cell)) for cell in wanted}
    cut = protocol("curves").cut(split, wanted[0].part, SPLIT_SEED)
    (out / "figures").mkdir(exist_ok=True)
    paths = []
    for name, figure in _figures(models, split, cut, read_all(out)):
        for ending in _ENDINGS:
            paths.append(out / "figures" / f"{name}{ending}")
            figure.savefig(paths[-1])  # type: ignore[attr-defined]
    return paths


def _figures(
    models: dict[str, Any], split: Split, cut: Cut, results: Sequence[Result]
) -> "Iterator[tuple[str, FigureBase]]":
    boundary = float(cut[0]["time"].max())  # type: ignore[arg-type]
    for name in _OURS:
        yield f"figure2-{name}", _trajectories(models[name], split, boundary, name)
        pair = {name: models[name], _RIVAL: models[_RIVAL]}
        yield f"figure3-{name}", _curves(pair, split, cut, boundary)
    judged = [one for one in results if one.cell.protocol == "honest" and not one.failed]
    for dataset in sorted({one.cell.dataset for one in judged}):
        mine = [one for one in judged if one.cell.dataset == dataset]
        mine = [one for one in mine if one.cell.rank in (None, _RANK)] or mine
        cpu, fold, mine = _alike(mine)
        if any(one.pit for one in mine):
            heading = f"{dataset}, fold {fold}"
            yield f"calibration-{dataset}", plotting.calibration(_calibration(mine), title=heading)
        for score, title in _SCORES.items():
            points = _points([one for one in mine if _cpu(one) == cpu], score)
            if points.height:
                lower = not METRICS[score].greater_is_better
                heading = f"{dataset}, fold {fold}; {cpu}" if cpu else dataset
                figure = plotting.against_time(points, score=title, lower=lower, title=heading)
                yield f"time-{dataset}-{score}", figure


def _times(split: Split) -> np.ndarray:
    """From the first row to a little after the last."""
    time = pl.concat([split.train["time"], split.test["time"]])
    first, last = float(time.min()), float(time.max())  # type: ignore[arg-type]
    return np.linspace(first, last + _BEYOND * (last - first), _MOMENTS)


def _trajectories(model: Any, split: Split, boundary: float, name: str) -> "FigureBase":
    """Figure 2: all factors of two entities, on both sides of the last training time."""
    frames = [
        model.trajectories(mode, entities=entities, times=_times(split)).with_columns(
            entity=pl.format("{} {}", pl.lit(mode), pl.col("entity") + 1)
        )
        for mode, entities in _SHOWN.items()
    ]
    table = pl.concat(frames)
    order = list(dict.fromkeys(table["entity"]))
    return plotting.trajectories(
        table, entities=order, boundary=boundary, title=f"{name}, R = {_RANK}", compare=False
    )


def _curves(models: dict[str, Any], split: Split, cut: Cut, boundary: float) -> "FigureBase":
    """Figure 3: two entries over time, by two methods each."""
    times = _times(split)
    predicted, seen, unseen, order = [], [], [], []
    for number in _CURVES:
        cell = dict(zip(split.modes, number, strict=True))
        queries = pl.DataFrame({**cell, "time": times}, schema_overrides=split.train.schema)
        entry = f"({', '.join(str(code + 1) for code in number)})"
        for name, model in models.items():
            key = {"entry": entry, "method": name}
            order.append((entry, name))
            predicted.append(_named(model.predict(queries, level=[95]), key))
            rows = [part.filter(**cell) for part in cut]
            seen.append(_named(rows[0], key))
            unseen.append(_named(rows[1], key))
    return plotting.predictions(
        pl.concat(predicted),
        modes=["entry", "method"],
        time="time",
        observed=pl.concat(seen),
        held_out=pl.concat(unseen),
        cells=order,
        boundary=boundary,
        share_y=True,
    )


def _named(frame: pl.DataFrame, key: dict[str, str]) -> pl.DataFrame:
    return frame.with_columns(**{name: pl.lit(value) for name, value in key.items()})


def _row(result: Result) -> str:
    rank = result.cell.rank
    return f"{label(result)}, R = {rank}" if rank else label(result)


def _calibration(results: Sequence[Result]) -> pl.DataFrame:
    """Of each row: the share of values in each tenth, and the coverage of each interval."""
    found = []
    for name in dict.fromkeys(map(_row, results)):
        runs = [one for one in results if _row(one) == name and one.pit]
        if not runs:
            continue
        counts = np.sum([one.pit or [] for one in runs], axis=0)
        covered = [
            float(np.mean([one.scores[f"coverage_{level}"] or 0.0 for one in runs]))
            for level in LEVELS
        ]
        shares = (counts / counts.sum()).tolist()
        found.append({"method": name, "shares": shares, "levels": LEVELS, "covered": covered})
    return pl.DataFrame(found)


def _alike(results: Sequence[Result]) -> tuple[str, int, list[Result]]:
    """The processor and the fold that most rows were run on, and all records of that fold.

    Seconds of two machines are no match, nor are scores of two splits.
    """
    rows: dict[tuple[str, int], set[str]] = {}
    for one in results:
        rows.setdefault((_cpu(one), one.cell.fold), set()).add(_row(one))
    cpu, fold = max(rows, key=lambda place: len(rows[place]))
    return cpu, fold, [one for one in results if one.cell.fold == fold]


def _cpu(result: Result) -> str:
    return str(result.provenance.get("cpu", ""))


def _points(results: Sequence[Result], score: str) -> pl.DataFrame:
    """Of each row: seconds of fitting and a score, means over runs."""
    rows = []
    for name in dict.fromkeys(map(_row, results)):
        runs = [one for one in results if _row(one) == name]
        known = [
            (one.seconds, value) for one in runs if (value := one.scores.get(score)) is not None
        ]
        if known:
            seconds, value = np.mean(np.array(known, np.float64), axis=0)
            kind = runs[0].kind
            rows.append(
                {"method": name, "kind": kind, "seconds": float(seconds), "score": float(value)}
            )
    return pl.DataFrame(rows).filter(pl.col("score").is_finite()) if rows else pl.DataFrame()
