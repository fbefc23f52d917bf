"""``nonfat fit``: a table in, a model file out."""

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from nonfat.cli.options import Json, Overwrite, Quiet, Seed, given, listed
from nonfat.cli.output import check_file, print_json

__all__ = ["fit"]


def fit(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="The table to learn from.")],
    *,
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Where to save the model.", show_default=False)
    ],
    modes: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="The columns of entities.  [default: all but time and value]",
            show_default=False,
        ),
    ] = None,
    time: Annotated[str, typer.Option(metavar="COLUMN", help="The column of times.")] = "time",
    value: Annotated[str, typer.Option(metavar="COLUMN", help="The column of values.")] = "value",
    method: Annotated[
        str, typer.Option(metavar="NAME", help="The estimator: one of 'nonfat methods'.")
    ] = "NONFAT",
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="'default' or 'paper'.", show_default=False),
    ] = None,
    rank: Annotated[
        int | None, typer.Option(help="Trajectories per entity.", show_default=False)
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(help="Passes over the rows, at most.", show_default=False)
    ] = None,
    likelihood: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How values scatter: 'gaussian', 'student_t', 'poisson', ... or 'auto'.",
            show_default=False,
        ),
    ] = None,
    exposure: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="What counts are counted per (with counts).", show_default=False
        ),
    ] = None,
    seed: Seed = None,
    dtype: Annotated[
        str | None,
        typer.Option(metavar="TYPE", help="'float32' or 'float64'.", show_default=False),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
    overwrite: Overwrite = False,
) -> None:
    """Learn from a table and save the model."""
    names = listed("--modes", modes)
    check_file(out, overwrite)
    options = given(
        preset=preset,
        rank=rank,
        epochs=epochs,
        likelihood=likelihood,
        exposure=exposure,
        seed=seed,
        dtype=dtype,
    )
    from nonfat.estimators.catalogue import create

    columns = {"modes": names, "time": time, "value": value}
    model = create(method, columns | options, {"progress": False} if quiet or as_json else {})
    model.fit(data).save(out, overwrite=overwrite)
    if as_json:
        print_json({"path": str(out), "method": type(model).__name__, **_origin(model)})
    elif not quiet:
        typer.echo(f"{model.summary()}\nsaved {out}")


def _origin(model: Any) -> dict[str, Any]:
    origin = dataclasses.asdict(model.fit_.provenance)
    del origin["kind"]
    return origin
