"""The long table as models see it: integer codes, times on the unit interval, values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Bool, Float64, Int, Int32, Int64

from nonfat.data.clock import Clock
from nonfat.data.coding import Vocabulary
from nonfat.data.extract import Columns, extract
from nonfat.data.notice import warn_of_lone_entities
from nonfat.data.roles import Roles, assign, open_with
from nonfat.data.table import Table
from nonfat.errors import DataError

__all__ = ["Events", "Schema"]


@dataclass(frozen=True)
class Schema:
    """All that is needed to read further tables the way the training table was read.

    Attributes:
        modes: the names of the mode columns.
        time: the name of the time column.
        value: the name of the value column.
        vocabularies: the known entities of each mode.
        clock: the map between the user's times and the model's.
        exposure: the name of the exposure column, if counts have one.

    Example:
        >>> table = pl.DataFrame({"site": ["a", "b"], "time": [0, 4], "value": [1.0, 2.0]})
        >>> schema = Events.read(table).schema
        >>> queries = schema.encode(pl.DataFrame({"site": ["b", "z"], "time": [1, 8]}))
        >>> queries.codes.tolist(), queries.unseen.tolist(), queries.inside.tolist()
        ([[1], [-1]], [False, True], [True, False])
        >>> Schema.from_json(schema.to_json()) == schema
        True
    """

    modes: tuple[str, ...]
    time: str
    value: str
    vocabularies: tuple[Vocabulary, ...]
    clock: Clock
    exposure: str | None = None

    @property
    def roles(self) -> Roles:
        """The names of the columns that matter."""
        return Roles(self.modes, self.time, self.value, self.exposure)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of known entities of each mode."""
        return tuple(len(vocabulary) for vocabulary in self.vocabularies)

    def encode(self, source: Any, need_value: bool = False, y: Any = None) -> "Events":
        """Reads a further table; unseen entities get the code -1.

        Args:
            source: any source of a table, or events (which are returned as they are if they
                were read with an equal schema).
            need_value: whether the value column is needed. If so, rows that miss it are dropped
                with a warning; if not, the column is ignored and every row is kept.
            y: the values, if they are needed and not a column of the table.

        Raises:
            DataError: the table cannot be used as it is.

        Warns:
            DataWarning: rows without a value were dropped.
        """
        if isinstance(source, Events):
            return _recoded(source, self, need_value)
        apart = need_value and y is not None
        table = open_with(source, self.roles, need_value=need_value and not apart, apart=apart)
        return _coded(extract(table, self.roles, need_value=need_value, y=y), self)

    def to_json(self) -> dict[str, Any]:
        """This schema as a JSON object.

        Raises:
            DataError: a label is of a type that cannot be saved.
        """
        return {
            "modes": list(self.modes),
            "time": self.time,
            "value": self.value,
            "vocabularies": [vocabulary.to_json() for vocabulary in self.vocabularies],
            "clock": self.clock.to_json(),
            "exposure": self.exposure,
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> "Schema":
        """Reads back what `to_json` wrote."""
        return cls(
            modes=tuple(tree["modes"]),
            time=tree["time"],
            value=tree["value"],
            vocabularies=tuple(Vocabulary.from_json(part) for part in tree["vocabularies"]),
            clock=Clock.from_json(tree["clock"]),
            exposure=tree.get("exposure"),  # files from before counts have none
        )


@dataclass(frozen=True, eq=False)
class Events:
    """Observed entries, or queries, of a temporal tensor.

    Attributes:
        codes: each row's entities, one column per mode; -1 stands for an unseen one.
        time: each row's time on the clock's scale.
        value: each row's value in the user's units; None for queries.
        rows: each row's number in the user's table.
        schema: what the codes and times mean.
        table: the user's table.
        exposure: for how long, or how much, each row was watched, if the schema has a column.

    Example:
        >>> table = pl.DataFrame({"site": ["b", "a"], "time": [2000, 2010], "value": [3.0, 4.0]})
        >>> events = Events.read(table)
        >>> events.codes.tolist(), events.time.tolist(), events.value.tolist()
        ([[1], [0]], [0.0, 1.0], [3.0, 4.0])
        >>> len(events), events.K, events.shape
        (2, 1, (2,))
    """

    codes: Int32[np.ndarray, "N K"]
    time: Float64[np.ndarray, "N"]
    value: Float64[np.ndarray, "N"] | None
    rows: Int64[np.ndarray, "N"]
    schema: Schema
    table: Table
    exposure: Float64[np.ndarray, "N"] | None = None

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        modes: Sequence[Any] | str | None = None,
        time: Any = "time",
        value: Any = "value",
        y: Any = None,
        exposure: Any = None,
    ) -> "Events":
        """Reads a training table, and learns from it who is who and when is when.

        Args:
            source: any source of a table that `read_table` knows; events pass through.
            modes: the mode columns; by default all columns but those named below. The columns
                of a 2-D array are, by position, the modes, the time, the exposure if there is
                one, and the value.
            time: the time column.
            value: the value column.
            y: the values, if they are not a column of the table.
            exposure: the column that says for how long, or how much, each count was watched.

        Raises:
            DataError: the table cannot be used as it is.

        Warns:
            DataWarning: rows without a value were dropped, or a mode has a single entity.
        """
        if isinstance(source, Events):
            return source
        table, roles = assign(source, modes, time, value, apart=y is not None, exposure=exposure)
        columns = extract(table, roles, need_value=True, y=y)
        vocabularies = tuple(Vocabulary.learn(ids) for ids in columns.ids)
        clock = Clock.spanning(columns.moments)
        schema = Schema(roles.modes, roles.time, roles.value, vocabularies, clock, roles.exposure)
        warn_of_lone_entities(schema.modes, schema.shape)
        return _coded(columns, schema)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def K(self) -> int:
        """The number of modes."""
        return self.codes.shape[1]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of known entities of each mode."""
        return self.schema.shape

    @property
    def unseen(self) -> Bool[np.ndarray, "N"]:
        """Whether a row has an entity that training never saw."""
        return np.asarray(np.any(self.codes < 0, axis=1))

    @property
    def inside(self) -> Bool[np.ndarray, "N"]:
        """Whether a row's time is within the training range."""
        return self.schema.clock.inside(self.time)

    def take(self, index: Int[np.ndarray, "M"] | Bool[np.ndarray, "N"]) -> "Events":
        """Some of the rows, by position or by truth value; the schema stays.

        Example:
            >>> table = pl.DataFrame({"site": ["b", "a"], "time": [0, 9], "value": [3.0, 4.0]})
            >>> Events.read(table).take(np.array([1])).value.tolist()
            [4.0]
        """
        value = None if self.value is None else self.value[index]
        exposure = None if self.exposure is None else self.exposure[index]
        return replace(
            self,
            codes=self.codes[index],
            time=self.time[index],
            value=value,
            rows=self.rows[index],
            exposure=exposure,
        )

    def attach(self, new: Mapping[str, np.ndarray]) -> Any:
        """The rows' entities and times, followed by new columns, in the user's kind of frame.

        Example:
            >>> table = pl.DataFrame({"site": ["b", "a"], "time": [0, 9], "value": [3.0, 4.0]})
            >>> Events.read(table).attach({"mean": np.array([3.1, 3.9])}).columns
            ['site', 'time', 'mean']
        """
        every = len(self) == len(self.table) and bool((np.diff(self.rows) == 1).all())
        columns = (*self.schema.modes, self.schema.time)
        return self.table.attach(columns, new, None if every else self.rows)


