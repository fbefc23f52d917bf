"""What the references share: a Gaussian answer for each row, and its way into a file."""

import abc
import dataclasses
import time as clock
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float, Float64, Int
from scipy.special import ndtri

from nonfat._typing import Codes, Values
from nonfat.data import Affine, Events
from nonfat.errors import ModelFileError
from nonfat.estimators import files
from nonfat.estimators.base import Estimator
from nonfat.estimators.finite import require_finite
from nonfat.estimators.fitted import Fit, Origin
from nonfat.estimators.options import seed as check_seed
from nonfat.likelihoods import Observes

__all__ = ["PRIOR_VARIANCE", "GaussianPredictor", "ReferenceEstimator", "Rule", "Scenario"]

PRIOR_VARIANCE = 0.1
"""A tenth of the variance of all values, worth one row: keeps fitted variances above zero."""

_ROWS, _DRAWS = 8192, 64

Scenario = Callable[[np.random.Generator], Float64[np.ndarray, "B"]]
"""From a source of random numbers to one joint draw of the latent values of some rows."""


class Rule(abc.ABC):
    """A fitted reference in scaled units; a frozen dataclass whose fields are arrays.

    Attributes:
        noise: variance of an observation around its latent value.
    """

    noise: Float64[np.ndarray, ""]

    @abc.abstractmethod
    def moments(
        self, codes: Int[np.ndarray, "B K"], time: Float[np.ndarray, "B"]
    ) -> tuple[Float64[np.ndarray, "B"], Float64[np.ndarray, "B"]]:
        """Mean of the latent value of each row, and the variance of that mean's error."""

    @abc.abstractmethod
    def scenario(self, codes: Int[np.ndarray, "B K"], time: Float[np.ndarray, "B"]) -> Scenario:
        """Joint draws whose marginals are those of `moments`."""

    def arrays(self) -> dict[str, np.ndarray]:
        """The rule as a file holds it."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_arrays(cls, arrays: files.Arrays) -> Self:
        """Inverse of `arrays`.

        Raises:
            ModelFileError: these are not this rule's arrays.
        """
        expected = {field.name: field.type for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        if odd := sorted(set(expected) ^ set(arrays)):
            raise ModelFileError(
                f"the file's arrays do not fit its own settings (first difference: {odd[0]}); "
                "it was written by another version of nonfat, or altered"
            )
        for name, kind in expected.items():
            if not isinstance(arrays[name], kind):  # type: ignore[arg-type]
                raise ModelFileError(
                    f"the file's array {name} is {arrays[name].dtype} of {arrays[name].ndim} "
                    f"dimensions, expected {kind.dtypes[0]} of {len(kind.dims)}; it was written "  # type: ignore[union-attr]
                    "by another version of nonfat"
                )
        return cls(**arrays)


class GaussianPredictor:
    """Answers of a rule: a normal distribution for each row.

    Args:
        rule: that was fitted.
        seed: of the draws that scores are computed from.
    """

    observes: Observes = "real"

    def __init__(self, rule: Rule, seed: int) -> None:
        self._rule = rule
        self._seed = seed
        self._last: tuple[Events, Scenario] | None = None

    def _moments(self, events: Events) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean, deviation of the latent value, deviation of the observation."""
        mean, variance = self._rule.moments(events.codes, events.time)
        latent, std = np.sqrt(variance), np.sqrt(variance + self._rule.noise)
        require_finite("prediction", mean, latent, std)
        return mean, latent, std

    def summary(
        self,
        events: Events,
        levels: Float64[np.ndarray, "Q"] | Sequence[float],
        scaled: Float[np.ndarray, "N"] | None = None,
    ) -> dict[str, np.ndarray]:
        """See `nonfat.estimators.predictor.Predictor`."""
        mean, latent, std = self._moments(events)
        quantiles = mean + std * ndtri(np.asarray(levels, np.float64))[:, None]
        told = {"mean": mean, "latent_std": latent, "std": std, "quantiles": quantiles}
        return told if scaled is None else told | {"log_density": _log_normal(scaled, mean, std)}

    def log_density(
        self, events: Events, scaled: Float[np.ndarray, "N"]
    ) -> Float64[np.ndarray, "N"]:
        """See `nonfat.estimators.predictor.Predictor`."""
        mean, _, std = self._moments(events)
        return _log_normal(scaled, mean, std)

    def observations(
        self, events: Events, repeats: int
    ) -> Iterator[tuple[slice, Float64[np.ndarray, "S _"]]]:
        """See `nonfat.estimators.predictor.Predictor`."""
        mean, _, std = self._moments(events)
        for start in range(0, len(events), _ROWS):
            rows = slice(start, min(start + _ROWS, len(events)))
            rng = np.random.default_rng([self._seed, start])
            noise = rng.standard_normal((repeats * _DRAWS, rows.stop - start))
            yield rows, mean[rows] + std[rows] * noise

    def path(self, events: Events, seed: int) -> Float64[np.ndarray, "N"]:
        """See `nonfat.estimators.predictor.Predictor`."""
        if self._last is None or self._last[0] is not events:
            self._last = events, self._rule.scenario(events.codes, events.time)
        rng = np.random.default_rng(seed)
        drawn = self._last[1](rng)
        return drawn + np.sqrt(self._rule.noise) * rng.standard_normal(len(events))


def _log_normal(
    y: Float[np.ndarray, "N"], mean: Float64[np.ndarray, "N"], std: Float64[np.ndarray, "N"]
) -> Float64[np.ndarray, "N"]:
    return -0.5 * ((y - mean) / std) ** 2 - np.log(std) - 0.5 * np.log(2 * np.pi)


class ReferenceEstimator(Estimator):
    """The common part of the plain predictors that every result table carries.

    A model that does not beat them has learned nothing worth its name: on the paper's own Beijing
    split, joining the dots in time beats the paper's model. Each answer is Gaussian; nothing is
    random but the draws.
    """

    kind = "reference"
    seed: int
    _rule: ClassVar[type[Rule]]

    def __init__(
        self,
        modes: Sequence[Any] | str | None = None,
        time: Any = "time",
        value: Any = "value",
        *,
        seed: int = 0,
    ) -> None:
        self.modes = modes
        self.time = time
        self.value = value
        self.seed = seed

    @abc.abstractmethod
    def _fit_rule(self, codes: Codes, time: Values, value: Values, shape: tuple[int, ...]) -> Rule:
        """Learn from scaled values, with checked options."""

    def _check(self) -> None:
        check_seed(self.seed)

    def _learn(self, events: Events) -> Fit[Rule]:
        assert events.value is not None
        scaler = Affine.learn(events.value)
        start = clock.monotonic()
        value = scaler.apply(events.value)
        rule = self._fit_rule(events.codes, events.time, value, events.shape)
        origin = Origin(**Origin.facts(events, events, clock.monotonic() - start))
        return Fit(events.schema, scaler, rule, origin)

    def _predictor(self, fit: Fit[Rule]) -> GaussianPredictor:
        return GaussianPredictor(fit.model, check_seed(self.seed))

    def _story(self, fit: Fit[Rule]) -> list[str]:
        noise = float(fit.model.noise) ** 0.5 * fit.scaler.scale
        return [f"  noise        std {noise:.4g}"]

    def _contents(self, fit: Fit[Rule]) -> files.Contents:
        return files.Contents(fit.model.arrays(), {})

    def _restored(self, manifest: files.Manifest, arrays: files.Arrays) -> Fit[Any]:
        facts = files.facts(manifest, Origin)
        self._check()
        rule = self._rule.from_arrays(arrays)
        return Fit(facts.schema, facts.scaler, rule, facts.provenance)
