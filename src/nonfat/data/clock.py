"""The invertible map between the user's times and the unit interval that models live on."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Bool, Float, Float64

from nonfat.data.columns import as_series
from nonfat.data.moments import TICK, Kind, Moments, Unit, describe, read_moments
from nonfat.errors import DataError

__all__ = ["Clock"]

_LONE_SPAN: dict[Unit, int] = {"one": 1, "day": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""What stands for the span of a single time: one, one day, or one second."""

_INT64 = 2**63


@dataclass(frozen=True)
class Clock:
    """Times to floats: the first training time is 0, the last is 1.

    Differences are taken between whole ticks before anything becomes a float, so nanoseconds
    of this century survive.

    Attributes:
        kind: what the user's times are.
        unit: how long a tick is.
        zone: the user's time zone, if the times have one.
        start: the first training time, in ticks.
        stop: the last.

    Example:
        >>> clock = Clock.learn([2000, 2010])
        >>> clock.to_float([2000, 2005, 2011]).tolist()
        [0.0, 0.5, 1.1]
        >>> clock.from_float(np.array([0.5, 1.1])).to_list()
        [2005, 2011]
    """

    kind: Kind
    unit: Unit
    zone: str | None
    start: int | float
    stop: int | float

    @classmethod
    def learn(cls, column: Any) -> "Clock":
        """The clock of a column of training times.

        Args:
            column: numbers, dates, or datetimes with or without zone, as a series, array or list.

        Raises:
            DataError: some times are missing or infinite, or these are no times.
        """
        return cls.spanning(read_moments(as_series(column)))

    @classmethod
    def spanning(cls, moments: Moments) -> "Clock":
        """The clock from the first to the last of some times."""
        if not len(moments.ticks):
            raise DataError("a clock is learned from one or more times")
        start, stop = moments.ticks.min().item(), moments.ticks.max().item()
        if not np.isfinite(float(stop) - float(start)):
            raise DataError(f"times from {start} to {stop} are too far apart; rescale them")
        return cls(moments.kind, moments.unit, moments.zone, start, stop)

    @property
    def span(self) -> int | float:
        """How many ticks one unit of `to_float` is; never 0."""
        return (self.stop - self.start) or _LONE_SPAN[self.unit]

    @property
    def last(self) -> float:
        """The last training time on the clock's scale: 1, or 0 if there is a single time."""
        return 0.0 if self.start == self.stop else 1.0

    def to_float(self, column: Any) -> Float64[np.ndarray, "N"]:
        """Places times on the clock's scale.

        Raises:
            DataError: these are times of another kind than the training times.
        """
        return self.place(read_moments(as_series(column)))

    def place(self, moments: Moments) -> Float64[np.ndarray, "N"]:
        """Like `to_float`, for times that were read already."""
        self._refuse_others(moments)
        if "float" in (self.kind, moments.kind):
            return self._place_floats(moments.ticks.astype(np.float64))
        return self._place_ticks(moments.ticks, TICK[moments.unit])

    def inside(self, time: Float[np.ndarray, "N"]) -> Bool[np.ndarray, "N"]:
        """Whether times on the clock's scale are within the training range.

        Example:
            >>> Clock.learn([2000, 2010]).inside(np.array([-0.1, 0.0, 1.0, 1.1])).tolist()
            [False, True, True, False]
        """
        return (time >= 0.0) & (time <= self.last)

    def from_float(self, time: Float[np.ndarray, "N"], *, between: bool = False) -> pl.Series:
        """Gives times on the clock's scale back in the user's own type, unit and zone.

        Args:
            time: times on the clock's scale.
            between: whether instants between ticks matter: then integers come back as floats
                and dates as datetimes, where otherwise the nearest integer or day is given.

        Raises:
            DataError: a time is not finite, or too far away for the user's type.

        Example:
            >>> Clock.learn([2000, 2001]).from_float(np.array([0.25]), between=True).to_list()
            [2000.25]
        """
        time = np.asarray(time, dtype=np.float64)
        if not np.isfinite(time).all():
            raise DataError("cannot tell the time of a number that is not finite")
        if self.kind == "float" or (self.kind == "integer" and between):
            with np.errstate(over="ignore"):
                return pl.Series(_finite(float(self.start) + time * float(self.span)))
        if self.kind == "date" and between:
            return self._tell(time, TICK["day"] // TICK["us"]).cast(pl.Datetime("us"))
        ticks = self._tell(time)
        if self.kind == "integer":
            return ticks
        if self.kind == "date":
            return ticks.cast(pl.Int32).cast(pl.Date)
        return ticks.cast(pl.Datetime(self.unit, self.zone))  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        """This clock as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> "Clock":
        """Reads back what `to_json` wrote."""
        return cls(**tree)

    def _refuse_others(self, moments: Moments) -> None:
        if _family(self.kind, self.zone) != _family(moments.kind, moments.zone):
            raise DataError(
                f"the model was trained on times that are {describe(self.kind, self.zone)}, "
                f"but these times are {moments.described}; convert them"
            )

    def _place_floats(self, times: Float64[np.ndarray, "N"]) -> Float64[np.ndarray, "N"]:
        with np.errstate(over="ignore"):
            return _finite((times - float(self.start)) / float(self.span))

    def _place_ticks(self, ticks: np.ndarray, tick: int) -> Float64[np.ndarray, "N"]:
        """Subtracts in the finer of both units, so that neither side is rounded."""
        ours = TICK[self.unit]
        fine = min(ours, tick)
        start, span = (int(part) * (ours // fine) for part in (self.start, self.span))
        step = tick // fine
        reached = [int(end) * step for end in (ticks.min(), ticks.max())] if len(ticks) else []
        if _fit(start, *reached, *(end - start for end in reached)):
            return (ticks * step - start) / span
        return (ticks.astype(np.float64) * step - float(start)) / span  # ages away: rounded

    def _tell(self, time: Float64[np.ndarray, "N"], parts: int = 1) -> pl.Series:
        """Ticks since the epoch, each cut into ``parts``; rounded after the start is split off."""
        start, span = int(self.start) * parts, int(self.span) * parts
        away = np.rint(time * float(span))
        limit = 2**31 * parts if self.kind == "date" else _INT64
        ends = [int(end) for end in (away.min(), away.max())] if len(away) else []
        if any(max(abs(end), abs(start + end)) >= limit for end in ends):
            raise DataError(
                f"times this far away cannot be told as {describe(self.kind, self.zone)}"
            )
        return pl.Series(away.astype(np.int64) + start, dtype=pl.Int64)


def _fit(*ticks: int) -> bool:
    return all(-_INT64 <= tick < _INT64 for tick in ticks)


def _family(kind: Kind, zone: str | None) -> str:
    if kind in ("integer", "float"):
        return "numbers"
    return "zoned" if zone else "local"


def _finite(numbers: Float64[np.ndarray, "N"]) -> Float64[np.ndarray, "N"]:
    if not np.isfinite(numbers).all():
        raise DataError("times too far from the training range to be told apart; rescale them")
    return numbers
