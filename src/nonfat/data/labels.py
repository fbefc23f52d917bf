"""What a label is: plain Python values, told apart by value *and* type."""

import datetime as dt
from collections.abc import Hashable, Iterable
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from nonfat._typing import Label
from nonfat.errors import DataError

__all__ = ["in_order", "is_missing", "key", "looks", "plain"]


def is_missing(item: Any) -> bool:
    """Whether an object stands for "nothing here": None, NaN, NaT or pandas' NA.

    Example:
        >>> [is_missing(item) for item in (None, float("nan"), "", 0)]
        [True, True, False, False]
    """
    if item is None or type(item).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(item, float | np.floating | np.datetime64 | np.timedelta64 | Decimal):
        return bool(item != item)  # noqa: PLR0124 - only a not-a-number differs from itself
    return False


def plain(item: Any) -> Any:
    """Turns NumPy and pandas scalars into the Python values they stand for.

    Example:
        >>> plain(np.int64(7)), plain(np.str_("a")), plain((np.float32(0.5), "b"))
        (7, 'a', (0.5, 'b'))
    """
    if type(item) is tuple:
        return tuple(plain(part) for part in item)
    if isinstance(item, np.datetime64 | np.timedelta64):
        return _from_numpy_time(item)
    if isinstance(item, np.generic):
        return item.item()
    if isinstance(item, dt.datetime):
        return _plain_datetime(item)
    if hasattr(item, "to_pytimedelta"):
        _refuse_nanoseconds(item, item.nanoseconds)
        return item.to_pytimedelta()
    return item


def _from_numpy_time(item: np.datetime64 | np.timedelta64) -> Any:
    value = item.item()
    if not isinstance(value, int):  # NumPy gives a bare count for nanoseconds
        return value
    _refuse_nanoseconds(item, value % 1000)
    kind = np.datetime64 if isinstance(item, np.datetime64) else np.timedelta64
    return item.astype(f"{np.dtype(kind).char}8[us]").item()


def _plain_datetime(item: dt.datetime) -> dt.datetime:
    if hasattr(item, "to_pydatetime"):
        _refuse_nanoseconds(item, getattr(item, "nanosecond", 0))
        item = item.to_pydatetime()
    if item.tzinfo is None or isinstance(item.tzinfo, ZoneInfo | dt.timezone):
        return item
    return item.astimezone(_plain_zone(item))


def _plain_zone(item: dt.datetime) -> dt.tzinfo:
    name = getattr(item.tzinfo, "zone", None)  # pytz
    return ZoneInfo(name) if name else dt.timezone(item.utcoffset() or dt.timedelta())


def _refuse_nanoseconds(item: Any, nanoseconds: int) -> None:
    if nanoseconds:
        raise DataError(
            f"{item!r} has nanoseconds, which Python's own times cannot hold; "
            "make it a column of type datetime64[ns] (for times) or of strings (for ids)"
        )


def key(label: Label) -> Hashable:
    """What tells labels apart: ``1``, ``1.0`` and ``True`` are three entities, not one.

    Two zoned datetimes are the same label when they are the same instant. (Python's own
    comparison ignores the fold and so confuses the two 01:30 of an autumn night.)

    Example:
        >>> key(1) == key(True), key((1, "a")) == key((1.0, "a")), key("a") == key("a")
        (False, False, True)
    """
    if type(label) in (str, int):  # nearly always; the rest is slower
        return (type(label), label)
    if type(label) is tuple:
        return (tuple, tuple(key(part) for part in label))
    if isinstance(label, dt.datetime) and label.utcoffset() is not None:
        return (dt.datetime, label.astimezone(dt.UTC))
    if is_missing(label):  # inside a tuple; NaN would differ from itself
        return (type(label), "missing")
    return (type(label), label)


def in_order(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Sorts labels if they can be sorted; else keeps the order of first appearance.

    Example:
        >>> in_order(["b", "a"]), in_order(["b", 1])
        (('a', 'b'), ('b', 1))
    """
    labels = tuple(labels)
    try:
        return tuple(sorted(labels))  # type: ignore[type-var]
    except TypeError:
        return labels


def looks(label: Label) -> set[str]:
    """The texts a label would have if its type had been lost on the way.

    Example:
        >>> looks(7) & looks("7") & looks(7.0)
        {'7'}
    """
    texts = {str(label)}
    if isinstance(label, bool):
        texts |= {str(label).lower(), str(int(label))}
    elif isinstance(label, float | Decimal) and label == label // 1:
        texts.add(str(int(label)))
    elif isinstance(label, bytes):
        texts.add(label.decode("utf-8", "replace"))
    elif isinstance(label, dt.datetime):
        texts |= {label.isoformat(), str(label.date())} if _midnight(label) else {label.isoformat()}
    return texts


def _midnight(label: dt.datetime) -> bool:
    return label.time() == dt.time()
