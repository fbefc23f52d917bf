"""``nonfat bench run``, ``table``, ``figures``, ``pack``: many cells, and what they come to."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nonfat.cli.options import BenchData, Overwrite, Quiet, given, listed, numbers

if TYPE_CHECKING:
    from nonfat.evaluation.run_grid import Ran

__all__ = ["figures", "pack", "run", "table"]

_Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of records.", show_default=False)]
_Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="INTEGER",
        help="Cells at a time, each on a core of its own.  [default: all cores]",
        show_default=False,
    ),
]


def _option(metavar: str, text: str) -> typer.models.OptionInfo:
    """An option that the suite decides if nobody types it."""
    return typer.Option(metavar=metavar, help=text, show_default=False)


def run(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Of records.", show_default=False)],
    suite: Annotated[str, typer.Option(metavar="NAME", help="'paper' or 'robust'.")] = "paper",
    datasets: Annotated[
        str | None,
        _option("A,B", "Of beijing, dblp, ctr10k, mobile-ads, ...  [default: the first three]"),
    ] = None,
    methods: Annotated[
        str | None, _option("A,B", "Some of 'nonfat methods', NONFAT-paper, references, all.")
    ] = None,
    ranks: Annotated[str | None, _option("2,3", "R of the methods that have one.")] = None,
    folds: Annotated[str | None, _option("0-4", "Published splits of the dataset.")] = None,
    seeds: Annotated[str | None, _option("0-4", "Of the fits.")] = None,
    protocols: Annotated[
        str | None,
        _option("A,B", "Of honest, paper (best test epoch), resplit, forecast, cold-cell, ..."),
    ] = None,
    epochs: Annotated[int | None, _option("INTEGER", "Passes over the rows, at most.")] = None,
    data: BenchData = None,
    jobs: _Jobs = None,
    backend: Annotated[
        str, typer.Option(metavar="NAME", help="Of joblib: loky, threading, dask, ray.")
    ] = "loky",
    retry: Annotated[bool, typer.Option("--retry", help="Run failed cells again.")] = False,
    keep_models: Annotated[
        bool, typer.Option("--keep-models", help="Keep each fitted model beside its record.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Run every cell that has no record yet; what is there is never run again.

    A run that was stopped, or killed, goes on from there if it is started again. The exit code is
    1 if cells failed.
    """
    names = {
        "datasets": listed("--datasets", datasets),
        "methods": listed("--methods", methods),
        "protocols": listed("--protocols", protocols),
        "ranks": numbers("--ranks", ranks),
        "folds": numbers("--folds", folds),
        "seeds": numbers("--seeds", seeds),
    }
    from nonfat.evaluation import grids
    from nonfat.evaluation.progress import cell_bar
    from nonfat.evaluation.run_grid import run_cells

    wanted: dict[str, Any] = {
        name: tuple(value) for name, value in names.items() if value is not None
    }
    grid = dataclasses.replace(grids.grid(suite), **wanted, **given(epochs=epochs))
    with cell_bar(False if quiet else None) as tell:
        ran = run_cells(
            grids.cells(grid),
            out,
            folder=data,
            jobs=jobs,
            backend=backend,
            retry=retry,
            models="keep" if keep_models else "drop",
            tell=tell,
        )
    if not quiet:
        typer.echo(_summary(ran, out))
    if ran.failed:
        raise typer.Exit(1)


def _summary(ran: "Ran", out: Path) -> str:
    lines = [f"{result.cell.key} failed: {result.error}" for result in ran.failed]
    lines.append(
        f"{len(ran.results)} cells run, {ran.kept} were there already, {len(ran.failed)} failed; "
        f"records are in {out / 'cells'}"
    )
    return "\n".join(lines)


def table(
    folder: _Folder,
    scores: Annotated[
        str | None,
        _option(
            "A,B", "relative_rmse, rmse, mae, log_likelihood, crps, coverage_95, width_95, ..."
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="NAME", help="markdown, latex or csv.")
    ] = "markdown",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Instead of stdout.", show_default=False),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """The paper's Tables 1 and 2 with our numbers beside the published ones, or other scores."""
    if out is not None:
        from nonfat.cli.output import check_file

        check_file(out, overwrite)
    from nonfat.evaluation.pages import render

    chosen = listed("--scores", scores)
    text = render(folder, form, **given(scores=chosen))
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


def pack(
    folder: _Folder,
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Ends in .jsonl.", show_default=False)
    ] = Path("records.jsonl"),
    overwrite: Overwrite = False,
) -> None:
    """All records in one small file, which 'nonfat bench table' reads where it lies."""
    from nonfat.cli.output import check_file

    check_file(out, overwrite)
    from nonfat.evaluation.records import read_all, write_pack

    results = read_all(folder)
    write_pack(out, results)
    typer.echo(f"{len(results)} records are in {out}")


def figures(
    folder: _Folder,
    data: BenchData = None,
    epochs: Annotated[int | None, _option("INTEGER", "Passes over the rows, at most.")] = None,
    jobs: _Jobs = None,
    quiet: Quiet = False,
) -> None:
    """The paper's Figures 2 and 3, calibration, and accuracy against time: PNG and PDF.

    Models that are not kept in the folder are fitted and kept there.
    """
    from nonfat.evaluation.figures import write_figures
    from nonfat.evaluation.progress import cell_bar

    with cell_bar(False if quiet else None) as tell:
        paths = write_figures(folder, data=data, epochs=epochs, jobs=jobs, tell=tell)
    if not quiet:
        typer.echo("\n".join(map(str, paths)))
