"""NONFAT: nonparametric factor trajectories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from nonfat.estimators.likelihoods import LikelihoodName
from nonfat.estimators.options import choice, number, whole
from nonfat.estimators.trained import Schedule, TensorEstimator
from nonfat.models import CombinerName, Recipe
from nonfat.training import DType

__all__ = ["NONFAT", "BasisName", "Preset"]

BasisName = Literal["laguerre", "spectral"]
Preset = Literal["default", "paper"]


@dataclass(frozen=True)
class _Defaults:
    """What a preset chooses where the user does not."""

    basis: BasisName
    basis_size: int | None
    embedding_size: int
    pseudo_inputs: int
    start_std: float
    schedule: Schedule


# Chosen on validation rows of the Beijing training rows: docs/decisions/0003-training.md
_PRESETS: dict[str, _Defaults] = {
    "default": _Defaults(
        basis="spectral", basis_size=None, embedding_size=3, pseudo_inputs=200, start_std=0.03,
        schedule=Schedule(steps=3200, learning_rate=0.02, warmup=0.6),
    ),
    "paper": _Defaults(
        basis="laguerre", basis_size=10, embedding_size=6, pseudo_inputs=100, start_std=1.0,
        schedule=Schedule(steps=32000, learning_rate=0.02, warmup=0.3),
    ),
}  # fmt: skip


class NONFAT(TensorEstimator):
    """Entities as trajectories in time, combined by a Gaussian process.

    Every entity of every mode has `rank` factors that move in time, each a Gaussian process given
    by its frequencies; a second Gaussian process makes the value of an entry from its entities'
    factors at that time (Wang and Zhe, ICML 2022).

    Args:
        modes: the columns of entity ids; by default all columns but time and value.
        time: the column of times: numbers, dates or datetimes.
        value: the column of values.
        rank: R, trajectories per entity.
        preset: ``"default"`` (spectral basis: sines and cosines with a Matérn spectrum and an
            offset per entity) or ``"paper"`` (the paper's model: Gauss-Laguerre basis of ten
            cosines, 100 pseudo inputs). The options that follow override it.
        basis: ``"spectral"`` or ``"laguerre"``.
        basis_size: C, functions in the basis (Laguerre: at most 100); fitted to the number of
            distinct times if None.
        embedding_size: s, numbers that describe an entity; `rank`, but at least 3 (6 for the
            paper's preset), if None.
        pseudo_inputs: a_g, of the Gaussian process that combines the factors.
        entity_pseudo_inputs: a_k, at most this many for the entities of a mode.
        horizon: Laguerre only: length of the training range in the paper's time.
        likelihood: how a value follows from its latent one: ``"gaussian"``, ``"student_t"`` (heavy
            tails), ``"poisson"`` or ``"negative_binomial"`` (counts), ``"bernoulli"`` or
            ``"probit"`` (0 or 1), or ``"auto"`` to let the values choose, with a warning that
            says what and why.
        exposure: for counts, the column of what they are counted over (hours, flights, people).
        epochs: passes over the rows; as many as make up the preset's number of steps if None.
        batch_size: rows in a step.
        learning_rate: the highest of the run.
        warmup: share of the run in which the prior gains its full weight.
        patience: epochs without a better validation score before training stops; a third of
            `epochs` if None.
        validation_fraction: share of the rows that is held out to choose the epoch.
        draws: of the trajectories in a prediction.
        dtype: ``"float32"`` or ``"float64"``.
        seed: of everything random.
        progress: whether to show a progress bar; None shows it on a terminal.

    Attributes:
        fit_: schema, scaler, model and provenance of the fit.
        history_: one record per epoch.

    Example:
        >>> import numpy as np, polars as pl
        >>> import nonfat as nf
        >>> when = np.arange(60)
        >>> table = pl.DataFrame({
        ...     "site": np.where(when % 2, "north", "south"),
        ...     "when": when,
        ...     "level": np.sin(when / 9),
        ... })
        >>> model = nf.NONFAT(modes=["site"], time="when", value="level", rank=1, epochs=5)
        >>> model.fit(table).predict(table.head(2), level=95).columns
        ['site', 'when', 'mean', 'std', 'latent_std', 'lo-95', 'hi-95', 'unseen', 'beyond']
    """

    composition = "trajectories × sparse GP"
    _combiner: ClassVar[CombinerName] = "gp"

    def __init__(
        self,
        modes: Sequence[Any] | str | None = None,
        time: Any = "time",
        value: Any = "value",
        *,
        rank: int = 5,
        preset: Preset = "default",
        basis: BasisName | None = None,
        basis_size: int | None = None,
        embedding_size: int | None = None,
        pseudo_inputs: int | None = None,
        entity_pseudo_inputs: int = 100,
        horizon: float = 20.0,
        likelihood: LikelihoodName = "gaussian",
        exposure: Any = None,
        epochs: int | None = None,
        batch_size: int = 1000,
        learning_rate: float | None = None,
        warmup: float | None = None,
        patience: int | None = None,
        validation_fraction: float = 0.1,
        draws: int = 64,
        dtype: DType = "float32",
        seed: int = 0,
        progress: bool | None = None,
    ) -> None:
        self.modes = modes
        self.time = time
        self.value = value
        self.rank = rank
        self.preset = preset
        self.basis = basis
        self.basis_size = basis_size
        self.embedding_size = embedding_size
        self.pseudo_inputs = pseudo_inputs
        self.entity_pseudo_inputs = entity_pseudo_inputs
        self.horizon = horizon
        self.likelihood = likelihood
        self.exposure = exposure
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.warmup = warmup
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.draws = draws
        self.dtype = dtype
        self.seed = seed
        self.progress = progress

    def _defaults(self) -> _Defaults:
        return _PRESETS[choice("preset", self.preset, list(_PRESETS))]

    def _schedule(self) -> Schedule:
        return self._defaults().schedule

    def _recipe(self, N: int) -> Recipe:
        defaults = self._defaults()
        R = whole("rank", self.rank)
        basis = defaults.basis if self.basis is None else self.basis
        C = defaults.basis_size if self.basis in (None, defaults.basis) else None
        C = C if self.basis_size is None else whole("basis_size", self.basis_size)
        if choice("basis", basis, ["spectral", "laguerre"]) == "laguerre":
            # beyond, the weights of the Gauss-Laguerre rule fall below the smallest float
            C = 10 if C is None else whole("basis_size", C, most=100)
        a_g = defaults.pseudo_inputs if self.pseudo_inputs is None else self.pseudo_inputs
        s = max(R, defaults.embedding_size) if self.embedding_size is None else self.embedding_size
        return Recipe(
            time=basis,
            combiner=self._combiner,
            R=R,
            s=whole("embedding_size", s),
            C=C,
            a_k=whole("entity_pseudo_inputs", self.entity_pseudo_inputs),
            a_g=min(whole("pseudo_inputs", a_g), max(N, 1)),
            horizon=number("horizon", self.horizon, above=0, below=1e6),
            start_std=defaults.start_std,
        )
