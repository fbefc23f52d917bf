"""Estimators by name, and the way back from a file."""

import os

from nonfat import persist
from nonfat.errors import ConfigError, DataError, ModelFileError
from nonfat.estimators.base import Estimator
from nonfat.estimators.methods import METHODS
from nonfat.estimators.references import (
    AdditiveEffects,
    CellMean,
    GlobalMean,
    Interpolation,
    LastValue,
    MultiOutputGP,
)

__all__ = ["ESTIMATORS", "load"]

ESTIMATORS: dict[str, type[Estimator]] = {
    kind.__name__: kind
    for kind in (
        *METHODS,
        GlobalMean,
        CellMean,
        AdditiveEffects,
        Interpolation,
        LastValue,
        MultiOutputGP,
    )
}
"""Every estimator that a file or the command line can name."""


def load(path: str | os.PathLike[str]) -> Estimator:
    """Read a fitted estimator that ``save`` wrote; its predictions are the same to the last bit.

    Args:
        path: the file.

    Raises:
        ModelFileError: the file is missing, truncated, altered, foreign, or of a newer format.

    Example:
        >>> load("nowhere.nonfat")
        Traceback (most recent call last):
        nonfat.errors.ModelFileError: nowhere.nonfat: no such file; check the path
    """
    manifest, arrays = persist.read(path)
    name = manifest.get("estimator")
    if name not in ESTIMATORS:
        raise ModelFileError(f"{path}: holds an unknown kind of model, {name!r}")
    try:
        estimator = ESTIMATORS[name](**manifest["params"])
        estimator._restore(manifest, arrays)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except (KeyError, TypeError, ConfigError, DataError) as error:
        raise ModelFileError(
            f"{path}: its settings are not those of a {name} of this version ({error})"
        ) from error
    return estimator
