"""What a saved model can tell: ``nonfat predict``, ``evaluate`` and ``trajectories``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nonfat.cli.options import (
    Json,
    ModelFile,
    Overwrite,
    Records,
    Silent,
    given,
    listed,
    percentages,
)
from nonfat.cli.output import aligned, check_table, print_json, show_or_write

if TYPE_CHECKING:
    from nonfat.estimators import Estimator

__all__ = ["evaluate", "predict", "trajectories"]

Out = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A .csv or .parquet file.  [default: CSV to stdout]",
        show_default=False,
    ),
]


def predict(
    model: ModelFile,
    queries: Annotated[
        Path, typer.Argument(metavar="QUERIES", help="A table of entities and times.")
    ],
    out: Out = None,
    level: Annotated[
        str | None,
        typer.Option(
            metavar="80,95",
            help="Percentages of prediction intervals: adds lo-80, hi-80, ...",
            show_default=False,
        ),
    ] = None,
    quiet: Silent = False,  # noqa: ARG001  (there is nothing to be quiet about)
    as_json: Records = False,
    overwrite: Overwrite = False,
) -> None:
    """Predict the values of a table's rows: mean, std, intervals."""
    levels = percentages("--level", level)
    check_table(out, overwrite, as_json)
    show_or_write(_load(model).predict(queries, level=levels), out, as_json)


def evaluate(
    model: ModelFile,
    test: Annotated[Path, typer.Argument(metavar="TEST", help="A table with values.")],
    quiet: Silent = False,  # noqa: ARG001
    as_json: Json = False,
) -> None:
    """Score a model on rows that it has not seen."""
    found = _load(model).evaluate(test)
    if as_json:
        print_json(found)
    else:
        typer.echo(_readable(found))


def trajectories(
    model: ModelFile,
    *,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Whose trajectories; may be left out if there is one mode.",
            show_default=False,
        ),
    ] = None,
    out: Out = None,
    entities: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Which entities.  [default: all]", show_default=False),
    ] = None,
    samples: Annotated[
        int, typer.Option(help="Joint draws instead of mean and std; 0 for none.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Of the draws.")] = 0,
    quiet: Silent = False,  # noqa: ARG001
    as_json: Records = False,
    overwrite: Overwrite = False,
) -> None:
    """Write how the factors of a mode's entities move in time."""
    wanted = listed("--entities", entities)
    check_table(out, overwrite, as_json)
    fitted = _load(model)
    options = given(entities=wanted and _labels(fitted, mode, wanted))
    frame = fitted.trajectories(mode, samples=samples, seed=seed, **options)
    show_or_write(frame, out, as_json)


def _load(path: Path) -> "Estimator":
    from nonfat.estimators import load

    return load(path)


def _labels(fitted: "Estimator", mode: str | None, written: list[str]) -> list[Any]:
    """Entities as the model knows them: the site 7 may be a number there, and is text here."""
    import polars as pl

    schema = fitted.fit_.schema
    if mode not in schema.modes and len(schema.modes) > 1:
        return list(written)  # the model will say what is wrong
    vocabulary = schema.vocabularies[schema.modes.index(mode) if mode in schema.modes else 0]
    codes = vocabulary.encode_text(pl.Series("entities", written))
    return [
        text if code < 0 else vocabulary.labels[code]
        for text, code in zip(written, codes, strict=True)
    ]


def _readable(found: dict[str, float | None]) -> str:
    """Scores with what they mean, and which way is better."""
    from nonfat.metrics import METRICS

    rows = [["rows", f"{found['rows']}", "", ""]]
    for name, metric in METRICS.items():
        key = name if name in found else "coverage_95"
        better = {True: "higher is better", False: "lower is better", None: ""}
        number = found[key]
        shown = "none" if number is None else f"{number:.4g}"
        rows.append([key, shown, metric.meaning, better[metric.greater_is_better]])
    texts = [max(len(row[column]) for row in rows) for column in (2, 3)]
    padded = [
        [key, number, meaning.ljust(texts[0]), way.ljust(texts[1])]
        for key, number, meaning, way in rows
    ]
    return aligned(padded)
