"""What every estimator does with tables: fit, predict, sample, score, show, save."""

import abc
import dataclasses
import os
from collections.abc import Sequence
from typing import Any, Self

import jax
import numpy as np
from sklearn.base import BaseEstimator

from nonfat.data import Affine, Events, random_split
from nonfat.errors import NotFittedError
from nonfat.estimators import files
from nonfat.estimators.answers import Answers, check_levels
from nonfat.estimators.engine import Engine
from nonfat.estimators.fitted import Fit, Provenance
from nonfat.estimators.options import choice, number, switch, whole
from nonfat.estimators.options import seed as check_seed
from nonfat.estimators.plots import PlotAccessor
from nonfat.estimators.reading import training_events
from nonfat.estimators.summary import describe
from nonfat.estimators.tidy import trajectory_frame
from nonfat.metrics import METRICS
from nonfat.metrics import metric as find_metric
from nonfat.models import TensorModel
from nonfat.training import ArraySource, DType, Outcome, Training, progress_bar, scoped, train

__all__ = ["TensorEstimator"]

_LEAST_HELD_OUT = 5  # with fewer validation rows than this there is nothing to stop by


class TensorEstimator(BaseEstimator, abc.ABC):
    """The common part of all estimators; see `NONFAT` for the options.

    Attributes:
        fit_: all that fitting found, as one value: schema, scaler, model and provenance.
    """

    modes: Sequence[Any] | str | None
    time: Any
    value: Any
    validation_fraction: float
    draws: int
    dtype: DType
    seed: int
    progress: bool | None

    @abc.abstractmethod
    def _training(self, N: int) -> Training:
        """How to train on N rows, from checked options."""

    @abc.abstractmethod
    def _batch_size(self) -> int:
        """Rows in a batch."""

    @abc.abstractmethod
    def _build(self, shape: tuple[int, ...], distinct_times: int, N: int) -> TensorModel:
        """The model before training, from checked options."""

    # --- fitting ------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from a table.

        Args:
            X: a pandas, polars, arrow or duckdb frame, the path of a CSV or Parquet file, or a
                2-D array whose columns are the modes, the time, and (without `y`) the value.
            y: the values, if they are not a column of the table.

        Returns:
            The estimator itself.

        Raises:
            DataError: the table cannot be used as it is.
            ConfigError: an option makes no sense.
            TrainingError: training broke down.
        """
        self._check()
        events = training_events(X, y, self.modes, self.time, self.value)
        assert events.value is not None
        scaler = Affine.learn(events.value)
        training, held_out = self._split(events)
        settings = self._training(len(training))
        distinct = len(np.unique(training.time))
        with scoped(self.dtype):
            model = self._build(events.shape, distinct, len(training))
            outcome = self._train(model, training, held_out, scaler, settings)
        provenance = Provenance.of(events, training, outcome, scaler)
        self.fit_ = Fit(events.schema, scaler, outcome.model, provenance)
        self.history_ = [dataclasses.asdict(report) for report in outcome.history]
        self.n_features_in_ = events.K + 1
        return self

    def _check(self) -> None:
        """Everything that can be wrong before the table is even opened."""
        number("validation_fraction", self.validation_fraction, above=0, below=1, closed=True)
        whole("draws", self.draws, least=2)
        check_seed(self.seed)
        switch("progress", self.progress)
        choice("dtype", self.dtype, ["float32", "float64"])
        self._training(1)
        self._batch_size()

    def _split(self, events: Events) -> tuple[Events, Events | None]:
        """Training and validation rows; no validation where there would be too few."""
        if len(events) * self.validation_fraction < _LEAST_HELD_OUT:
            return events, None
        training, held_out = random_split(events, self.validation_fraction, self.seed)
        return events.take(training), events.take(held_out)

    def _train(
        self,
        model: TensorModel,
        training: Events,
        held_out: Events | None,
        scaler: Affine,
        settings: Training,
    ) -> Outcome:
        assert training.value is not None
        source = ArraySource(
            training.codes,
            training.time.astype(self.dtype),
            scaler.apply(training.value).astype(self.dtype),
            training.shape,
            self._batch_size(),
        )

        def score(candidate: TensorModel) -> float:
            assert held_out is not None
            assert held_out.value is not None
            engine = self._engine(candidate, held_out.shape, settings.validation_draws)
            value = scaler.apply(held_out.value)
            return float(np.mean(engine.log_density(held_out.codes, held_out.time, value)))

        with progress_bar(self.progress, type(self).__name__) as tick:
            return train(model, source, settings, score if held_out else None, [tick])

    def _engine(self, model: TensorModel, shape: tuple[int, ...], draws: int) -> Engine:
        return Engine(model, shape, self.dtype, draws, self.seed)

    # --- answers ------------------------------------------------------------------------------

    def predict(self, X: Any, *, level: float | Sequence[float] | None = None) -> Any:
        """What the value would be for some entities at some times.

        Args:
            X: queries, in any form that `fit` takes; a value column is ignored.
            level: percentages of prediction intervals, such as ``[80, 95]``; they add columns
                ``lo-80``, ``hi-80``, ``lo-95``, ``hi-95``.

        Returns:
            The entities and times of the queries in their order, in their kind of frame, with
            ``mean`` and ``std`` of the observation, ``latent_std`` (of the value without noise),
            the intervals, ``unseen`` (an entity that training never saw: the answer comes from
            the prior) and ``beyond`` (a time outside the training range). For a NumPy array the
            mean alone, or with `level` a dict of arrays.
        """
        levels = check_levels(level)
        fit = self._fitted()
        queries = fit.schema.encode(X)
        columns = self._answers().columns(queries, levels)
        if queries.table.arrays:
            return columns if levels else columns["mean"]
        return queries.attach(columns)

    def sample(self, X: Any, n: int = 1, *, seed: int = 0) -> Any:
        """Joint draws of the observations: whole scenarios, not one row at a time.

        The trajectories, and the function that combines them, are the same for all rows of a
        scenario. What the sparse function leaves open, and the noise, are drawn for each row.

        Args:
            X: queries, as in `predict`.
            n: how many scenarios.
            seed: of the draws.

        Returns:
            The queries' rows once for each scenario, with the columns ``sample`` (0, 1, …) and
            ``draw``; for a NumPy array an array of n rows.
        """
        whole("n", n)
        check_seed(seed)
        fit = self._fitted()
        queries = fit.schema.encode(X)
        engine = self._answers().engine
        seeds = np.random.SeedSequence(seed).generate_state(n)
        paths = np.stack([engine.path(queries.codes, queries.time, int(s)) for s in seeds])
        draws = fit.scaler.invert(paths)
        if queries.table.arrays:
            return draws
        repeated = queries.take(np.tile(np.arange(len(queries)), n))
        sample = np.repeat(np.arange(n), len(queries))
        return repeated.attach({"sample": sample, "draw": draws.ravel()})

    def trajectories(
        self,
        mode: Any = None,
        *,
        entities: Sequence[Any] | None = None,
        times: Any = None,
        samples: int = 0,
        seed: int = 0,
    ) -> Any:
        """The factors of a mode's entities as they move.

        Args:
            mode: name of the mode; may be left out if there is only one.
            entities: which entities; all by default.
            times: at which times; by default 200 from the first to the last training time.
            samples: how many joint draws to give instead of mean and std.
            seed: of the draws.

        Returns:
            A tidy frame: ``entity``, ``factor`` (0, 1, …), ``time``, ``mean``, ``std`` (or
            ``sample`` and ``draw``) and ``beyond``, in the kind of frame that `fit` was given.
            Factors are defined up to the model's symmetries: order and sign say nothing.
        """
        whole("samples", samples, least=0)
        check_seed(seed)
        return trajectory_frame(self._fitted(), self.dtype, mode, entities, times, samples, seed)

    # --- judgement ----------------------------------------------------------------------------

    def score(self, X: Any, y: Any = None, *, metric: str = "log_likelihood") -> float:
        """How well the model predicts a table, by one metric.

        Args:
            X: a table with values.
            y: the values, if they are not a column of the table.
            metric: ``log_likelihood`` (mean log predictive density in the value's units; higher
                is better, as scikit-learn expects of the default), ``relative_rmse``, ``rmse``,
                ``mae``, ``crps`` (lower is better) or ``coverage`` (of the 95% interval).
        """
        find_metric(metric)
        events = self._fitted().schema.encode(X, need_value=True, y=y)
        return self._answers().evaluate(events, [metric])[metric]

    def evaluate(self, X: Any, y: Any = None) -> dict[str, float]:
        """All metrics of `score` for a table, and its number of rows."""
        events = self._fitted().schema.encode(X, need_value=True, y=y)
        found = self._answers().evaluate(events, list(METRICS))
        found["coverage_95"] = found.pop("coverage")
        return {"rows": len(events), **found}

    def summary(self) -> str:
        """What was fitted, in a few lines of text."""
        return describe(type(self).__name__, self._fitted())

    @property
    def plot(self) -> PlotAccessor:
        """Pictures: ``model.plot.trajectories("site")``, ``model.plot.predictions(...)``."""
        self._fitted()
        return PlotAccessor(self)

    # --- keeping ------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the fitted model to one file (JSON and safetensors; no code in it).

        Args:
            path: the file; its folder must exist.
            overwrite: whether an existing file may be replaced.

        Raises:
            ModelFileError: the file exists, or cannot be written.
        """
        fit = self._fitted()
        files.check(self._skeleton(fit.schema.shape, fit.provenance), fit.model)
        files.save(type(self).__name__, self.get_params(deep=False), fit, path, overwrite)

    def _restore(self, manifest: files.Manifest, arrays: files.Arrays) -> None:
        """Become the fitted model that was read from a file."""
        facts = files.facts(manifest)
        skeleton = self._skeleton(facts.schema.shape, facts.provenance)
        with scoped(self.dtype):
            model = files.fill(skeleton, arrays, facts.statics)
        self.fit_ = files.fit(facts, model)
        self.n_features_in_ = len(facts.schema.modes) + 1

    def _skeleton(self, shape: tuple[int, ...], of: Provenance) -> TensorModel:
        """The model that the options describe, with shapes in the place of numbers."""
        self._check()
        sizes = shape, of.distinct_times, of.training_rows
        with scoped(self.dtype):
            skeleton: TensorModel = jax.eval_shape(lambda: self._build(*sizes))
        return skeleton

    def _answers(self) -> Answers:
        fit = self._fitted()
        whole("draws", self.draws, least=2)
        return Answers(self._engine(fit.model, fit.schema.shape, self.draws), fit.scaler)

    def _fitted(self) -> Fit:
        if not hasattr(self, "fit_"):
            raise NotFittedError(
                f"this {type(self).__name__} is not fitted yet; call fit(table) first, "
                "or read a saved model with nonfat.load(path)"
            )
        fit: Fit = self.fit_
        return fit