def _coded(columns: Columns, schema: Schema) -> Events:
    codes = [
        _codes(columns, ids, vocabulary)
        for ids, vocabulary in zip(columns.ids, schema.vocabularies, strict=True)
    ]
    return Events(
        codes=np.stack(codes, axis=1),
        time=schema.clock.place(columns.moments),
        value=columns.values,
        rows=columns.rows,
        schema=schema,
        table=columns.table,
        exposure=columns.exposure,
    )


def _codes(columns: Columns, ids: pl.Series, vocabulary: Vocabulary) -> Int32[np.ndarray, "N"]:
    if not columns.table.is_text:
        return vocabulary.encode(ids)
    written = columns.table.verbatim(ids.name)
    return vocabulary.encode_text(
        written if len(written) == len(ids) else written.gather(columns.rows)
    )


def _recoded(events: Events, schema: Schema, need_value: bool) -> Events:
    """The same rows and values as another schema sees them."""
    if need_value and events.value is None:
        raise DataError("these events were read without values; read them with need_value=True")
    if schema == events.schema:
        return events
    roles = schema.roles
    known = roles.exposure == events.schema.exposure
    if known:  # and rows of the table that were left out may well miss it
        roles = replace(roles, exposure=None)
    table = open_with(events.table, roles, need_value=False)
    again = _coded(extract(table, roles, need_value=False), schema).take(events.rows)
    exposure = events.exposure if known else again.exposure
    return replace(again, value=events.value, exposure=exposure)
