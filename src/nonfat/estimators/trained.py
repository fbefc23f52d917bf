"""Estimators that train a model of trajectories by gradients."""

import abc
import dataclasses
from collections.abc import Callable
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Int32

from nonfat.data import Affine, Events, Schema, random_split
from nonfat.estimators import files
from nonfat.estimators.answers import Answers
from nonfat.estimators.base import Estimator
from nonfat.estimators.engine import Engine, log_exposure
from nonfat.estimators.fitted import Fit, Provenance
from nonfat.estimators.likelihoods import (
    LIKELIHOODS,
    LikelihoodName,
    choose_likelihood,
    make_likelihood,
    make_scaler,
)
from nonfat.estimators.options import choice, number, switch, whole
from nonfat.estimators.options import seed as check_seed
from nonfat.estimators.summary import training_story
from nonfat.estimators.tidy import trajectory_frame
from nonfat.likelihoods import Likelihood
from nonfat.models import Recipe, TensorModel, compose
from nonfat.training import (
    ArraySource,
    DType,
    EpochReport,
    Outcome,
    Training,
    Watch,
    progress_bar,
    scoped,
    train,
)

__all__ = ["Observer", "Schedule", "TensorEstimator"]

Observer = Callable[[EpochReport, Answers, Schema], None]
"""Sees what the model of each epoch would answer; for benchmarks that look at test rows."""

_LEAST_HELD_OUT = 5  # with fewer validation rows than this there is nothing to stop by
_FEWEST_EPOCHS, _MOST_EPOCHS = 20, 5000


@dataclasses.dataclass(frozen=True)
class Schedule:
    """What a method chooses for its training.

    Attributes:
        steps: of the optimiser; as many epochs as make them up.
        learning_rate: the highest of the run.
        warmup: share of the run in which the prior gains its full weight.
    """

    steps: int
    learning_rate: float
    warmup: float


