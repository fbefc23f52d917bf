"""The estimator under test, and one that is fitted once for all."""

from functools import partial
from pathlib import Path

import polars as pl
import pytest

from contracts.support import CASES, REPRESENTATIVE, fast_compilation, make, standard_table
from nonfat.estimators import ESTIMATORS

HERE = Path(__file__).parent
NEEDS = ("trained", "trajectories", "seeded", "entities")


def pytest_collection_modifyitems(config, items):
    """Leaves out the tests that cannot apply to an estimator, or need not run for each."""
    left_out = [item for item in items if not _applies(item)]
    items[:] = [item for item in items if _applies(item)]
    config.hook.pytest_deselected(items=left_out)


def _applies(item):
    name = getattr(item, "callspec", None) and item.callspec.params.get("name")
    if item.path.parent != HERE or name not in CASES:  # an unknown one fails in `name`
        return True
    marks = {mark.name for mark in item.iter_markers()}
    if "once" in marks and name != REPRESENTATIVE:
        return False
    return all(getattr(CASES[name], need) for need in marks & set(NEEDS))


@pytest.fixture(scope="package", autouse=True)
def quickly_compiled():
    with fast_compilation():
        yield


@pytest.fixture(scope="package", params=sorted(ESTIMATORS))
def name(request):
    if request.param not in CASES:
        pytest.fail(f"list {request.param} in tests/contracts/support.py, with fast options")
    return request.param


@pytest.fixture(scope="package")
def new(name):
    """A function from options to an unfitted estimator."""
    return partial(make, name)


@pytest.fixture(scope="package")
def table():
    return standard_table()


@pytest.fixture(scope="package")
def case(name):
    return CASES[name]


@pytest.fixture(scope="package")
def model(new, table, quickly_compiled):
    """Fitted on the standard table; tests leave it as it is."""
    return new().fit(table)


@pytest.fixture(scope="package")
def continuous(new, table, quickly_compiled):
    """Fitted on the same table with times that are floats."""
    return new().fit(table.with_columns(pl.col("when").cast(pl.Float64)))


@pytest.fixture(scope="package")
def in_pandas(new, table, quickly_compiled):
    """Fitted on the same table as a frame of pandas."""
    return new().fit(table.to_pandas())
