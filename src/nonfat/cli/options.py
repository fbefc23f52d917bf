"""Options that several commands share, and what they are written as."""

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "BenchData",
    "Json",
    "ModelFile",
    "Overwrite",
    "Quiet",
    "Records",
    "Seed",
    "Silent",
    "given",
    "listed",
    "numbers",
    "percentages",
]

ModelFile = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="A file that 'nonfat fit' wrote.", show_default=False),
]
BenchData = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="FOLDER",
        help="Of beijing/fold0.parquet, ...  [default: $NONFAT_DATA, or what was fetched]",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object instead of text.")]
Records = Annotated[bool, typer.Option("--json", help="Print the rows as a list of JSON objects.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar, no summary.")]
Silent = Annotated[bool, typer.Option("--quiet", help="Nothing but the answer, as ever.")]
Seed = Annotated[
    int | None,
    typer.Option(help="Of everything random.  [default: 0]", show_default=False),
]


def listed(option: str, text: str | None) -> list[str] | None:
    """The parts of an option that commas separate.

    Example:
        >>> listed("--modes", "site, pollutant")
        ['site', 'pollutant']
        >>> listed("--modes", "site,")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: --modes: expected names separated by commas, got 'site,'
    """
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        from nonfat.errors import ConfigError

        raise ConfigError(f"{option}: expected names separated by commas, got {text!r}")
    return parts


def percentages(option: str, text: str | None) -> list[float] | None:
    """Numbers that commas separate.

    Example:
        >>> percentages("--level", "80,95")
        [80.0, 95.0]
    """
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        from nonfat.errors import ConfigError

        raise ConfigError(
            f"{option}: expected percentages separated by commas, such as 80,95, got {text!r}"
        ) from None


def numbers(option: str, text: str | None) -> tuple[int, ...] | None:
    """Whole numbers that commas separate, and ranges of them.

    Example:
        >>> numbers("--folds", "0-2,4")
        (0, 1, 2, 4)
        >>> numbers("--folds", "four")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: --folds: expected whole numbers such as 0,2 or 0-4, got 'four'
    """
    if text is None:
        return None
    found: dict[int, None] = {}
    try:
        for part in text.split(","):
            first, dash, last = part.partition("-")
            chosen = range(int(first), int(last) + 1) if dash else [int(first)]
            if not chosen:
                raise ValueError(part)
            found |= dict.fromkeys(chosen)
    except ValueError:
        from nonfat.errors import ConfigError

        raise ConfigError(
            f"{option}: expected whole numbers such as 0,2 or 0-4, got {text!r}"
        ) from None
    return tuple(found)


def given(**options: Any) -> dict[str, Any]:
    """The options that were typed; the API has the defaults of the others.

    Example:
        >>> given(rank=3, epochs=None)
        {'rank': 3}
    """
    return {name: value for name, value in options.items() if value is not None}