class TensorEstimator(Estimator):
    """The common part of all estimators that are trained; see `NONFAT` for the options.

    Attributes:
        fit_: all that fitting found, as one value: schema, scaler, model and provenance.
        history_: one record per epoch.
    """

    likelihood: LikelihoodName
    rank: int
    epochs: int | None
    batch_size: int
    learning_rate: float | None
    warmup: float | None
    patience: int | None
    validation_fraction: float
    draws: int
    dtype: DType
    seed: int
    progress: bool | None

    @abc.abstractmethod
    def _schedule(self) -> Schedule:
        """How to train where the user does not say."""

    @abc.abstractmethod
    def _recipe(self, N: int) -> Recipe:
        """The parts of the model and their sizes for N rows, from checked options."""

    _observer: Observer | None = None

    # --- fitting ------------------------------------------------------------------------------

    def _fit_observed(self, X: Any, observer: Observer) -> Self:
        """`fit` with someone who looks on; it comes to the same model."""
        self._observer = observer
        try:
            return self.fit(X)
        finally:
            del self._observer

    def _watch(self, events: Events, scaler: Affine) -> Watch | None:
        """What the training loop calls for the observer, if there is one."""
        observer = self._observer
        if observer is None:
            return None

        def watch(model: TensorModel, report: EpochReport) -> None:
            engine = self._engine(model, events.shape, self.draws)
            observer(report, Answers(engine, scaler), events.schema)

        return watch

    def _learn(self, events: Events) -> Fit[TensorModel]:
        assert events.value is not None
        chosen = choose_likelihood(self.likelihood, events)
        scaler = make_scaler(chosen.name, events.value)
        training, held_out = self._split(events)
        settings = self._training(len(training))
        distinct = len(np.unique(training.time))
        with scoped(self.dtype):
            values = scaler.apply(events.value)
            dtype = jnp.dtype(self.dtype)
            likelihood = make_likelihood(chosen.name, values, dtype, events.exposure)
            model = self._build(likelihood, events.shape, distinct, len(training))
            watch = self._watch(events, scaler)
            outcome = self._train(model, training, held_out, scaler, settings, watch)
        provenance = Provenance.of(events, training, outcome, scaler, chosen)
        self.history_ = [dataclasses.asdict(report) for report in outcome.history]
        return Fit(events.schema, scaler, outcome.model, provenance)

    def _check(self) -> None:
        """Everything that can be wrong before the table is even opened."""
        number("validation_fraction", self.validation_fraction, above=0, below=1, closed=True)
        whole("draws", self.draws, least=2)
        check_seed(self.seed)
        switch("progress", self.progress)
        choice("dtype", self.dtype, ["float32", "float64"])
        choice("likelihood", self.likelihood, ["auto", *LIKELIHOODS])
        self._recipe(1)
        self._training(1)

    def _batch_size(self) -> int:
        return whole("batch_size", self.batch_size)

    def _training(self, N: int) -> Training:
        """How to train on N rows, from checked options."""
        chosen = self._schedule()
        steps_per_epoch = -(-N // self._batch_size())
        epochs = self.epochs
        if epochs is None:
            epochs = min(max(chosen.steps // steps_per_epoch, _FEWEST_EPOCHS), _MOST_EPOCHS)
        epochs = whole("epochs", epochs)
        rate = chosen.learning_rate if self.learning_rate is None else self.learning_rate
        warmup = chosen.warmup if self.warmup is None else self.warmup
        return Training(
            epochs=epochs,
            learning_rate=number("learning_rate", rate, above=0, below=1),
            warmup=number("warmup", warmup, above=0, below=1.000001, closed=True),
            patience=whole("patience", -(-epochs // 3) if self.patience is None else self.patience),
            seed=check_seed(self.seed),
        )

    def _build(
        self, likelihood: Likelihood, shape: tuple[int, ...], distinct_times: int, N: int
    ) -> TensorModel:
        """The model before training, from checked options."""
        key, dtype = jax.random.key(self.seed), jnp.dtype(self.dtype)
        return compose(self._recipe(N), likelihood, shape, distinct_times, key, dtype)

    def _split(self, events: Events) -> tuple[Events, Events | None]:
        """Training and validation rows; no validation where there would be too few.

        Every entity has a row to train on: its predictions say that it is known.
        """
        if len(events) * self.validation_fraction < _LEAST_HELD_OUT:
            return events, None
        training, held_out = random_split(events, self.validation_fraction, self.seed)
        lost = _orphans(events.codes[training], events.codes[held_out])
        if len(held_out) - lost.sum() < _LEAST_HELD_OUT:
            return events, None
        training = np.sort(np.append(training, held_out[lost]))
        return events.take(training), events.take(held_out[~lost])

    def _train(
        self,
        model: TensorModel,
        training: Events,
        held_out: Events | None,
        scaler: Affine,
        settings: Training,
        watch: Watch | None = None,
    ) -> Outcome:
        assert training.value is not None
        source = ArraySource(
            training.codes,
            training.time.astype(self.dtype),
            scaler.apply(training.value).astype(self.dtype),
            training.shape,
            self._batch_size(),
            offset=log_exposure(training).astype(self.dtype),
        )

        def score(candidate: TensorModel) -> float:
            assert held_out is not None
            assert held_out.value is not None
            engine = self._engine(candidate, held_out.shape, settings.validation_draws)
            value = scaler.apply(held_out.value)
            return float(np.mean(engine.log_density(held_out, value)))

        with progress_bar(self.progress, type(self).__name__) as tick:
            return train(model, source, settings, score if held_out else None, [tick], watch)

    # --- answers ------------------------------------------------------------------------------

    def _engine(self, model: TensorModel, shape: tuple[int, ...], draws: int) -> Engine:
        return Engine(model, shape, self.dtype, draws, self.seed)

    def _predictor(self, fit: Fit[TensorModel]) -> Engine:
        whole("draws", self.draws, least=2)
        return self._engine(fit.model, fit.schema.shape, self.draws)

    def _moving(self, fit: Fit[TensorModel], *asked: Any) -> Any:
        return trajectory_frame(fit, self.dtype, *asked)

    def _story(self, fit: Fit[TensorModel]) -> list[str]:
        return training_story(fit)

    # --- keeping ------------------------------------------------------------------------------

    def _contents(self, fit: Fit[TensorModel]) -> files.Contents:
        assert isinstance(fit.provenance, Provenance)
        files.check(self._skeleton(fit.schema.shape, fit.provenance), fit.model)
        return files.contents(fit.model)

    def _restored(self, manifest: files.Manifest, arrays: files.Arrays) -> Fit[TensorModel]:
        facts = files.facts(manifest, Provenance)
        skeleton = self._skeleton(facts.schema.shape, facts.provenance)
        with scoped(self.dtype):
            model = files.fill(skeleton, arrays, facts.statics)
        return Fit(facts.schema, facts.scaler, model, facts.provenance)

    def _skeleton(self, shape: tuple[int, ...], of: Provenance) -> TensorModel:
        """The model that the options describe, with shapes in the place of numbers."""
        self._check()
        sizes = shape, of.distinct_times, of.training_rows
        dtype = jnp.dtype(self.dtype)

        def build() -> TensorModel:
            return self._build(make_likelihood(of.likelihood, np.ones(1), dtype), *sizes)

        with scoped(self.dtype):
            skeleton: TensorModel = jax.eval_shape(build)
        return skeleton


def _orphans(
    training: Int32[np.ndarray, "A K"], held_out: Int32[np.ndarray, "B K"]
) -> Bool[np.ndarray, "B"]:
    """Which held-out rows have an entity without a training row.

    Example:
        >>> _orphans(np.array([[0, 0], [1, 0]]), np.array([[1, 0], [1, 2], [3, 0]])).tolist()
        [False, True, True]
    """
    pairs = zip(held_out.T, training.T, strict=True)
    return np.any([~np.isin(ours, theirs) for ours, theirs in pairs], axis=0)
