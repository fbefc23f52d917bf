"""Records of benchmark cells: one JSON file each, whole or not there at all, or a pack of them."""

import json
import math
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from nonfat.errors import ConfigError, DataError
from nonfat.estimators.base import Kind
from nonfat.evaluation.grids import Cell

__all__ = [
    "PACK",
    "Result",
    "model_path",
    "read_all",
    "read_result",
    "record_path",
    "write_pack",
    "write_result",
]

FORMAT = 1

PACK = "records.jsonl"
"""Many records in one file, in a folder where tables look for them."""

_DAMAGED = (OSError, ValueError, KeyError, TypeError, AttributeError)


@dataclass(frozen=True)
class Result:
    """What came of one cell.

    Attributes:
        cell: what was run.
        kind: "method" or "reference".
        status: "done", or "failed" if there are no scores.
        scores: by name, on the test rows, from the one look at the end.
        pit: counts of test values by the tenth of their predictive distribution they fall in.
        oracle: under a protocol that looks: the best look for each score, ``value`` and ``epoch``.
        looks: all of them: ``epoch``, ``seconds`` of training before it, and scores.
        seconds: of fitting, without the looks.
        wall_seconds: of the whole cell.
        peak_mb: most memory that the process held meanwhile; None where the system cannot tell.
        train_rows: learnt from.
        test_rows: judged by.
        data: digest of those rows.
        epochs: that were run.
        best_epoch: whose model was kept.
        composition: time representation × combiner.
        options: of the estimator, all of them.
        error: why it failed.
        provenance: versions, commit, machine, command, date.
    """

    cell: Cell
    kind: Kind
    status: Literal["done", "failed"]
    scores: dict[str, float | None] = field(default_factory=dict)
    pit: list[int] | None = None
    oracle: dict[str, dict[str, float | None]] = field(default_factory=dict)
    looks: list[dict[str, float | None]] = field(default_factory=list)
    seconds: float | None = None
    wall_seconds: float | None = None
    peak_mb: float | None = None
    train_rows: int | None = None
    test_rows: int | None = None
    data: str | None = None
    epochs: int | None = None
    best_epoch: int | None = None
    composition: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    error: str | None = None
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether there is nothing but an error."""
        return self.status == "failed"


def record_path(out: Path, cell: Cell) -> Path:
    """Where a cell's record lies.

    Example:
        >>> record_path(Path("r"), Cell("dblp", 1, "honest", "published", "CellMean", None, 0)).name
        'dblp.fold1.honest.published.CellMean.seed0.json'
    """
    return out / "cells" / f"{cell.key}.json"


def model_path(out: Path, cell: Cell) -> Path:
    """Where a cell's model lies, if it was kept."""
    return out / "models" / f"{cell.key}.nonfat"


def write_result(out: Path, result: Result) -> Path:
    """Write a record so that a crash at any instant leaves it whole or absent."""
    path = record_path(out, result.cell)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    text = _text(result, indent=1)
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def read_result(path: Path) -> Result:
    """Read a record.

    Raises:
        DataError: the file is no record of this version.
    """
    try:
        return _parsed(path.read_text(encoding="utf-8"))
    except _DAMAGED as error:
        raise DataError(
            f"{path} is not the record of a benchmark cell ({error}); delete it to run it again"
        ) from error


def _text(result: Result, indent: int | None = None) -> str:
    """Inverse of `_parsed`."""
    tree = {"format": FORMAT, **_plain(asdict(result))}
    return json.dumps(tree, indent=indent, allow_nan=False)


def _parsed(text: str) -> Result:
    tree = json.loads(text)
    if tree.pop("format") != FORMAT:
        raise ValueError("of another version")
    tree["cell"] = Cell(**tree["cell"])
    tree["scores"] = {name: _number(score) for name, score in tree["scores"].items()}
    for look in [*tree["oracle"].values(), *tree["looks"]]:
        look |= {name: _number(score) for name, score in look.items()}
    return Result(**tree)


def write_pack(path: Path, results: Iterable[Result]) -> None:
    """Write records to one file, a line each, without their looks, which are most of them.

    A pack is for others to read, so paths in commands are cut to their last part.

    Args:
        path: of the file; `read_all` finds it in its folder if it is called ``records.jsonl``.
        results: in any order.
    """
    lines = []
    for result in sorted(results, key=lambda result: result.cell.key):
        origin = {**result.provenance, "command": _portable(result.provenance.get("command", ""))}
        lines.append(_text(replace(result, looks=[], provenance=origin)))
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _portable(command: str) -> str:
    """A command without the folders of whoever typed it.

    Example:
        >>> _portable("nonfat bench run --data /home/me/data --out r")
        'nonfat bench run --data data --out r'
    """
    words = command.split(" ")
    return " ".join(Path(word).name if Path(word).is_absolute() else word for word in words)


def _read_pack(path: Path) -> list[Result]:
    try:
        return [_parsed(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except _DAMAGED as error:
        raise DataError(
            f"{path} does not hold records of benchmark cells ({error}); pack them again"
        ) from error


def read_all(out: Path) -> list[Result]:
    """All records of a folder, by name: its cells, and those of a pack that lies there.

    Raises:
        ConfigError: the folder holds none.
        DataError: one of them cannot be read.

    Example:
        >>> read_all(Path("nowhere"))
        Traceback (most recent call last):
        nonfat.errors.ConfigError: nowhere holds no benchmark records; make some with 'nonfat \
bench run --out nowhere'
    """
    pack = out / PACK
    packed = _read_pack(pack) if pack.is_file() else []
    cells = [read_result(path) for path in (out / "cells").glob("[!.]*.json")]
    found = {result.cell.key: result for result in [*packed, *cells]}
    if not found:
        raise ConfigError(
            f"{out} holds no benchmark records; make some with 'nonfat bench run --out {out}'"
        )
    return [found[key] for key in sorted(found)]


def _plain(tree: Any) -> Any:
    """The tree as JSON can hold it: infinities by name, what it does not know as text."""
    if isinstance(tree, dict):
        return {str(name): _plain(value) for name, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_plain(value) for value in tree]
    if isinstance(tree, float) and not math.isfinite(tree):
        return None if math.isnan(tree) else str(tree)
    return tree if isinstance(tree, str | int | float | bool | None) else str(tree)


def _number(value: Any) -> float | None:
    return float(value) if value in ("inf", "-inf") else value
