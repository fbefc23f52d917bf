"""Grids of benchmark cells: what a command line names, written out one cell at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from nonfat.errors import ConfigError
from nonfat.estimators.options import choice, whole
from nonfat.estimators.options import seed as check_seed
from nonfat.evaluation.datasets import DATASETS
from nonfat.evaluation.protocols import protocol
from nonfat.evaluation.suites import Contender, contenders

__all__ = ["GRIDS", "RANKS", "Cell", "Grid", "cells", "grid"]

RANKS = (2, 3, 5, 7)
"""The paper's numbers of trajectories."""

# In the order of the paper's tables; NONFAT with our own settings is beside the paper's.
_ROWS = ("NONFAT-paper", "NONFAT", "CPCT", "GPCT", "NNCT", "GPDTL", "NNDTL", "GPDTN", "NNDTN")
_EXACT = frozenset({"MultiOutputGP"})  # its cost is N³
# of N = 40,000 rows
_SKIPS = dict.fromkeys(
    ("dblp", "dblp-one-file", "dblp-prepared", "mobile-ads", "mobile-ads-prepared"), _EXACT
)


@dataclass(frozen=True)
class Cell:
    """One fit and its judgement; the smallest piece of a benchmark.

    Attributes:
        dataset: a key of `nonfat.evaluation.datasets.DATASETS`.
        fold: of the dataset.
        protocol: a key of `nonfat.evaluation.protocols.PROTOCOLS`.
        part: of the protocol.
        method: as `nonfat.evaluation.suites.contenders` takes it.
        rank: R; None for references, which keep their own.
        seed: of the fit.
        epochs: at most this many; None leaves it to the method.
    """

    dataset: str
    fold: int
    protocol: str
    part: str
    method: str
    rank: int | None
    seed: int
    epochs: int | None = None

    @property
    def key(self) -> str:
        """The cell as the name of a file.

        Example:
            >>> Cell("beijing", 0, "forecast", "last-10%", "NONFAT", 3, 0).key
            'beijing.fold0.forecast.last-10pc.NONFAT.R3.seed0'
        """
        parts = [self.dataset, f"fold{self.fold}", self.protocol, self.part.replace("%", "pc")]
        parts += [self.method, f"R{self.rank}" if self.rank else "", f"seed{self.seed}"]
        parts.append(f"epochs{self.epochs}" if self.epochs else "")
        return ".".join(filter(None, parts))

    def as_tree(self) -> dict[str, Any]:
        """The cell as JSON writes it."""
        return asdict(self)


@dataclass(frozen=True)
class Grid:
    """What is run: every combination of these.

    Attributes:
        datasets: keys of `nonfat.evaluation.datasets.DATASETS`.
        methods: as `nonfat.evaluation.suites.contenders` takes them.
        ranks: R of the methods that have one.
        folds: of each dataset; None stands for `own_folds`.
        seeds: of the fits; None stands for `own_seeds`.
        protocols: keys of `nonfat.evaluation.protocols.PROTOCOLS`.
        epochs: at most this many for methods that train; None leaves it to them.
        own_folds: by dataset, where it is not fold 0 alone.
        own_seeds: by dataset, where it is not seed 0 alone.
    """

    datasets: tuple[str, ...] = ("beijing",)
    methods: tuple[str, ...] = ("all",)
    ranks: tuple[int, ...] = RANKS
    folds: tuple[int, ...] | None = None
    seeds: tuple[int, ...] | None = None
    protocols: tuple[str, ...] = ("paper", "honest")
    epochs: int | None = None
    own_folds: dict[str, tuple[int, ...]] = field(default_factory=dict)
    own_seeds: dict[str, tuple[int, ...]] = field(default_factory=dict)


_FIVE = tuple(range(5))
_OWN: dict[str, Any] = {
    # The five published folds of Beijing are one and the same: its runs differ by their seeds.
    "own_folds": {name: _FIVE for name in DATASETS if name != "beijing"},
    "own_seeds": {"beijing": _FIVE},
}
GRIDS: dict[str, Grid] = {
    "paper": Grid(("beijing", "dblp", "ctr10k"), (*_ROWS, "references"), **_OWN),
    "robust": Grid(
        methods=("NONFAT", "NONFAT-paper", "GPCT", "references"),
        ranks=(3,),
        protocols=("resplit", "forecast", "cold-cell", "learning-curve"),
    ),
}
"""Grids by name: ``paper`` is its two tables, ``robust`` is what they do not ask."""


def grid(name: str) -> Grid:
    """Look a grid up by name.

    Raises:
        ConfigError: there is none of this name.

    Example:
        >>> grid("paper").ranks
        (2, 3, 5, 7)
    """
    return GRIDS[choice("suite", name, list(GRIDS))]


def cells(grid: Grid) -> list[Cell]:
    """All cells of a grid, each once: references first, as every table needs them.

    References have no rank and nothing random, and no epochs to choose from: they run once for
    a split, and the protocol that looks while others train is the honest one to them.

    Raises:
        ConfigError: a name is unknown, or a number makes no sense.

    Example:
        >>> [cell.key for cell in cells(Grid(methods=("NONFAT", "CellMean"), ranks=(3,)))]
        ['beijing.fold0.honest.published.CellMean.seed0',
         'beijing.fold0.paper.published.NONFAT.R3.seed0',
         'beijing.fold0.honest.published.NONFAT.R3.seed0']
    """
    _check(grid)
    found: dict[Cell, bool] = {}
    for dataset in grid.datasets:
        rows = contenders(grid.methods, _SKIPS.get(dataset, frozenset()))
        for row in rows:
            found |= dict.fromkeys(_of(grid, dataset, row), row.kind == "reference")
    return sorted(found, key=lambda cell: not found[cell])


def _of(grid: Grid, dataset: str, row: Contender) -> Iterator[Cell]:
    """The cells of one method on one dataset."""
    reference = row.kind == "reference"
    folds = grid.folds or grid.own_folds.get(dataset, (0,))
    seeds = (0,) if reference else grid.seeds or grid.own_seeds.get(dataset, (0,))
    ranks: Sequence[int | None] = (None,) if reference else grid.ranks
    epochs = None if reference else grid.epochs
    for name in grid.protocols:
        chosen = protocol("honest" if reference and protocol(name).looks else name)
        for fold in folds[:1] if chosen.pools else folds:
            for part in chosen.parts:
                for rank in ranks:
                    for seed in seeds:
                        yield Cell(
                            *(dataset, fold, chosen.name, part, row.name, rank, seed, epochs)
                        )


def _check(grid: Grid) -> None:
    for dataset in grid.datasets:
        choice("dataset", dataset, list(DATASETS))
    for name in grid.protocols:
        protocol(name)
    for rank in grid.ranks:
        whole("rank", rank)
    for seed in grid.seeds or ():
        check_seed(seed)
    for fold in grid.folds or ():
        whole("fold", fold, least=0)
    if grid.epochs is not None:
        whole("epochs", grid.epochs)
    empty = [name for name in ("datasets", "ranks", "protocols") if not getattr(grid, name)]
    if empty:
        raise ConfigError(f"{empty[0]}: name one or more")
