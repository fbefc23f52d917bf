"""Labels to JSON and back, exactly: whatever JSON cannot tell apart carries a tag."""

import base64
import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from nonfat._typing import Label
from nonfat.errors import DataError

__all__ = ["label_from_json", "label_to_json"]


def label_to_json(label: Label) -> Any:
    """Writes one label as JSON.

    Raises:
        DataError: the label's type has no exact JSON form.

    Example:
        >>> label_to_json("Dongsi"), label_to_json((1, 1.0))
        ('Dongsi', {'tuple': [1, {'float': '1.0'}]})
    """
    if label is None or type(label) in (str, int, bool):
        return label
    if type(label) is tuple:
        return {"tuple": [label_to_json(part) for part in label]}
    if type(label) not in _WRITERS:
        raise DataError(_no_form(label))
    tag, write = _WRITERS[type(label)]
    return {tag: write(label)}


def label_from_json(tree: Any) -> Label:
    """Reads back what `label_to_json` wrote.

    Example:
        >>> label_from_json({"date": "2024-02-29"})
        datetime.date(2024, 2, 29)
    """
    if not isinstance(tree, dict):
        return tree
    if len(tree) != 1 or next(iter(tree)) not in _READERS:
        raise DataError(f"not a label this version of nonfat can read: {tree!r}")
    ((tag, content),) = tree.items()
    return _READERS[tag](content)


def _no_form(label: Label) -> str:
    return (
        f"the label {label!r} is of type {type(label).__name__}, which cannot be saved; turn that "
        "column into strings or integers before fitting (str, int, float, bool, bytes, Decimal, "
        "UUID, dates, times and tuples of these are saved exactly)"
    )


def _duration(span: dt.timedelta) -> list[int]:
    return [span.days, span.seconds, span.microseconds]


def _zoned(moment: dt.datetime | dt.time) -> dict[str, Any]:
    """Splits off the zone, so that its name and the fold survive and not just the offset."""
    zone = moment.tzinfo
    tree: dict[str, Any] = {"local": moment.replace(tzinfo=None).isoformat(), "fold": moment.fold}
    if isinstance(zone, ZoneInfo) and zone.key is not None:
        return tree | {"zone": zone.key}
    if isinstance(zone, dt.timezone):
        return tree | {"offset": _duration(zone.utcoffset(None))}
    if zone is None:
        return tree
    raise DataError(_no_form(moment))


def _zone_of(tree: dict[str, Any]) -> dt.tzinfo | None:
    if "zone" in tree:
        return ZoneInfo(tree["zone"])
    return dt.timezone(dt.timedelta(*tree["offset"])) if "offset" in tree else None


def _read_datetime(tree: dict[str, Any]) -> dt.datetime:
    local = dt.datetime.fromisoformat(tree["local"])
    return local.replace(tzinfo=_zone_of(tree), fold=tree["fold"])


def _read_time(tree: dict[str, Any]) -> dt.time:
    local = dt.time.fromisoformat(tree["local"])
    return local.replace(tzinfo=_zone_of(tree), fold=tree["fold"])


_WRITERS: dict[type, tuple[str, Callable[[Any], Any]]] = {
    float: ("float", repr),  # JSON has no infinity, and many readers take 1.0 for 1
    bytes: ("bytes", lambda label: base64.b64encode(label).decode("ascii")),
    dt.date: ("date", dt.date.isoformat),
    dt.datetime: ("datetime", _zoned),
    dt.time: ("time", _zoned),
    dt.timedelta: ("timedelta", _duration),
    Decimal: ("decimal", str),
    UUID: ("uuid", str),
}

_READERS: dict[str, Callable[[Any], Label]] = {
    "float": float,
    "bytes": base64.b64decode,
    "date": dt.date.fromisoformat,
    "datetime": _read_datetime,
    "time": _read_time,
    "timedelta": lambda parts: dt.timedelta(*parts),
    "decimal": Decimal,
    "uuid": UUID,
    "tuple": lambda parts: tuple(label_from_json(part) for part in parts),
}
