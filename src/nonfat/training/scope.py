"""Process-wide switches, set for the time of a computation only."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Literal

import jax
from threadpoolctl import ThreadpoolController

__all__ = ["DType", "scoped"]

DType = Literal["float32", "float64"]


@cache
def _libraries() -> ThreadpoolController:
    """Found once: looking through all that a process has loaded takes 2 ms, setting 10 µs."""
    import scipy.linalg  # noqa: F401  (loads the BLAS that jaxlib calls)

    return ThreadpoolController()


@contextmanager
def scoped(dtype: DType) -> Iterator[None]:
    """Precision as asked for, and one BLAS thread; both are undone after.

    jaxlib calls SciPy's OpenBLAS for small triangular solves and Cholesky factors. With several
    threads a 100 × 100 solve was measured at up to 10 ms instead of 0.03 ms.

    Example:
        >>> with scoped("float64"):
        ...     print(jax.numpy.ones(1).dtype)
        float64
    """
    with _libraries().limit(limits=1, user_api="blas"), jax.enable_x64(dtype == "float64"):
        yield
