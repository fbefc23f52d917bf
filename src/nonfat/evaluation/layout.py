"""What a table of results is made of, before it is text."""

from dataclasses import dataclass, field
from typing import Literal

from nonfat.evaluation.entries import Difference, Entry, direction

__all__ = ["Page", "Row", "Section", "Which"]

Which = Literal["oracle", "honest", "published", "reference"]


@dataclass(frozen=True)
class Row:
    """A line of a table.

    Attributes:
        name: of the method.
        which: of its numbers.
        entries: one for each column.
    """

    name: str
    which: Which
    entries: list[Entry]


@dataclass(frozen=True)
class Section:
    """The part of a table that is of one dataset.

    Attributes:
        score: one of `nonfat.evaluation.judge.SCORES`.
        dataset: its name.
        title: of the section.
        columns: headings.
        rows: methods, then references.
        differences: of methods to the best reference.
        notes: what a reader has to know of the data.
    """

    score: str
    dataset: str
    title: str
    columns: list[str]
    rows: list[Row]
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def best(self, column: int, *kinds: Which) -> Row | None:
        """The row with the best number of a column among some kinds of rows; None without any."""
        more = direction(self.score)
        rows = [row for row in self.rows if row.which in kinds and _mean(row, column) is not None]
        if not rows or more is None:
            return None
        choose = max if more else min
        return choose(rows, key=lambda row: row.entries[column].mean or 0.0)

    def is_best(self, row: Row, column: int) -> bool:
        """Whether an entry is the best of its column, as it is shown, among its kind.

        Oracles compete with oracles, printed numbers with printed numbers, and what was measured
        honestly with the references.
        """
        kinds: tuple[Which, ...] = (row.which,)
        if row.which in ("honest", "reference"):
            kinds = ("honest", "reference")
        mine, top = _mean(row, column), self.best(column, *kinds)
        best = _mean(top, column) if top else None
        return mine is not None and best is not None and f"{mine:.3f}" == f"{best:.3f}"

    def remarks(self) -> list[str]:
        """A sentence wherever no method is better than the best reference."""
        found = list(self.notes)
        for which in ("honest", "oracle"):
            for column, heading in enumerate(self.columns):
                top, mark = self.best(column, which), self.best(column, "reference")
                if top is None or mark is None or self._beats(top, mark, column):
                    continue
                mine, theirs = _mean(top, column), _mean(mark, column)
                found.append(
                    f"No method beats the references at {heading} ({which}): {mark.name} has "
                    f"{theirs:.3f}, the best method, {top.name}, {mine:.3f}."
                )
        return found

    def _beats(self, row: Row, mark: Row, column: int) -> bool:
        mine, theirs = _mean(row, column) or 0.0, _mean(mark, column) or 0.0
        return mine > theirs if direction(self.score) else mine < theirs


@dataclass(frozen=True)
class Page:
    """A table.

    Attributes:
        number: 1 and 2 are the paper's.
        title: what it shows.
        sections: one for each dataset.
    """

    number: int
    title: str
    sections: list[Section]


def _mean(row: Row, column: int) -> float | None:
    """The number that a row competes with; of fewer folds than the others it does not."""
    entry = row.entries[column]
    return None if entry.partial else entry.mean
