"""The numbers of the paper's Tables 1 and 2 (Wang and Zhe, ICML 2022), as printed.

Each is the mean over five runs and, after "±", what its authors' code shows to be a standard
error. "RMSE" there is relative: RMSE / RMS of the test values.
"""

from dataclasses import dataclass

__all__ = ["PUBLISHED", "STANDS_FOR", "Number", "published"]


@dataclass(frozen=True)
class Number:
    """A printed number.

    Attributes:
        mean: over five runs.
        error: what stands after "±".
    """

    mean: float
    error: float


STANDS_FOR = {"ctr10k": "mobile-ads"}
"""Datasets that stand in for one of the paper's, which is too large or not at hand."""

_OURS = {"NONFAT-paper": "NONFAT"}
"""Names of ours for the methods of the paper; NONFAT with our own settings is not in it."""

_COLUMNS = (2, 3, 5, 7)

_TABLES = {
    ("relative_rmse", "beijing"): """
        NONFAT 0.340 0.006  0.315 0.001  0.314 0.001  0.326 0.006
        CPCT   0.997 0.001  0.997 0.001  1.002 0.002  1.002 0.002
        GPCT   0.372 0.001  0.366 0.001  0.363 0.001  0.364 0.001
        NNCT   0.986 0.002  0.988 0.002  0.977 0.012  0.987 0.003
        GPDTL  0.884 0.001  0.884 0.001  0.885 0.001  0.884 0.001
        NNDTL  0.356 0.003  0.358 0.005  0.333 0.003  0.315 0.002
        GPDTN  0.884 0.001  0.884 0.001  0.884 0.001  0.884 0.001
        NNDTN  0.365 0.005  0.337 0.006  0.336 0.003  0.319 0.005""",
    ("relative_rmse", "mobile-ads"): """
        NONFAT 0.652 0.002  0.635 0.003  0.638 0.006  0.637 0.005
        CPCT   1.001 0.004  0.986 0.018  1.009 0.009  0.971 0.010
        GPCT   0.660 0.003  0.661 0.003  0.662 0.001  0.659 0.003
        NNCT   0.822 0.001  0.822 0.001  0.822 0.001  0.822 0.001
        GPDTL  0.714 0.006  0.695 0.004  0.695 0.004  0.695 0.003
        NNDTL  0.646 0.003  0.646 0.002  0.642 0.003  0.640 0.003
        GPDTN  0.667 0.003  0.661 0.003  0.668 0.003  0.669 0.003
        NNDTN  0.646 0.004  0.645 0.002  0.640 0.003  0.638 0.003""",
    ("relative_rmse", "dblp"): """
        NONFAT 0.188 0.003  0.188 0.003  0.189 0.003  0.189 0.003
        CPCT   1.004 0.003  1.004 0.002  1.005 0.002  1.001 0.004
        GPCT   0.189 0.003  0.191 0.003  0.192 0.003  0.196 0.003
        NNCT   0.188 0.003  0.188 0.003  0.188 0.003  0.189 0.003
        GPDTL  0.208 0.004  0.223 0.003  0.221 0.003  0.224 0.003
        NNDTL  0.188 0.003  0.188 0.003  0.189 0.003  0.189 0.003
        GPDTN  0.206 0.002  0.218 0.003  0.224 0.003  0.225 0.002
        NNDTN  0.188 0.003  0.188 0.003  0.188 0.003  0.189 0.003""",
    ("log_likelihood", "beijing"): """
        NONFAT -0.343 0.018  -0.264 0.003  -0.260 0.004  -0.297 0.017
        GPCT   -0.420 0.001  -0.406 0.001  -0.401 0.001  -0.401 0.001
        GPDTL  -1.299 0.001  -1.299 0.001  -1.299 0.001  -1.299 0.001
        GPDTN  -1.299 0.001  -1.299 0.001  -1.299 0.001  -1.299 0.001""",
    ("log_likelihood", "mobile-ads"): """
        NONFAT -0.726 0.004  -0.705 0.003  -0.709 0.007  -0.706 0.008
        GPCT   -0.733 0.002  -0.737 0.005  -0.734 0.004  -0.735 0.004
        GPDTL  -1.843 0.009  -1.807 0.006  -1.822 0.008  -1.830 0.003
        GPDTN  -0.774 0.003  -0.762 0.004  -0.804 0.006  -0.806 0.003""",
    ("log_likelihood", "dblp"): """
        NONFAT 0.201 0.019  0.201 0.019  0.199 0.017  0.199 0.017
        GPCT   0.129 0.009  0.105 0.009  0.104 0.011  0.087 0.013
        GPDTL  0.102 0.023  0.004 0.025  0.035 0.019  0.022 0.019
        GPDTN  0.114 0.012  0.041 0.019  0.019 0.020  0.013 0.015""",
}


def _read() -> dict[tuple[str, str, str, int], Number]:
    found = {}
    for (score, dataset), text in _TABLES.items():
        for row in text.split("\n")[1:]:
            method, *numbers = row.split()
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            for rank, (mean, error) in zip(_COLUMNS, pairs, strict=True):
                found[score, dataset, method, rank] = Number(float(mean), float(error))
    return found


PUBLISHED: dict[tuple[str, str, str, int], Number] = _read()
"""By score, dataset, method (as the paper calls it) and R."""


def published(score: str, dataset: str, method: str, rank: int | None) -> Number | None:
    """What the paper has for one of our rows; None if it has nothing.

    Example:
        >>> published("relative_rmse", "beijing", "NONFAT-paper", 3)
        Number(mean=0.315, error=0.001)
        >>> published("relative_rmse", "beijing", "NONFAT", 3) is None  # our own settings
        True
    """
    if rank is None or method in _OURS.values():
        return None
    key = score, STANDS_FOR.get(dataset, dataset), _OURS.get(method, method), rank
    return PUBLISHED.get(key)
