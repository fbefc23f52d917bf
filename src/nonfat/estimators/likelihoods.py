"""Which likelihood suits a column of values, whether the values suit it, and where it starts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jax.typing import DTypeLike
from jaxtyping import Bool, Float, Int

from nonfat.data import Events
from nonfat.data.notice import notice
from nonfat.data.scaling import Affine
from nonfat.errors import ChoiceWarning, ConfigError, DataError
from nonfat.estimators.options import choice as one_of
from nonfat.likelihoods import (
    Bernoulli,
    Gaussian,
    Likelihood,
    NegativeBinomial,
    Observes,
    Poisson,
    StudentT,
)

__all__ = [
    "LIKELIHOODS",
    "Choice",
    "LikelihoodName",
    "check_possible",
    "check_values",
    "choose",
    "choose_likelihood",
    "make_likelihood",
    "make_scaler",
]

LikelihoodName = Literal[
    "gaussian", "student_t", "poisson", "negative_binomial", "bernoulli", "probit", "auto"
]
Values = Float[np.ndarray, "N"]

_LARGEST_MEAN_COUNT = 1000  # beyond, a count is as good as a real number
_HEAVY_KURTOSIS = 10.0
_START_SHARE = 0.1  # of the values' variance is noise before training
_SHOWN = 3


@dataclass(frozen=True)
class Choice:
    """A likelihood's name, and why it was chosen.

    Attributes:
        name: one of `LIKELIHOODS`.
        reason: a sentence with the numbers that it rests on.
    """

    name: str
    reason: str


def choose(name: Any, values: Values) -> Choice:
    """The likelihood of the given name, or for "auto" the one that the values suggest.

    Raises:
        ConfigError: there is no likelihood of that name.

    Example:
        >>> choose("auto", np.array([0.0, 3.0, 1.0, 0.0]))
        Choice(name='negative_binomial', reason='all 4 values are whole numbers of 0 or more, \
their mean is 1')
    """
    known = one_of("likelihood", name, ["auto", *LIKELIHOODS])
    if known != "auto":
        return Choice(known, "it was asked for")
    rows = f"{len(values):,}"
    distinct = np.unique(values)
    if distinct.tolist() == [0.0, 1.0]:
        share = f"{np.mean(values):.3g}"
        return Choice("bernoulli", f"all {rows} values are 0 or 1, a share of {share} is 1")
    mean = float(np.mean(values))
    whole = bool(np.all(_is_count(values)))
    if whole and len(distinct) > 2 and mean < _LARGEST_MEAN_COUNT:
        return Choice(
            "negative_binomial",
            f"all {rows} values are whole numbers of 0 or more, their mean is {mean:.3g}",
        )
    kurtosis = _excess_kurtosis(values)
    if kurtosis > _HEAVY_KURTOSIS:
        return Choice(
            "student_t",
            f"the values are real numbers with heavy tails: their excess kurtosis is "
            f"{kurtosis:.3g}, above {_HEAVY_KURTOSIS:g}",
        )
    return Choice(
        "gaussian",
        f"the values are real numbers without heavy tails: their excess kurtosis is {kurtosis:.3g}",
    )


def choose_likelihood(name: Any, events: Events) -> Choice:
    """`choose` for a training table whose values, and exposure, are checked against it.

    Raises:
        ConfigError: there is no likelihood of that name, or an exposure without counts.
        DataError: the likelihood cannot have such values.

    Warns:
        ChoiceWarning: what "auto" chose, and why.

    Example:
        >>> import polars as pl
        >>> table = pl.DataFrame({"site": ["a", "b"], "time": [0, 1], "value": [2.5, 1.0]})
        >>> choose_likelihood("student_t", Events.read(table)).name
        'student_t'
    """
    assert events.value is not None
    chosen = choose(name, events.value)
    if name == "auto":
        notice(
            f"likelihood='auto' chose {chosen.name!r}, because {chosen.reason}; "
            f"pass likelihood={chosen.name!r} to choose it yourself",
            ChoiceWarning,
        )
    if events.exposure is not None and LIKELIHOODS[chosen.name].observes != "count":
        raise ConfigError(
            f"exposure={events.schema.exposure!r} goes with counts, but the likelihood is "
            f"{chosen.name!r}; use likelihood='poisson' or 'negative_binomial', or leave it out"
        )
    check_values(chosen.name, events.value, events.rows, events.schema.value)
    return chosen


def check_values(name: str, values: Values, rows: Int[np.ndarray, "N"], column: str) -> None:
    """Refuses values that a likelihood cannot have.

    Args:
        name: of the likelihood.
        values: in the user's units.
        rows: each value's row number in the user's table.
        column: the name of the value column.

    Raises:
        DataError: some values are impossible, or there is nothing to learn from them.

    Warns:
        DataWarning: real values are all equal.

    Example:
        >>> check_values("poisson", np.array([1.0, 0.5]), np.arange(2), "deaths")
        Traceback (most recent call last):
        nonfat.errors.DataError: a likelihood of counts needs whole numbers of 0 or more in column \
'deaths', but not so in row 1 (0.5); use likelihood='gaussian' for such values
    """
    kind = LIKELIHOODS[name].observes
    check_possible(kind, values, rows, column)
    if kind == "count":
        _check_counts(values, rows, column)
    elif kind == "binary":
        _check_binary(values, rows, column)
    elif len(values) > 1 and np.min(values) == np.max(values):
        notice(
            f"all {len(values):,} values in column {column!r} equal {values[0]:g}: there is "
            "nothing to learn, and the cell mean would do"
        )


def check_possible(kind: Observes, values: Values, rows: Int[np.ndarray, "N"], column: str) -> None:
    """Refuses values that no likelihood of a kind can have observed.

    Raises:
        DataError: some values are impossible.

    Example:
        >>> check_possible("count", np.array([1.0, 0.5]), np.arange(2), "deaths")
        Traceback (most recent call last):
        nonfat.errors.DataError: a likelihood of counts needs whole numbers of 0 or more in column \
