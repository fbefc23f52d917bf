"""What every estimator does with tables: fit, predict, sample, score, show, save."""

import abc
import os
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from nonfat.data import Events
from nonfat.errors import ConfigError, NotFittedError
from nonfat.estimators import files
from nonfat.estimators.answers import Answers, check_levels
from nonfat.estimators.fitted import Fit
from nonfat.estimators.options import seed as check_seed
from nonfat.estimators.options import whole
from nonfat.estimators.plots import PlotAccessor
from nonfat.estimators.predictor import Predictor
from nonfat.estimators.reading import training_events
from nonfat.estimators.summary import describe
from nonfat.metrics import METRICS
from nonfat.metrics import metric as find_metric

__all__ = ["Estimator", "Kind"]

Kind = Literal["method", "reference"]


class Estimator(BaseEstimator, abc.ABC):
    """Tables in, tables out: the part that trained models and plain references share.

    Attributes:
        kind: ``"method"``, or ``"reference"`` for a plain predictor that methods are held against.
        composition: time representation and combiner, such as "continuous time × CP"; empty if
            the estimator is not made of these.
        fit_: all that fitting found, as one value: schema, scaler, model and provenance.
    """

    kind: ClassVar[Kind] = "method"
    composition: ClassVar[str] = ""
    modes: Sequence[Any] | str | None
    time: Any
    value: Any
    exposure: Any = None

    @abc.abstractmethod
    def _check(self) -> None:
        """Everything that can be wrong before the table is even opened."""

    @abc.abstractmethod
    def _learn(self, events: Events) -> Fit[Any]:
        """All that fitting finds, from checked options."""

    @abc.abstractmethod
    def _predictor(self, fit: Fit[Any]) -> Predictor:
        """What answers for the fitted model."""

    @abc.abstractmethod
    def _story(self, fit: Fit[Any]) -> list[str]:
        """Lines of the summary on what was learned."""

    @abc.abstractmethod
    def _contents(self, fit: Fit[Any]) -> files.Contents:
        """The model as a file holds it."""

    @abc.abstractmethod
    def _restored(self, manifest: files.Manifest, arrays: files.Arrays) -> Fit[Any]:
        """The fit that was read from a file; inverse of `_contents`."""

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
        columns = {"modes": self.modes, "time": self.time, "value": self.value}
        events = training_events(X, y, **columns, exposure=self.exposure)
        self.fit_ = self._learn(events)
        self.n_features_in_ = events.K + 1
        return self

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

        What the method is unsure about (trajectories, means of cells, ...) is the same for all
        rows of a scenario; the noise is drawn for each row.

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
        predictor = self._answers().predictor
        seeds = np.random.SeedSequence(seed).generate_state(n)
        paths = np.stack([predictor.path(queries, int(s)) for s in seeds])
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
        return self._moving(self._fitted(), mode, entities, times, samples, seed)

    def _moving(self, *_: Any) -> Any:
        """`trajectories` of a fit; for methods that have some."""
        raise ConfigError("only methods whose entities have trajectories can show them")

    # --- judgement ----------------------------------------------------------------------------

    def score(self, X: Any, y: Any = None, *, metric: str = "log_likelihood") -> float:
        """How well the model predicts a table, by one metric.

        Args:
            X: a table with values.
            y: the values, if they are not a column of the table.
            metric: ``log_likelihood`` (mean log predictive density in the value's units; higher
                is better, as scikit-learn expects of the default), ``relative_rmse``, ``rmse``,
                ``mae``, ``crps`` (lower is better) or ``coverage_95`` (of the 95% interval).
        """
        name = find_metric(metric).name
        events = self._fitted().schema.encode(X, need_value=True, y=y)
        found = self._answers().evaluate(events, [name])[name]
        if found is None:
            raise ConfigError(
                f"{metric} says nothing of binary values: no 0 or 1 lies in an interval of its "
                "probability; use metric='log_likelihood'"
            )
        return found

    def evaluate(self, X: Any, y: Any = None) -> dict[str, float | None]:
        """All metrics of `score` for a table, and its number of rows.

        Binary values have no coverage (None): their intervals are of the probability.
        """
        events = self._fitted().schema.encode(X, need_value=True, y=y)
        found = self._answers().evaluate(events, list(METRICS))
        found["coverage_95"] = found.pop("coverage")
        return {"rows": len(events), **found}

    def summary(self) -> str:
        """What was fitted, in a few lines of text."""
        fit = self._fitted()
        return describe(type(self).__name__, fit, self._story(fit))

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
        contents = self._contents(fit)
        params = self.get_params(deep=False)
        files.save(type(self).__name__, params, fit, contents, path, overwrite)

    def _restore(self, manifest: files.Manifest, arrays: files.Arrays) -> None:
        """Become the fitted model that was read from a file."""
        self.fit_ = self._restored(manifest, arrays)
        self.n_features_in_ = len(self.fit_.schema.modes) + 1

    def _answers(self) -> Answers:
        fit = self._fitted()
        return Answers(self._predictor(fit), fit.scaler)

    def _fitted(self) -> Fit[Any]:
        if not hasattr(self, "fit_"):
            raise NotFittedError(
                f"this {type(self).__name__} is not fitted yet; call fit(table) first, "
                "or read a saved model with nonfat.load(path)"
            )
        fit: Fit[Any] = self.fit_
        return fit
