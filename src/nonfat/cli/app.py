"""``nonfat``: the commands under one name.

Nothing heavy is imported here: each command imports what it needs once its options are parsed,
so ``--help`` and wrong options are answered at once.
"""

from typing import Annotated

import typer

from nonfat.cli.answers import evaluate, predict, trajectories
from nonfat.cli.bench import bench_app
from nonfat.cli.data import data
from nonfat.cli.demonstrate import demo
from nonfat.cli.fit import fit
from nonfat.cli.methods import methods
from nonfat.cli.shell import run

__all__ = ["app", "main"]

app = typer.Typer(
    name="nonfat",
    help="Decompose temporal tensors into factors that move in time, with honest uncertainty.",
    epilog="Tables are .csv or .parquet files, one row per observation.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for _command in (fit, predict, evaluate, trajectories, methods, demo):
    app.command()(_command)
app.add_typer(bench_app, name="bench")
app.add_typer(data)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"nonfat {version('nonfat')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: what was typed after ``nonfat``; by default what really was.

    Returns:
        The exit code: 0, 1 (the reader of the output went away, or a method of a benchmark
        failed), 2 (a mistake of the user's, told in one line on stderr) or 130 (Ctrl-C).
    """
    return run(typer.main.get_command(app), arguments)
