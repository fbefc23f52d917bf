"""``nonfat demo``: see what the library does, on real data, in a minute."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nonfat.cli.options import Json, Overwrite, Quiet
from nonfat.cli.output import aligned, print_json

if TYPE_CHECKING:
    from nonfat.evaluation.demo import Chapter, Demo, Scores

__all__ = ["demo"]

_HEADINGS = ["relative RMSE", "MAE", "MAE °F", "log lik.", "CRPS", "in 95% band"]


def demo(
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where pictures and predictions go.")
    ] = Path("nonfat-demo"),
    seed: Annotated[int, typer.Option(help="Of the split and of training.")] = 0,
    quiet: Quiet = False,
    as_json: Json = False,
    overwrite: Overwrite = False,
) -> None:
    """Fit a year of New York's weather, compare, draw (about a minute)."""
    from nonfat.evaluation.demo import check_folder, run_demo

    check_folder(out, overwrite)
    quiet = quiet or as_json
    if not quiet:
        typer.echo("Weather at three New York airports: station × variable × time.\n")
    done = run_demo(
        out,
        seed=seed,
        progress=False if quiet else None,
        overwrite=overwrite,
        tell=lambda chapter: None if quiet else typer.echo(_told(chapter)),
    )
    if as_json:
        print_json(_tree(done))
    if not quiet:
        names = "\n".join(f"  {path}" for path in done.files)
        typer.echo(f"{_LEGEND}\n\nWritten in {done.seconds:.0f} s:\n{names}")


def _tree(done: "Demo") -> dict[str, Any]:
    """All scores, and where they come from."""
    return {
        "chapters": [
            {
                "name": chapter.plan.name,
                "title": chapter.plan.title,
                "train_rows": chapter.train.height,
                "boundary": chapter.boundary,
                "gaps": _judged(chapter.gaps.height, chapter.gap_scores),
                "later": _judged(chapter.later.height, chapter.later_scores),
                "seconds": chapter.seconds,
            }
            for chapter in done.chapters
        ],
        "files": [str(path) for path in done.files],
        "seconds": done.seconds,
    }


def _judged(rows: int, scores: "list[Scores]") -> dict[str, Any]:
    return {"rows": rows, "scores": [dataclasses.asdict(row) for row in scores]}


def _told(chapter: "Chapter") -> str:
    """A chapter as text: what was fitted, and two tables."""
    boundary = f"{chapter.boundary:%d %B}"
    rows = [
        [f"{chapter.gaps.height} gaps", *_HEADINGS],
        *map(_row, chapter.gap_scores),
        [f"{chapter.later.height} rows after {boundary}", *[""] * len(_HEADINGS)],
        *map(_row, chapter.later_scores),
    ]
    heading = (
        f"{chapter.plan.title}: {chapter.train.height} rows to learn from, {chapter.seconds:.0f} s"
    )
    return f"{heading}\n{aligned(rows)}\n"


def _row(scores: "Scores") -> list[str]:
    sure = (scores.log_likelihood, scores.crps, scores.coverage_95)
    told = [f"{scores.relative_rmse:.3f}", f"{scores.mae:.3f}", f"{scores.temperature:.1f}"]
    if None in sure:
        return [f"  {scores.name}", *told, "", "", ""]
    return [f"  {scores.name}", *told, f"{sure[0]:+.3f}", f"{sure[1]:.3f}", f"{sure[2]:.1%}"]


_LEGEND = """\
Gaps are rows held out at random, the rows after come later than all training; training saw
neither. Errors are in standard deviations of each variable over its training rows (MAE °F:
temperature alone).
Less is better, but for the log likelihood (more) and the band (95%)."""
