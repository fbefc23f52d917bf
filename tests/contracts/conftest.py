"""The estimator under test, and one that is fitted once for all."""

from functools import partial

import pytest

from contracts.support import CASES, fast_compilation, make, standard_table
from nonfat.estimators import ESTIMATORS


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
def model(new, table, quickly_compiled):
    """Fitted on the standard table; tests leave it as it is."""
    return new().fit(table)
