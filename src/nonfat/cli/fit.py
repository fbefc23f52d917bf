"""``nonfat fit``: a table in, a model file out."""

import dataclasses
import difflib
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nonfat.cli.options import Json, Overwrite, Quiet, Seed, given, listed
from nonfat.cli.output import check_file, print_json

if TYPE_CHECKING:
    from nonfat.estimators import Estimator

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
    method: Annotated[str, typer.Option(metavar="NAME", help="The estimator.")] = "NONFAT",
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
    columns = listed("--modes", modes)
    check_file(out, overwrite)
    options = given(preset=preset, rank=rank, epochs=epochs, seed=seed, dtype=dtype)
    model = _estimator(method, modes=columns, time=time, value=value, **options)
    if (quiet or as_json) and "progress" in model.get_params():
        model.set_params(progress=False)
    model.fit(data).save(out, overwrite=overwrite)
    if as_json:
        print_json({"path": str(out), "method": type(model).__name__, **_origin(model)})
    elif not quiet:
        typer.echo(f"{model.summary()}\nsaved {out}")


def _estimator(method: str, **options: Any) -> "Estimator":
    """An estimator by name, in capitals or not."""
    from nonfat.errors import ConfigError
    from nonfat.estimators import ESTIMATORS

    names = {name.lower(): name for name in ESTIMATORS}
    name = names.get(method.lower())
    if name is None:
        close = difflib.get_close_matches(method.lower(), names, n=1)
        hint = f"; did you mean {names[close[0]]}?" if close else ""
        raise ConfigError(f"--method: expected {', '.join(ESTIMATORS)}, got {method!r}{hint}")
    kind = ESTIMATORS[name]
    known = inspect.signature(kind).parameters
    for option in options:
        if option not in known:
            raise ConfigError(f"--{option}: {name} has no such option")
    return kind(**options)


def _origin(model: "Estimator") -> dict[str, Any]:
    origin = dataclasses.asdict(model.fit_.provenance)
    del origin["kind"]
    return origin
