"""No NaN reaches a user: numbers are looked at before they are handed out."""

import numpy as np

from nonfat.errors import TrainingError

__all__ = ["require_finite", "require_numbers"]


def require_finite(what: str, *arrays: np.ndarray) -> None:
    """Refuse answers that are not finite; their last axis counts the rows.

    Raises:
        TrainingError: some are NaN or infinite.

    Example:
        >>> require_finite("prediction", np.array([0.5, np.nan]))
        Traceback (most recent call last):
        nonfat.errors.TrainingError: the model's prediction is not a finite number in 1 of 2 rows \
(first: 1); fit again with dtype='float64' or a lower learning_rate
    """
    _refuse(what, "a finite number", [~np.isfinite(array) for array in arrays])


def require_numbers(what: str, array: np.ndarray) -> None:
    """The same for log densities, which may be minus infinity but not NaN.

    Raises:
        TrainingError: some are NaN.
    """
    _refuse(what, "a number", [np.isnan(array)])


def _refuse(what: str, wanted: str, found: list[np.ndarray]) -> None:
    bad = np.zeros(found[0].shape[-1], dtype=bool)
    for odd in found:
        bad |= odd.reshape(-1, odd.shape[-1]).any(axis=0)
    if bad.any():
        raise TrainingError(
            f"the model's {what} is not {wanted} in {int(bad.sum())} of {len(bad)} rows "
            f"(first: {int(np.argmax(bad))}); fit again with dtype='float64' or a lower "
            "learning_rate"
        )