'deaths', but not so in row 1 (0.5); use likelihood='gaussian' for such values
    """
    if kind == "count" and not (good := _is_count(values)).all():
        raise DataError(
            f"a likelihood of counts needs whole numbers of 0 or more in column {column!r}, but "
            f"not so in {_shown(~good, values, rows)}; use likelihood='gaussian' for such values"
        )
    if kind == "binary" and (odd := (values != 0) & (values != 1)).any():
        raise DataError(
            f"a likelihood of binary values needs 0 or 1 in column {column!r}, but not so in "
            f"{_shown(odd, values, rows)}; map the two values to 0 and 1, or use "
            "likelihood='gaussian'"
        )


def make_likelihood(name: str, scaled_values: Values, dtype: DTypeLike) -> Likelihood:
    """The likelihood of a name, before training, with a start that fits the values.

    Args:
        name: one of `LIKELIHOODS`.
        scaled_values: as the model sees them.
        dtype: of its parameters.

    Example:
        >>> import jax.numpy as jnp
        >>> start = make_likelihood("poisson", np.array([1.0, 3.0]), jnp.float32)
        >>> round(float(jnp.exp(start.bias)), 4)
        2.0
    """
    return LIKELIHOODS[name].make(np.asarray(scaled_values, np.float64), dtype)


def make_scaler(name: str, values: Values) -> Affine:
    """Real values are scaled to mean 0 and deviation 1; counts and binary values stay.

    Example:
        >>> make_scaler("poisson", np.array([1.0, 3.0]))
        Affine(shift=0.0, scale=1.0)
    """
    return Affine.learn(values) if LIKELIHOODS[name].observes == "real" else Affine(0.0, 1.0)


@dataclass(frozen=True)
class _Kind:
    observes: Observes
    make: Callable[[Values, DTypeLike], Likelihood]


def _student_t(_: Values, dtype: DTypeLike) -> Likelihood:
    return StudentT.create(0.3, 5.0, dtype)


def _gaussian(_: Values, dtype: DTypeLike) -> Likelihood:
    return Gaussian.create(_START_SHARE, dtype)


def _poisson(values: Values, dtype: DTypeLike) -> Likelihood:
    return Poisson.create(_rate(values), dtype)


def _negative_binomial(values: Values, dtype: DTypeLike) -> Likelihood:
    """R by moments: the variance is μ + μ²/r; no more variance than the mean asks for a large r."""
    mean = _rate(values)
    extra = float(np.var(values)) - mean
    r = mean**2 / extra if extra > 0 else np.inf
    return NegativeBinomial.create(mean, float(np.clip(r, 0.1, 100.0)), dtype)


def _bernoulli(values: Values, dtype: DTypeLike) -> Likelihood:
    return Bernoulli.create(_share(values), dtype)


def _probit(values: Values, dtype: DTypeLike) -> Likelihood:
    return Bernoulli.create(_share(values), dtype, link="probit")


LIKELIHOODS: dict[str, _Kind] = {
    "gaussian": _Kind("real", _gaussian),
    "student_t": _Kind("real", _student_t),
    "poisson": _Kind("count", _poisson),
    "negative_binomial": _Kind("count", _negative_binomial),
    "bernoulli": _Kind("binary", _bernoulli),
    "probit": _Kind("binary", _probit),
}
"""The names that ``likelihood=`` takes beside "auto"."""


def _rate(values: Values) -> float:
    return max(float(np.mean(values)), 1e-6)


def _share(values: Values) -> float:
    return float(np.clip(np.mean(values), 0.001, 0.999))


def _is_count(values: Values) -> Bool[np.ndarray, "N"]:
    return (values >= 0) & (values == np.round(values))


def _excess_kurtosis(values: Values) -> float:
    """That of a normal variable is 0; equal values have none."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        z = (values - np.mean(values)) / np.std(values)
        kurtosis = float(np.mean(z**4)) - 3.0
    return kurtosis if np.isfinite(kurtosis) else 0.0


def _check_counts(values: Values, rows: Int[np.ndarray, "N"], column: str) -> None:
    if not values.any():
        raise DataError(
            f"all {len(values):,} counts in column {column!r} are 0 (first rows: "
            f"{_first(rows)}): there is no rate to learn; a reference such as the cell mean "
            "says as much"
        )


def _check_binary(values: Values, rows: Int[np.ndarray, "N"], column: str) -> None:
    if np.min(values) == np.max(values):
        raise DataError(
            f"all {len(values):,} values in column {column!r} are {values[0]:g} (first rows: "
            f"{_first(rows)}): a likelihood of binary values needs both 0 and 1; a reference such "
            "as the cell mean says as much"
        )


def _shown(bad: Bool[np.ndarray, "N"], values: Values, rows: Int[np.ndarray, "N"]) -> str:
    """The first offending rows with their values, in the user's row numbers."""
    found = np.flatnonzero(bad)
    shown = ", ".join(f"row {rows[i]} ({values[i]:g})" for i in found[:_SHOWN])
    rest = len(found) - _SHOWN
    return shown + (f" and {rest:,} more" if rest > 0 else "")


def _first(rows: Int[np.ndarray, "N"]) -> str:
    return ", ".join(str(row) for row in rows[:_SHOWN])
