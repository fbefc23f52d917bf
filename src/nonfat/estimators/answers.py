"""Numbers of a predictor, in the user's units and under their names."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from jaxtyping import Float64

from nonfat.data import Affine, Events
from nonfat.errors import ConfigError
from nonfat.estimators.finite import require_numbers
from nonfat.estimators.predictor import Predictor
from nonfat.metrics import METRICS, Metric, crps_each

__all__ = ["Answers", "check_levels"]

_REPEATS = 4  # CRPS from four times as many draws as a prediction has


def check_levels(level: float | Sequence[float] | None) -> tuple[float, ...]:
    """Levels of prediction intervals, in percent.

    Example:
        >>> check_levels([80, 95])
        (80.0, 95.0)
        >>> check_levels(0.95)
        Traceback (most recent call last):
        nonfat.errors.ConfigError: a level is a percentage from 1 to 99.9, such as 95; got 0.95
    """
    if level is None:
        return ()
    given: list[Any] = np.atleast_1d(np.asarray(level, dtype=object)).tolist()
    for one in given:
        if isinstance(one, bool) or not isinstance(one, Real) or not 1 <= float(one) <= 99.9:
            raise ConfigError(f"a level is a percentage from 1 to 99.9, such as 95; got {one!r}")
    return tuple(float(one) for one in given)


def _interval_names(level: float) -> tuple[str, str]:
    return f"lo-{level:g}", f"hi-{level:g}"


def _tails(levels: Sequence[float]) -> Float64[np.ndarray, "Q"]:
    """Shares of the values below the ends of central intervals."""
    return np.array([side for level in levels for side in (0.5 - level / 200, 0.5 + level / 200)])


@dataclass(frozen=True)
class Answers:
    """A predictor and the scaling back to the user's units."""

    predictor: Predictor
    scaler: Affine

    def columns(self, events: Events, levels: Sequence[float]) -> dict[str, np.ndarray]:
        """The columns of a prediction.

        ``mean`` and ``std`` are of the observation, ``latent_std`` is of the value without noise.
        """
        return self._columns(events, levels, self.predictor.summary(events, _tails(levels)))

    def _columns(
        self, events: Events, levels: Sequence[float], raw: dict[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        columns = {
            "mean": self.scaler.invert(raw["mean"]),
            "std": self.scaler.scale * raw["std"],
            "latent_std": self.scaler.scale * raw["latent_std"],
        }
        quantiles = self.scaler.invert(raw["quantiles"])
        for i, level in enumerate(levels):
            columns |= dict(zip(_interval_names(level), quantiles[2 * i : 2 * i + 2], strict=True))
        return columns | {"unseen": events.unseen, "beyond": ~events.inside}

    def log_density(self, events: Events) -> Float64[np.ndarray, "N"]:
        """The log predictive density of each row's value, per unit of the value."""
        assert events.value is not None
        return self._density(self.predictor.log_density(events, self.scaler.apply(events.value)))

    def _density(self, scaled: Float64[np.ndarray, "N"]) -> Float64[np.ndarray, "N"]:
        """Per unit of the value, from that of its scaled one."""
        require_numbers("log density", scaled)
        return scaled - np.log(self.scaler.scale)

    def crps(self, events: Events) -> Float64[np.ndarray, "N"]:
        """The continuous ranked probability score of each row's value."""
        assert events.value is not None
        scores = np.empty(len(events))
        for rows, drawn in self.predictor.observations(events, _REPEATS):
            scores[rows] = crps_each(events.value[rows], self.scaler.invert(drawn))
        return scores

    def metric_inputs(self, events: Events, needs: Sequence[str]) -> dict[str, np.ndarray]:
        """What metrics are computed from, and nothing that none of them needs."""
        assert events.value is not None
        inputs = {"value": events.value}
        scaled = self.scaler.apply(events.value) if "log_density" in needs else None
        if {"mean", "lo", "hi"} & set(needs):
            ends = {"lo", "hi"} & set(needs)  # quantiles cost several times as much as a mean
            levels = [95.0] if ends else []
            raw = self.predictor.summary(events, _tails(levels), scaled)
            columns = self._columns(events, levels, raw)
            inputs |= {"mean": columns["mean"], **{end: columns[f"{end}-95"] for end in ends}}
            if scaled is not None:
                inputs["log_density"] = self._density(raw["log_density"])
        elif scaled is not None:
            inputs["log_density"] = self.log_density(events)
        if "crps_each" in needs:
            inputs["crps_each"] = self.crps(events)
        return inputs

    def evaluate(self, events: Events, names: Sequence[str]) -> dict[str, float | None]:
        """Metrics by name; None for those that say nothing of such a prediction."""
        chosen = [METRICS[name] for name in names]
        needs = {need for metric in chosen if self.tells(metric) for need in metric.needs}
        inputs = self.metric_inputs(events, sorted(needs))
        return {
            metric.name: float(metric.function(*(inputs[need] for need in metric.needs)))
            if self.tells(metric)
            else None
            for metric in chosen
        }

    def tells(self, metric: Metric) -> bool:
        """Whether a metric says anything: no 0 or 1 lies in an interval of its probability."""
        return not (self.predictor.observes == "binary" and "lo" in metric.needs)
