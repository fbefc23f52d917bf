"""Trajectories as a tidy frame."""

from collections.abc import Iterable, Iterator, Sequence
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
_POINTS = 2**21  # of the curves that are computed at once


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
    ids = _ids(fit.schema.vocabularies[k].decode(codes))
    beyond = ~fit.schema.clock.inside(clock_times)
    size = max(_POINTS // (functions.posterior.A.shape[0] * len(at) * max(samples, 1)), 1)
    parts = [slice(start, start + size) for start in range(0, len(codes), size)]
    with scoped(dtype):
        if samples:
            key = jax.random.fold_in(jax.random.key(seed), k)
            chunks = _drawn(functions, E, at, jax.random.split(key, samples), parts)
        else:
            chunks = _expected(functions, E, at, parts)
        frames = [
            _long(ids[part], moments, beyond, columns)
            for part, columns in zip(parts, chunks, strict=True)
        ]
    frame = pl.concat(frames, rechunk=False)
    return to_kind(frame if samples else frame.drop("sample"), fit.provenance.kind)


Chunks = Iterator[dict[str, np.ndarray]]
"""Columns over (sample, factor, entity, time), some entities at a time."""


def _expected(mode: FrequencyFunctions, E: Any, at: np.ndarray, parts: list[slice]) -> Chunks:
    for part in parts:
        mean, std = (np.asarray(array)[None] for array in _marginals(mode, E[part], at))
        require_finite("trajectory", mean, std)
        yield {"mean": mean, "std": std}


def _drawn(
    mode: FrequencyFunctions, E: Any, at: np.ndarray, keys: Any, parts: list[slice]
) -> Chunks:
    """A draw is of all entities together; it takes half of what the frame will."""
    draws = [np.asarray(_draw(mode, E, at, key)) for key in keys]
    require_finite("trajectory", *draws)
    for part in parts:
        yield {"draw": np.stack([draw[:, part] for draw in draws])}


def _long(
    ids: pl.Series, moments: pl.Series, beyond: np.ndarray, columns: dict[str, np.ndarray]
) -> pl.DataFrame:
    """Arrays over (sample, factor, entity, time) as rows sorted by entity, factor, sample, time."""
    S, R, J, T = next(iter(columns.values())).shape
    entity, factor, sample, t = (
        index.ravel() for index in np.indices((J, R, S, T), dtype=np.int32, sparse=False)
    )
    data = {"entity": ids.gather(entity), "factor": factor, "sample": sample}
    data |= {"time": moments.gather(t)}
    data |= {
        name: array.transpose(2, 1, 0, 3).ravel().astype(np.float64)
        for name, array in columns.items()
    }
    return pl.DataFrame(data | {"beyond": beyond[t]})


def _ids(labels: list[Any]) -> pl.Series:
    """Labels as they are, or as text where a column of a frame cannot hold them so."""
    uniform = len({type(label) for label in labels}) == 1 and not isinstance(labels[0], tuple)
    if uniform:
        return pl.Series("entity", labels, strict=False)
    return pl.Series("entity", [str(label) for label in labels])


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
