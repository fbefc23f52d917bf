"""What there is to choose from: estimators by name, with a line on each."""

import difflib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nonfat.errors import ConfigError
from nonfat.estimators.base import Kind
from nonfat.estimators.registry import ESTIMATORS

__all__ = ["Method", "create", "find", "methods", "spelt"]


@dataclass(frozen=True)
class Method:
    """An estimator in one line.

    Attributes:
        name: what users type.
        kind: ``"method"``, or ``"reference"`` for a plain predictor that methods are held against.
        composition: its time representation and combiner, such as "trajectories × sparse GP";
            empty if it is not made of these.
        summary: the first line of its documentation.

    Example:
        >>> next(method.summary for method in methods() if method.name == "NONFAT")
        'Entities as trajectories in time, combined by a Gaussian process.'
    """

    name: str
    kind: Kind
    composition: str
    summary: str


def methods() -> list[Method]:
    """Every estimator, methods first, then references.

    Example:
        >>> "NONFAT" in [method.name for method in methods()]
        True
    """
    found = [_described(name) for name in ESTIMATORS]
    return sorted(found, key=lambda method: method.kind == "reference")


def _described(name: str) -> Method:
    kind = ESTIMATORS[name]
    lines = (kind.__doc__ or "").strip().splitlines()
    return Method(
        name=name,
        kind=kind.kind,
        composition=kind.composition,
        summary=lines[0].strip() if lines else "",
    )


def find(name: str) -> str:
    """An estimator's name as it is spelt, from the name in capitals or not.

    Raises:
        ConfigError: no estimator has this name.

    Example:
        >>> find("nonfat")
        'NONFAT'
        >>> find("nonft")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: no method is called 'nonft'; did you mean NONFAT? \
'nonfat methods' lists all of them
    """
    return spelt(name, list(ESTIMATORS))


def spelt(name: str, known: list[str]) -> str:
    """The one of some names that is meant, whatever its case; errors speak of methods.

    Example:
        >>> spelt("cellmean", ["CellMean", "LastValue"])
        'CellMean'
    """
    by_case = {entry.casefold(): entry for entry in known}
    if name.casefold() in by_case:
        return by_case[name.casefold()]
    close = difflib.get_close_matches(name.casefold(), by_case, n=1)
    hint = f"did you mean {by_case[close[0]]}? " if close else ""
    raise ConfigError(f"no method is called {name!r}; {hint}'nonfat methods' lists all of them")


def create(name: str, options: Mapping[str, Any], wishes: Mapping[str, Any] | None = None) -> Any:
    """An estimator that is not fitted yet.

    Args:
        name: as `find` takes it.
        options: to construct it with.
        wishes: options too, but left out where the estimator has no such option.

    Raises:
        ConfigError: no estimator has this name, or it lacks one of `options`.

    Example:
        >>> create("nonfat", {"rank": 2}, {"rank_of_the_day": 3})
        NONFAT(rank=2)
        >>> create("nonfat", {"rnk": 2})
        Traceback (most recent call last):
        nonfat.errors.ConfigError: NONFAT has no option rnk; did you mean rank?
    """
    name = find(name)
    kind = ESTIMATORS[name]
    known = inspect.signature(kind).parameters
    for option in options:
        if option not in known:
            close = difflib.get_close_matches(option, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ConfigError(f"{name} has no option {option}{hint}")
    granted = {key: value for key, value in (wishes or {}).items() if key in known}
    return kind(**{**granted, **options})
