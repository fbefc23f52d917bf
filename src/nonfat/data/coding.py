"""The entities of one mode: labels to integer codes and back."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Int, Int32

from nonfat._typing import Label
from nonfat.data.columns import as_series, from_objects
from nonfat.data.label_json import label_from_json, label_to_json
from nonfat.data.labels import in_order, key, looks
from nonfat.data.wording import rows_where
from nonfat.errors import DataError

__all__ = ["Vocabulary", "check_ids"]

UNSEEN = -1


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The labels of one mode; the code of a label is its place among them.

    Labels are told apart by value and type: ``1``, ``1.0``, ``True`` and ``"1"`` are four
    entities.

    Attributes:
        labels: the entities' labels, sorted if they can be sorted, else in order of appearance.

    Example:
        >>> sites = Vocabulary.learn(["b", "a", "b"])
        >>> sites.labels, sites.encode(["a", "z"]).tolist(), sites.decode(np.array([1, 0]))
        (('a', 'b'), [0, -1], ['b', 'a'])
    """

    labels: tuple[Label, ...]

    def __repr__(self) -> str:
        first = ", ".join(repr(label) for label in self.labels[:3])
        return f"Vocabulary({first}{', ...' if len(self) > 3 else ''}; {len(self):,} labels)"

    @classmethod
    def learn(cls, column: Any) -> "Vocabulary":
        """Collects the distinct labels of a column.

        Args:
            column: a series, a 1-D array or a list of any hashable labels.

        Raises:
            DataError: some labels are missing, or cannot be labels.
        """
        labels = _distinct(check_ids(as_series(column)))
        return cls(in_order({key(label): label for label in labels}.values()))

    def encode(self, column: Any) -> Int32[np.ndarray, "N"]:
        """Gives each label of a column its code, -1 if it was never seen.

        Raises:
            DataError: some labels are missing, or none is known because all have another type.
        """
        series = check_ids(as_series(column))
        codes = _by_distinct(series, self._codes)
        if len(codes) and len(self) and codes.max() == UNSEEN:
            self._refuse_lookalikes(series)
        return codes

    def encode_text(self, written: pl.Series) -> Int32[np.ndarray, "N"]:
        """Like `encode`, for text files: any label is known by how it is written.

        Example:
            >>> Vocabulary((7, 12)).encode_text(pl.Series(["12", "seven"])).tolist()
            [1, -1]
        """
        return _by_distinct(check_ids(written), self._codes_of_texts)

    def decode(self, codes: Int[np.ndarray, "N"]) -> list[Label]:
        """Gives each code its label.

        Raises:
            DataError: a code stands for no entity (-1 does not).
        """
        codes = np.asarray(codes)
        bad = (codes < 0) | (codes >= len(self))
        if bad.any():
            raise DataError(f"codes run from 0 to {len(self) - 1}, got {codes[bad][0]}")
        return [self.labels[code] for code in codes.tolist()]

    def used(self, codes: Int32[np.ndarray, "N"]) -> tuple[Int32[np.ndarray, "N"], "Vocabulary"]:
        """The vocabulary of the labels that occur, in their order, and codes that point into it.

        Example:
            >>> Vocabulary(("a", "b", "c")).used(np.array([2, 0, 2, -1], np.int32))
            (array([ 1,  0,  1, -1], dtype=int32), Vocabulary('a', 'c'; 2 labels))
        """
        occurs = np.zeros(len(self), dtype=bool)
        occurs[codes[codes >= 0]] = True
        if occurs.all():
            return codes, self
        place = np.append(np.cumsum(occurs, dtype=np.int32) - 1, np.int32(UNSEEN))
        labels = tuple(label for label, kept in zip(self.labels, occurs, strict=True) if kept)
        return place[codes], Vocabulary(labels)

    def to_json(self) -> list[Any]:
        """The labels as a JSON array, exactly.

        Raises:
            DataError: a label is of a type that cannot be saved.
        """
        return [label_to_json(label) for label in self.labels]

    @classmethod
    def from_json(cls, tree: Sequence[Any]) -> "Vocabulary":
        """Reads back what `to_json` wrote."""
        return cls(tuple(label_from_json(part) for part in tree))

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and list(self._codes) == list(other._codes)

    def __hash__(self) -> int:
        return hash(tuple(self._codes))

    @cached_property
    def _codes(self) -> dict[Hashable, int]:
        return {key(label): code for code, label in enumerate(self.labels)}

    @cached_property
    def _codes_of_texts(self) -> dict[Hashable, int]:
        pairs = list(enumerate(self.labels))
        loose = {key(text): code for code, label in pairs for text in looks(label)}
        usual = {key(str(label)): code for code, label in pairs}
        exact = {key(label): code for code, label in pairs if type(label) is str}
        return loose | usual | exact

    def _refuse_lookalikes(self, series: pl.Series) -> None:
        ours = {text: label for label in self.labels for text in looks(label)}
        for theirs in _distinct(series):
            known = next((ours[text] for text in looks(theirs) if text in ours), None)
            if known is not None:
                raise DataError(
                    f"no id in column '{series.name}' is known, because their type differs: the "
                    f"model knows {_typed(known)}, this table has {_typed(theirs)}; convert the "
                    f"column to {type(known).__name__}"
                )


