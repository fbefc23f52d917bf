"""The training table, and whether it can train."""

from typing import Any

from nonfat.data import Events
from nonfat.data.relearning import relearned
from nonfat.errors import DataError

__all__ = ["training_events"]


def training_events(
    X: Any, y: Any, *, modes: Any, time: Any, value: Any, exposure: Any = None
) -> Events:
    """Rows to learn from: every one has a value, and entities that the schema knows.

    Of events that were split the schema knows more than these rows tell; a model must not take
    what was held out for known, so the schema is learned again.

    Example:
        >>> import polars as pl
        >>> table = pl.DataFrame({"site": ["a", "b"], "time": [0, 4], "value": [1.0, 2.0]})
        >>> queries = Events.read(table).schema.encode(table)
        >>> training_events(queries, None, modes=None, time="time", value="value")
        Traceback (most recent call last):
        nonfat.errors.DataError: these events were read without values; read them with ...
    """
    events = Events.read(X, modes=modes, time=time, value=value, exposure=exposure, y=y)
    if events.value is None:
        raise DataError("these events were read without values; read them with need_value=True")
    if events.unseen.any():
        raise DataError(
            f"{int(events.unseen.sum())} of these events have an entity that their schema does "
            "not know; fit on the table they were read from, or drop these rows"
        )
    return relearned(events)
