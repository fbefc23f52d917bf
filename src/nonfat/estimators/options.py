"""Checks of the options that a user can set, with errors that say what would do."""

from collections.abc import Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

from nonfat.errors import ConfigError

__all__ = ["choice", "number", "seed", "switch", "whole"]


def whole(name: str, value: Any, *, least: int = 1, most: int | None = None) -> int:
    """A whole number of at least `least`, and at most `most` if that is given.

    Example:
        >>> whole("rank", 0)
        Traceback (most recent call last):
        nonfat.errors.ConfigError: rank must be a whole number of at least 1, got 0
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ConfigError(f"{name} must be a whole number of at least {least}, got {value!r}")
    if most is not None and int(value) > most:
        raise ConfigError(f"{name} must be a whole number of at most {most}, got {value!r}")
    return int(value)


def seed(value: Any) -> int:
    """A seed that NumPy and JAX both take.

    Example:
        >>> seed(-1)
        Traceback (most recent call last):
        nonfat.errors.ConfigError: seed must be a whole number of at least 0, got -1
    """
    return whole("seed", value, least=0, most=2**63 - 1)


def switch(name: str, value: Any) -> bool | None:
    """On, off, or None for what fits the occasion.

    Example:
        >>> switch("progress", "no")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: progress must be True, False or None, got 'no'
    """
    if value is None or isinstance(value, bool):
        return value
    raise ConfigError(f"{name} must be True, False or None, got {value!r}")


def number(name: str, value: Any, *, above: float, below: float, closed: bool = False) -> float:
    """A number strictly between two bounds; if `closed`, `above` itself will do.

    Example:
        >>> number("learning_rate", "fast", above=0, below=1)
        Traceback (most recent call last):
        nonfat.errors.ConfigError: learning_rate must be a number between 0 and 1, got 'fast'
    """
    good = isinstance(value, Real) and not isinstance(value, bool)
    if not good or not (above < value < below or (closed and value == above)):
        raise ConfigError(f"{name} must be a number between {above:g} and {below:g}, got {value!r}")
    return float(value)


def choice(name: str, value: Any, known: Sequence[str]) -> str:
    """One of some names, with a suggestion on a typo.

    Example:
        >>> choice("preset", "papr", ["default", "paper"])
        Traceback (most recent call last):
        nonfat.errors.ConfigError: preset must be one of 'default', 'paper', got 'papr'; \
did you mean 'paper'?
    """
    if isinstance(value, str) and value in known:
        return value
    close = get_close_matches(str(value), known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    names = ", ".join(repr(entry) for entry in known)
    raise ConfigError(f"{name} must be one of {names}, got {value!r}{hint}")
