"""A part of a table, as if there were nothing else."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float64

from nonfat.data.clock import Clock
from nonfat.data.events import Events
from nonfat.data.moments import read_moments
from nonfat.data.notice import warn_of_lone_entities

__all__ = ["relearned"]


def relearned(events: Events) -> Events:
    """The same rows with a schema of their own: who and when as these rows alone tell.

    Rows that were left out by `Events.take` are then what they are to a model that never saw them:
    entities without a row are unseen, and times outside these rows' range are beyond it.

    Returns:
        The same object if these rows tell all that the schema knows.

    Warns:
        DataWarning: a mode has a single entity left.

    Example:
        >>> import polars as pl
        >>> table = pl.DataFrame({"site": list("abc"), "time": [0, 4, 9], "value": [1.0] * 3})
        >>> early = relearned(Events.read(table).take(np.array([0, 1])))
        >>> early.shape, early.time.tolist()
        ((2,), [0.0, 1.0])
    """
    pairs = zip(events.codes.T, events.schema.vocabularies, strict=True)
    parts = [vocabulary.used(column) for column, vocabulary in pairs]
    clock, time = _own_clock(events)
    vocabularies = tuple(vocabulary for _, vocabulary in parts)
    schema = replace(events.schema, vocabularies=vocabularies, clock=clock)
    if schema == events.schema:
        return events
    if schema.shape != events.shape:
        warn_of_lone_entities(schema.modes, schema.shape)
    codes = np.stack([column for column, _ in parts], axis=1)
    return replace(events, codes=codes, time=time, schema=schema)


def _own_clock(events: Events) -> tuple[Clock, Float64[np.ndarray, "N"]]:
    """A clock that spans these rows, and their times on it."""
    clock = events.schema.clock
    if len(events) and events.time.min() == 0.0 and events.time.max() == clock.last:
        return clock, events.time
    # from the table, whose times are exact, and not from floats on the old clock
    moments = read_moments(events.table.column(events.schema.time)).where(events.rows)
    own = Clock.spanning(moments)
    return own, own.place(moments)
