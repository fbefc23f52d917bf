"""The user's table, kept in its own type so that answers can come back in that type."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from jaxtyping import Int, Int64

from nonfat.data.columns import as_series
from nonfat.data.wording import quoted, suggestion
from nonfat.errors import DataError

__all__ = ["Table"]


@dataclass(frozen=True, eq=False)
class Table:
    """One table from any source; made by `read_table`.

    Columns go by the text of their names, so that a pandas column called ``0`` is ``"0"`` here;
    frames that go back to the user keep the user's own names.

    Attributes:
        frame: the user's frame behind narwhals; sources that are no frames live in polars.
        arrays: whether frames go back to the user as a dict of NumPy arrays.
        written: for text sources, the strings of columns that were read as floats; None for
            sources that have types.
        lines: the line of each row in a file that has blank lines; None for any other source.

    Example:
        >>> from nonfat.data import read_table
        >>> table = read_table(pl.DataFrame({"site": ["a", "b"], "when": [1, 2]}))
        >>> table.names, len(table), table.column("when").to_list()
        (('site', 'when'), 2, [1, 2])
    """

    frame: nw.DataFrame
    arrays: bool = False
    written: Mapping[str, pl.Series] | None = None
    lines: Int64[np.ndarray, "N"] | None = None

    def __post_init__(self) -> None:
        twice = [name for name, count in Counter(self.names).items() if count > 1]
        if twice:
            raise DataError(f"several columns are called {quoted(twice)}; rename or drop them")
        if not len(self.frame):
            raise DataError(
                "the table has no rows"
                + (f" (its columns: {quoted(self.names)})" if self.names else "")
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, as text."""
        return tuple(str(name) for name in self.frame.columns)

    @property
    def is_text(self) -> bool:
        """Whether the source is text, whose columns have no types of their own."""
        return self.written is not None

    def __len__(self) -> int:
        return len(self.frame)

    def position(self, name: str) -> int:
        """Where a column stands.

        Raises:
            DataError: there is no such column.
        """
        try:
            return self.names.index(name)
        except ValueError:
            raise DataError(
                f"no column {name!r} in the table{self._hint(name)}; "
                f"its columns: {quoted(self.names)}"
            ) from None

    def _hint(self, name: str) -> str:
        index = getattr(self.frame.to_native(), "index", None)
        if name in {str(level) for level in getattr(index, "names", ())}:
            return "; it is the index: call .reset_index() first"
        padded = next((other for other in self.names if other.strip() == name.strip()), None)
        if padded is not None:
            return f"; it is written {padded!r}, with spaces: rename it, or name it so"
        return suggestion(name, self.names)

    def located(self, message: str) -> str:
        """A message about a row, with its line where blank lines shift the numbers of rows.

        Example:
            >>> table = Table(nw.from_native(pl.DataFrame({"site": ["a"]})), lines=np.array([4]))
            >>> table.located("no id in row 0")
            'no id in row 0 (blank lines do not count as rows: row 0 is line 4 of the file)'
        """
        found = re.search(r"\brow (\d+)", message)
        if self.lines is None or found is None:
            return message
        line = self.lines[int(found[1])]
        note = f"blank lines do not count as rows: row {found[1]} is line {line} of the file"
        return f"{message} ({note})"

    def column(self, name: str) -> pl.Series:
        """One column as a polars Series."""
        return as_series(self.frame[:, self.position(name)].to_native(), name)

    def verbatim(self, name: str) -> pl.Series:
        """One column of a text source as it was written."""
        if self.written and name in self.written:
            return self.written[name]
        return self.column(name).cast(pl.String)

    def typed(self, columns: Mapping[str, pl.Series]) -> "Table":
        """The same table of a text source, now that the types of some columns are known."""
        frame = self.frame.to_native().with_columns(
            series.alias(name) for name, series in columns.items()
        )
        return replace(self, frame=nw.from_native(frame, eager_only=True))

    def keep(self, columns: Sequence[str], rows: Int[np.ndarray, "N"] | None = None) -> Any:
        """Some columns, in the user's own kind of frame and order of rows.

        Args:
            columns: which columns.
            rows: which rows, by number; all by default.

        Example:
            >>> from nonfat.data import read_table
            >>> read_table(np.array([[3, 0.5], [4, 0.7]]), names=["site", "when"]).keep(["when"])
            {'when': array([0.5, 0.7])}
        """
        return self._out(self._select(columns, rows))

    def attach(
        self,
        columns: Sequence[str],
        new: Mapping[str, np.ndarray],
        rows: Int[np.ndarray, "N"] | None = None,
    ) -> Any:
        """Some columns followed by new ones, in the user's own kind of frame.

        Args:
            columns: which of the table's columns.
            new: further columns, as arrays of numbers or truth values.
            rows: which rows, by number; all by default.

        Raises:
            DataError: a new column has the name of a kept one, or another length.

        Example:
            >>> from nonfat.data import read_table
            >>> table = read_table(pl.DataFrame({"site": ["a", "b"], "when": [1, 2]}))
            >>> table.attach(["site"], {"mean": np.array([0.5, 0.7])}).rows()
            [('a', 0.5), ('b', 0.7)]
        """
        kept = self._select(columns, rows)
        _check_new(kept, new)
        backend = kept.implementation
        added = [nw.new_series(name, array, backend=backend) for name, array in new.items()]
        return self._out(kept.with_columns(*added))

    def _select(self, columns: Sequence[str], rows: Int[np.ndarray, "N"] | None) -> nw.DataFrame:
        positions = [self.position(name) for name in columns]
        return self.frame[:, positions] if rows is None else self.frame[rows, positions]

    def _out(self, frame: nw.DataFrame) -> Any:
        if not self.arrays:
            return frame.to_native()
        return {str(name): frame[:, at].to_numpy() for at, name in enumerate(frame.columns)}


def _check_new(kept: nw.DataFrame, new: Mapping[str, np.ndarray]) -> None:
    clash = sorted({str(name) for name in kept.columns} & set(new))
    if clash:
        raise DataError(
            f"the answer has columns of its own called {quoted(clash)}; "
            "rename these columns of the table"
        )
    wrong = [name for name, array in new.items() if array.shape != (len(kept),)]
    if wrong:
        raise DataError(f"new columns {quoted(wrong)} should hold {len(kept)} entries each")
