"""Trajectories as a tidy frame."""

from collections.abc import Iterable, Sequence
from typing import Any

import equinox as eqx
import jax
import numpy as np
import polars as pl
from jaxtyping import Array, Float, Int, Key

from nonfat._typing import AnyArray
from nonfat.data.columns import as_series
from nonfat.errors import ConfigError, DataError
from nonfat.estimators.finite import require_finite
from nonfat.estimators.fitted import Fit
from nonfat.estimators.frames import to_kind
from nonfat.estimators.options import choice
from nonfat.times import Trajectories
from nonfat.times.trajectories import FrequencyFunctions, grid_marginals
from nonfat.training import DType, scoped

__all__ = ["trajectory_frame"]

_TIMES = 200


@eqx.filter_jit
def _marginals(
    mode: FrequencyFunctions, E: Float[Array, "J s"], times: Float[AnyArray, "T"]
) -> tuple[Float[Array, "R J T"], Float[Array, "R J T"]]:
    mean, variance = grid_marginals(mode.entity_part(E), mode.time_part(times))
    return mean, variance**0.5


@eqx.filter_jit
def _draw(
    mode: FrequencyFunctions,
    E: Float[Array, "J s"],
    times: Float[AnyArray, "T"],
    key: Key[Array, ""],
) -> Float[Array, "R J T"]:
    coefficients = mode.draw_coefficients(E, key)
    return coefficients @ mode.draw_functions(times).swapaxes(-1, -2)


def trajectory_frame(
    fit: Fit[Any],
    dtype: DType,
    mode: Any,
    entities: Sequence[Any] | None,
    times: Any,
    samples: int,
    seed: int,
) -> Any:
    """See `TensorEstimator.trajectories`."""
    k = _mode_number(fit, mode)
    codes = _codes(fit, k, entities)
    moments, clock_times = _times(fit, times)
    functions, E = _part(fit, k, codes)
    at = clock_times.astype(dtype)
    with scoped(dtype):
        if samples:
            keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), k), samples)
            draws = np.stack([np.asarray(_draw(functions, E, at, key)) for key in keys])
            columns = {"draw": draws}
        else:
            mean, std = _marginals(functions, E, at)
            columns = {"mean": np.asarray(mean)[None], "std": np.asarray(std)[None]}
    require_finite("trajectory", *columns.values())
    labels = fit.schema.vocabularies[k].decode(codes)
    frame = _long(labels, moments, ~fit.schema.clock.inside(clock_times), columns)
    return to_kind(frame if samples else frame.drop("sample"), fit.provenance.kind)


def _long(
    labels: list[Any], moments: pl.Series, beyond: np.ndarray, columns: dict[str, np.ndarray]
) -> pl.DataFrame:
    """Arrays over (sample, factor, entity, time) as rows sorted by entity, factor, sample, time."""
    S, R, J, T = next(iter(columns.values())).shape
    entity, factor, sample, t = (
        index.ravel() for index in np.indices((J, R, S, T), dtype=np.int32, sparse=False)
    )
    ids = (
        pl.Series("entity", labels, strict=False)
        if _uniform(labels)
        else pl.Series("entity", [str(label) for label in labels])
    )
    data = {"entity": ids.gather(entity), "factor": factor, "sample": sample}
    data |= {"time": moments.gather(t)}
    data |= {
        name: array.transpose(2, 1, 0, 3).ravel().astype(np.float64)
        for name, array in columns.items()
    }
    return pl.DataFrame(data | {"beyond": beyond[t]})


def _uniform(labels: list[Any]) -> bool:
    """Whether a column of a frame can hold the labels as they are."""
    return len({type(label) for label in labels}) == 1 and not isinstance(labels[0], tuple)


def _mode_number(fit: Fit[Any], mode: Any) -> int:
    names = fit.schema.modes
    if mode is None and len(names) == 1:
        return 0
    if mode is None:
        known = ", ".join(repr(name) for name in names)
        raise ConfigError(f"there are several modes; name one with mode=...: {known}")
    return names.index(choice("mode", str(mode), names))


def _codes(fit: Fit[Any], k: int, entities: Sequence[Any] | None) -> Int[np.ndarray, "J"]:
    vocabulary, name = fit.schema.vocabularies[k], fit.schema.modes[k]
    if entities is None:
        return np.arange(len(vocabulary))
    if isinstance(entities, str) or not isinstance(entities, Iterable) or not list(entities):
        raise ConfigError(f"entities must be a list of entities of {name!r}, got {entities!r}")
    entities = list(entities)
    codes = vocabulary.encode(as_series(entities, name))
    unknown = [entity for entity, code in zip(entities, codes, strict=True) if code < 0]
    if unknown:
        first = vocabulary.decode(np.arange(min(5, len(vocabulary))))
        known = ", ".join(repr(label) for label in first)
        raise DataError(
            f"no entity {unknown[0]!r} in the mode {name!r}; the model knows {known}"
            + (f" and {len(vocabulary) - 5} more" if len(vocabulary) > 5 else "")
        )
    return codes


def _times(fit: Fit[Any], times: Any) -> tuple[pl.Series, Float[np.ndarray, "T"]]:
    clock = fit.schema.clock
    if times is None:
        grid = np.linspace(0.0, clock.last, _TIMES if clock.last else 1)
        return clock.from_float(grid, between=True), grid
    series = _series(times).rename("")  # so that no message takes it for a column
    return series, clock.to_float(series)


def _series(times: Any) -> pl.Series:
    """Times that the user gave, as a column of a frame."""
    if isinstance(times, str) or not isinstance(times, Iterable):
        raise ConfigError(f"times must be a list or a column of times, got {times!r}")
    try:
        if isinstance(times, list | tuple | range):
            series = pl.Series(times)
        else:  # pandas' index is no series
            series = as_series(times.to_series() if hasattr(times, "to_series") else times)
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise DataError(f"times cannot be read as one kind of time: {error}") from error
    if not len(series):
        raise ConfigError("times is empty; leave it out for the whole training range")
    return series


def _part(
    fit: Fit[Any], k: int, codes: Int[np.ndarray, "J"]
) -> tuple[FrequencyFunctions, Float[Array, "J s"]]:
    time = fit.model.time
    if not isinstance(time, Trajectories):
        raise ConfigError("only methods whose entities have trajectories can show them")
    return time.modes[k], time.tables[k][codes]
