"""``nonfat methods``: what ``--method`` can name."""

import dataclasses

import typer

from nonfat.cli.options import Json
from nonfat.cli.output import aligned, print_json

__all__ = ["methods"]


def methods(as_json: Json = False) -> None:
    """List the methods and the plain references that they are held against."""
    from nonfat.estimators import catalogue

    found = catalogue.methods()
    if as_json:
        print_json({"methods": [dataclasses.asdict(method) for method in found]})
        return
    rows = [[method.name, method.composition or method.kind, method.summary] for method in found]
    typer.echo(aligned(rows, left=3))