def _typed(label: Label) -> str:
    return f"{label!r} ({type(label).__name__})"


def check_ids(series: pl.Series) -> pl.Series:
    """Refuses columns that cannot hold labels, and rows without one.

    Example:
        >>> check_ids(pl.Series("site", ["a", None]))
        Traceback (most recent call last):
        nonfat.errors.DataError: column 'site' has no id in row 1 (None); drop these rows ...
    """
    if isinstance(series.dtype, pl.Categorical | pl.Enum):
        series = series.cast(pl.String)
    if series.dtype.is_nested():
        raise DataError(
            f"column '{series.name}' holds {series.dtype}, which cannot be ids; "
            "use strings, integers or other hashable labels"
        )
    missing = series.is_null()
    if series.dtype.is_float():
        missing |= series.is_nan()
    if missing.any():
        raise DataError(
            f"column '{series.name}' has no id in {rows_where(missing.to_numpy(), series)}; "
            "drop these rows or give them an id"
        )
    _refuse_nanoseconds(series)
    if series.dtype.is_decimal():  # older polars find no distinct decimals
        return from_objects(series.to_list()).rename(series.name)
    return series


def _refuse_nanoseconds(series: pl.Series) -> None:
    if getattr(series.dtype, "time_unit", None) != "ns" and series.dtype != pl.Time:
        return
    fine = series.to_physical() % 1000 != 0
    if fine.any():
        raise DataError(
            f"column '{series.name}' has ids with nanoseconds in {rows_where(fine.to_numpy())}; "
            "ids keep microseconds: round them, or make them strings"
        )


def _distinct(series: pl.Series) -> list[Label]:
    """The distinct labels (of objects: all of them), as Python values, by first appearance."""
    if series.dtype != pl.Object:
        return series.unique(maintain_order=True).to_list()
    labels = series.to_list()
    for row, label in enumerate(labels):
        try:
            hash(label)
        except TypeError:
            raise DataError(
                f"column '{series.name}' holds a {type(label).__name__} in row {row} ({label!r}), "
                "which cannot be an id; use strings, integers or other hashable labels"
            ) from None
    return labels


def _by_distinct(series: pl.Series, codes: dict[Hashable, int]) -> Int32[np.ndarray, "N"]:
    """Looks up each *distinct* label in Python, and spreads the answer over the rows in polars."""
    labels = _distinct(series)
    found = _look_up(labels, codes)
    if series.dtype == pl.Object or not len(series):
        return found
    distinct = series.unique(maintain_order=True)
    spread = series.replace_strict(distinct, pl.Series(found), default=None, return_dtype=pl.Int32)
    return spread.to_numpy()


def _look_up(labels: Iterable[Label], codes: dict[Hashable, int]) -> Int32[np.ndarray, "N"]:
    return np.array([codes.get(key(label), UNSEEN) for label in labels], dtype=np.int32)
