"""Warnings that point at the user's line, however deep inside nonfat they arise."""

import sys
import warnings

from nonfat.errors import DataWarning, NonfatWarning

__all__ = ["notice"]

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
