"""Warnings that point at the user's line, however deep inside nonfat they arise."""

import sys
import warnings
from collections.abc import Sequence

from nonfat.data.wording import quoted
from nonfat.errors import DataWarning, NonfatWarning

__all__ = ["notice", "warn_of_lone_entities"]

_OURS = {"nonfat", "jaxtyping", "beartype"}  # the latter two wrap our functions in tests


def notice(message: str, category: type[NonfatWarning] = DataWarning) -> None:
    """Issues a warning in the name of the first caller outside this package.

    Example:
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     notice("a row is missing")
        >>> caught[0].category.__name__
        'DataWarning'
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _OURS:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_of_lone_entities(modes: Sequence[str], shape: Sequence[int]) -> None:
    """Tells of modes that have a single entity."""
    lone = [name for name, size in zip(modes, shape, strict=True) if size == 1]
    if len(lone) == 1:
        notice(
            f"a single entity in the mode {quoted(lone)}: it tells no rows apart, "
            "so the model may do as well without that column"
        )
    elif lone:
        notice(
            f"a single entity in each of the modes {quoted(lone)}: they tell no rows apart, "
            "so the model may do as well without these columns"
        )
