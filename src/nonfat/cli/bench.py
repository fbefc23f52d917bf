"""``nonfat bench``: methods beside plain references on a published split."""

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer

from nonfat.cli.bench_grid import figures, pack, run, table
from nonfat.cli.options import BenchData, Json, given, listed
from nonfat.cli.output import aligned, print_json

if TYPE_CHECKING:
    from nonfat.evaluation.runner import Bench, Record

__all__ = ["bench_app"]

bench_app = typer.Typer(rich_markup_mode=None)
for _command in (run, table, figures, pack):
    bench_app.command()(_command)


@bench_app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    *,
    suite: Annotated[
        str, typer.Option(metavar="NAME", help="Data and protocol: beijing-quick, ...")
    ] = "beijing-quick",
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Some of 'nonfat methods', NONFAT-paper, references, all.  [default: all]",
            show_default=False,
        ),
    ] = None,
    rank: Annotated[
        int | None,
        typer.Option(help="R of the methods that have one.  [default: 5]", show_default=False),
    ] = None,
    data: BenchData = None,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    epochs: Annotated[
        int | None, typer.Option(help="Passes over the rows, at most.", show_default=False)
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress lines.")] = False,
    as_json: Json = False,
) -> None:
    """Compare methods on held-out rows that each of them sees once.

    Without a command: one suite at once, as a table on stdout. 'run' fills a folder with a record
    for each of many cells, 'table' and 'figures' make the paper's tables and figures of it, and
    'pack' one file. The exit code is 1 if a method failed; the others are told all the same.
    """
    if context.invoked_subcommand is not None:
        return
    names = listed("--methods", methods)
    from nonfat.evaluation import runner, suites, tables

    options = given(rank=rank, methods=names and tuple(names))
    chosen = dataclasses.replace(suites.suite(suite), **options)
    tell = None if quiet else _tell
    done = runner.run_suite(chosen, folder=data, seed=seed, epochs=epochs, tell=tell)
    if as_json:
        print_json(tables.as_tree(done))
    else:
        typer.echo(_readable(done))
    if done.failed:
        raise typer.Exit(1)


def _tell(record: "Record", place: int, count: int) -> None:
    """A line of progress."""
    from nonfat.evaluation import tables

    typer.echo(f"[{place}/{count}] {tables.line(record)}", err=True)


def _readable(done: "Bench") -> str:
    """The table between what was run and what it comes to."""
    from nonfat.evaluation import tables

    suite, made = done.suite, done.provenance
    heading = (
        f"{suite.name}: {suite.dataset}, fold {suite.fold}, {done.train_rows} rows to learn from, "
        f"{done.test_rows} to be judged by; seed {done.seed}; protocol: {suite.protocol}"
    )
    legend = "* is the best of its column. Less is better, but for log lik. and the band (95%)."
    origin = (
        f"nonfat {made['nonfat']} ({made['commit'] or 'no checkout'}), jax {made['jax']}, "
        f"{made['cpu']} × {made['cpus']}, {made['date']}"
    )
    table = aligned(tables.cells(done.records), left=2)
    return "\n".join([heading, "", table, "", legend, *tables.remarks(done), origin])
