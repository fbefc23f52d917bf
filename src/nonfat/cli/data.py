"""``nonfat data``: the benchmark datasets, listed, fetched, or built from raw public files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from nonfat.cli.options import Json, Overwrite, given
from nonfat.cli.output import aligned, print_json

if TYPE_CHECKING:
    from nonfat.evaluation.data.registry import Source

__all__ = ["data"]

data = typer.Typer(
    name="data",
    help="Benchmark datasets: list, fetch, prepare.",
    rich_markup_mode=None,
)

Cache = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="For what is downloaded.  [default: $NONFAT_CACHE, or ~/.cache/nonfat]",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar, no summary.")]


@data.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@data.command("list")
def show(
    folder: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FOLDER",
            help="Local copies: holds beijing/fold0.parquet and so on.  [default: $NONFAT_DATA]",
            show_default=False,
        ),
    ] = None,
    cache: Cache = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list of JSON objects.")] = False,
) -> None:
    """Tell what there is, and what of it is here."""
    from nonfat.evaluation.data import registry

    found = [
        (source, registry.places(source.name, folder, cache))
        for source in registry.SOURCES.values()
    ]
    if as_json:
        print_json([_tree(source, places) for source, places in found])
    else:
        typer.echo("\n\n".join(_told(source, places) for source, places in found))


@data.command()
def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One of 'nonfat data list'.")],
    cache: Cache = None,
    quiet: Quiet = False,
    as_json: Json = False,
    overwrite: Overwrite = False,
) -> None:
    """Download, check and convert a dataset.

    An interrupted download goes on when the command is run again.
    """
    from nonfat.evaluation.data.fetch import fetch

    progress = False if quiet or as_json else None
    done = fetch(name, cache, overwrite=overwrite, progress=progress)
    if as_json:
        print_json(
            {
                "name": done.name,
                "folder": str(done.folder),
                "downloaded": list(map(str, done.downloaded)),
                "written": list(map(str, done.written)),
            }
        )
    elif not quiet:
        new = f"{len(done.written)} splits written" if done.written else "already there"
        typer.echo(f"{done.name}: {new}, in {done.folder}\n--data {done.folder.parent} reads them")


@data.command()
def prepare(
    name: Annotated[str, typer.Argument(metavar="NAME", help="beijing, mobile-ads or dblp.")],
    raw: Annotated[
        Path,
        typer.Argument(
            metavar="RAW",
            help="The folder of UCI's PRSA_Data_*.csv, the Avazu log, or dblp.xml; also gzipped.",
        ),
    ],
    *,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="The files go to NAME-prepared inside it.", show_default=False
        ),
    ],
    rows: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="Rows to draw at random.  [default: as many as published]",
            show_default=False,
        ),
    ] = None,
    unscaled: Annotated[
        bool, typer.Option("--raw", help="Leave Beijing's pollutants in µg/m³.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    quiet: Quiet = False,
    as_json: Json = False,
    overwrite: Overwrite = False,
) -> None:
    """Build a tensor and splits from raw public files.

    They are streamed: memory does not grow with their size. Beside the tensor, with its labels,
    come five random splits with codes, which 'nonfat bench --data FOLDER' reads.
    """
    count = _count(rows)
    from nonfat.evaluation.data.prepare import prepare

    done = prepare(
        name,
        raw,
        out,
        standardise=not unscaled,
        seed=seed,
        overwrite=overwrite,
        progress=False if quiet or as_json else None,
        **given(rows=count),
    )
    if as_json:
        files = list(map(str, done.files))
        print_json({"name": name, "rows": done.rows, "entities": done.entities, "files": files})
    elif not quiet:
        sizes = " × ".join(f"{size} {mode}" for mode, size in done.entities.items())
        typer.echo(f"{name}: {done.rows} rows of {sizes}\nWritten:")
        typer.echo("\n".join(f"  {path}" for path in done.files))


def _count(text: str | None) -> int | Literal["all"] | None:
    if text is None:
        return None
    if text == "all":
        return "all"
    try:
        return int(text)
    except ValueError:
        from nonfat.errors import ConfigError

        raise ConfigError(f"--rows: expected a whole number or 'all', got {text!r}") from None


def _tree(source: "Source", places: list[Path]) -> dict[str, Any]:
    files = [
        {"name": file.name, "address": file.address, file.check.kind: file.check.digest}
        for file in source.files
    ]
    return {
        "name": source.name,
        "about": source.about,
        "here": list(map(str, places)),
        "origin": source.origin,
        "licence": source.licence,
        "raw": source.raw or None,
        "files": files,
        "instead": source.instead or None,
    }


def _told(source: "Source", places: list[Path]) -> str:
    """A dataset in a few lines."""
    otherwise = source.instead or f"no; 'nonfat data fetch {source.name}' downloads it"
    lines = [
        ["here", ", ".join(map(str, places)) or otherwise],
        ["from", source.origin],
        ["licence", source.licence],
    ]
    if source.raw:
        lines.append(
            ["anew", f"'nonfat data prepare {source.name} RAW', with RAW from {source.raw}"]
        )
    told = aligned([["  " + key, text] for key, text in lines], left=2)
    return f"{source.name}: {source.about}\n{told}"
