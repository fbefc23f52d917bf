"""What a benchmark runs: suites by name, and the names that choose methods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from nonfat.errors import ConfigError
from nonfat.estimators.base import Kind
from nonfat.estimators.catalogue import methods, spelt
from nonfat.estimators.options import choice

__all__ = ["SUITES", "Contender", "Suite", "contenders", "suite"]

_PRESETS: dict[str, tuple[str, dict[str, Any]]] = {
    "NONFAT-paper": ("NONFAT", {"preset": "paper"}),
}
"""Names that stand for an estimator with options."""


@dataclass(frozen=True)
class Suite:
    """One table of results: a split of a dataset, and how methods are run on it.

    Attributes:
        name: what users type.
        dataset: a key of `nonfat.evaluation.datasets.DATASETS`.
        fold: the split.
        rank: R of the methods that have one.
        protocol: "honest": every choice is made on a validation part of the training rows, and
            the test rows are looked at once.
        methods: names as `contenders` takes them.
        skips: what "all" and "references" leave out here, because it cannot be run.
        note: what a reader of the table has to know of the data.
    """

    name: str
    dataset: str
    fold: int = 0
    rank: int = 5
    protocol: Literal["honest"] = "honest"
    methods: tuple[str, ...] = ("all",)
    skips: frozenset[str] = frozenset()
    note: str = ""


SUITES: dict[str, Suite] = {
    entry.name: entry
    for entry in (
        Suite(
            "beijing-quick",
            "beijing",
            note="The five published folds of this dataset are one and the same split.",
        ),
        Suite("ctr10k-quick", "ctr10k"),
        Suite(
            "dblp-quick",
            "dblp",
            skips=frozenset({"MultiOutputGP"}),  # exact: its cost is N³, and N is 40,000
            note="97% of the values of this dataset are 1, so that a constant does well.",
        ),
    )
}
"""Every suite that a user can ask for by name."""


def suite(name: str) -> Suite:
    """Look a suite up by name.

    Raises:
        ConfigError: no suite has this name.

    Example:
        >>> suite("beijing-quick").rank
        5
        >>> suite("bejing-quick")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: suite must be one of 'beijing-quick', 'ctr10k-quick', \
'dblp-quick', got 'bejing-quick'; did you mean 'beijing-quick'?
    """
    return SUITES[choice("suite", name, list(SUITES))]


@dataclass(frozen=True)
class Contender:
    """One row of a table: an estimator with options, under a name.

    Attributes:
        name: of the row.
        estimator: a key of the registry of estimators.
        kind: "method" or "reference".
        composition: time representation × combiner.
        options: that belong to the name.
    """

    name: str
    estimator: str
    kind: Kind
    composition: str
    options: Mapping[str, Any] = field(default_factory=dict)


def contenders(names: Sequence[str], skips: frozenset[str] = frozenset()) -> list[Contender]:
    """Who runs: methods first, then references, each once.

    Args:
        names: of estimators, whatever their case, or ``"all"``, ``"references"``, or
            ``"NONFAT-paper"`` (NONFAT with the paper's settings).
        skips: left out unless they are named themselves.

    Raises:
        ConfigError: a name is unknown.

    Example:
        >>> [(row.name, dict(row.options)) for row in contenders(["nonfat-PAPER", "NONFAT"])]
        [('NONFAT', {}), ('NONFAT-paper', {'preset': 'paper'})]
    """
    known = _known()
    wanted: set[str] = set()
    for name in names:
        if name.casefold() == "all":
            wanted |= set(known) - skips
        elif name.casefold() == "references":
            wanted |= {key for key, row in known.items() if row.kind == "reference"} - skips
        else:
            wanted.add(spelt(name, list(known)))
    if not wanted:
        raise ConfigError(f"no method is left to run of {', '.join(map(repr, names)) or 'none'}")
    return [row for key, row in known.items() if key in wanted]


def _known() -> dict[str, Contender]:
    """All estimators and presets, each preset after its estimator."""
    rows: dict[str, Contender] = {}
    for entry in methods():
        presets = {key: options for key, (of, options) in _PRESETS.items() if of == entry.name}
        for name, options in {entry.name: {}, **presets}.items():
            rows[name] = Contender(name, entry.name, entry.kind, entry.composition, options)
    return rows
