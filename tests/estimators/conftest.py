"""A fitted NONFAT for all tests of this folder."""

import pytest

from contracts.support import fast_compilation, make, standard_table


@pytest.fixture(scope="package", autouse=True)
def quickly_compiled():
    with fast_compilation():
        yield


@pytest.fixture(scope="package")
def table():
    return standard_table()


@pytest.fixture(scope="package")
def model(table, quickly_compiled):
    return make("NONFAT").fit(table)
