"""Strict rules for all tests: shapes and types checked, one BLAS thread, no silent promotion.

Warnings are errors (pyproject.toml). The tests of the mathematical core also refuse implicit
promotion of dtypes.
"""

import os
import sys
from pathlib import Path

from jaxtyping import install_import_hook

CORE = (
    "numerics",
    "kernels",
    "posteriors",
    "likelihoods",
    "times",
    "combiners",
    "models",
    "training",
)

# Before anything imports nonfat: annotations of the core are checked at every call. The layers
# above answer a wrong argument with an error of their own that teaches, and are tested for it.
install_import_hook([f"nonfat.{name}" for name in CORE], "beartype.beartype")

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))  # for `from reference... import`

import jax  # noqa: E402
import pytest  # noqa: E402
from threadpoolctl import threadpool_limits  # noqa: E402


def _group(item):
    """What shares compiled programs: the tests of an estimator's contract, those of a file."""
    name = getattr(item, "callspec", None) and item.callspec.params.get("name")
    contract = item.path.parent == ROOT / "tests" / "contracts"
    return str(name) if contract and name else str(item.path)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Tests that share compiled programs run in one process (``--dist loadgroup``)."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))


def pytest_runtest_teardown(item, nextitem):
    """Programs that no later test will call are let go: a process can map only so many."""
    if nextitem is None or _group(nextitem) != _group(item):
        jax.clear_caches()


@pytest.fixture(scope="session", autouse=True)
def one_blas_thread():
    """Small factorisations are slower on several threads, and tests share the machine."""
    import scipy.linalg  # noqa: F401  (loads the BLAS that jaxlib calls, so that the limit sees it)

    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture(autouse=True)
def strict_promotion(request):
    """The mathematical core never relies on implicit promotion of dtypes (optax does)."""
    folder = request.path.parent
    if folder.parent != ROOT / "tests" or folder.name not in CORE or folder.name == "training":
        yield
        return
    with jax.numpy_dtype_promotion("strict"):
        yield


@pytest.fixture
def x64():
    """Double precision for one test."""
    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="session")
def shared_data():
    """A function from the name of benchmark data to its path; it skips where that is missing.

    The folder is that of NONFAT_DATA, else shared/data beside the checkout.
    """
    named = os.environ.get("NONFAT_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"

    def path(name: str) -> Path:
        if not (folder / name).exists():
            pytest.skip(f"needs {name} in the folder that NONFAT_DATA names, or in ../shared/data")
        return folder / name

    return path
