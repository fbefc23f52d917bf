"""The exposure column: read, checked, kept in step, and asked for in queries."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonfat.data import Events, Schema
from nonfat.errors import DataError, DataWarning

TABLE = pl.DataFrame(
    {"site": ["a", "b", "a"], "time": [0, 1, 2], "days": [1.0, 2.0, 0.5], "value": [3, 4, 0]}
)


def read(table, **named):
    return Events.read(table, exposure="days", **named)


def test_the_exposure_is_no_mode():
    events = read(TABLE)
    assert events.schema.modes == ("site",)
    assert events.schema.exposure == "days"
    assert events.exposure.tolist() == [1.0, 2.0, 0.5]
    assert events.take(np.array([2, 0])).exposure.tolist() == [0.5, 1.0]
    assert events.attach({"mean": np.zeros(3)}).columns == ["site", "time", "mean"]
    assert Events.read(TABLE, modes="site").exposure is None


def test_queries_need_the_exposure():
    schema = read(TABLE).schema
    assert schema.encode(TABLE.drop("value")).exposure.tolist() == [1.0, 2.0, 0.5]
    with pytest.raises(
        DataError,
        match=r"no column 'days' in the table: .*; add the column, with 1 for a rate per unit",
    ):
        schema.encode(TABLE.drop("days"))
    with pytest.raises(DataError, match=r"no column 'dys' in the table; did you mean 'days'\?"):
        Events.read(TABLE, modes="site", exposure="dys")


def test_a_schema_goes_through_json_and_old_ones_have_no_exposure():
    schema = read(TABLE).schema
    tree = json.loads(json.dumps(schema.to_json()))
    assert Schema.from_json(tree) == schema
    del tree["exposure"]
    assert Schema.from_json(tree).exposure is None


@pytest.mark.parametrize("bad", [0.0, -1.0, None, float("nan"), float("inf")])
def test_exposures_are_numbers_above_zero(bad):
    table = TABLE.with_columns(days=pl.Series([1.0, bad, 2.0], dtype=pl.Float64))
    words = (
        r"exposure column 'days' should hold numbers above 0, but not in row 1 \(.*\); "
        "a cell that was not watched has no count: drop these rows"
    )
    with pytest.raises(DataError, match=words):
        read(table)
    with pytest.raises(DataError, match=words):
        read(TABLE).schema.encode(table)


def test_exposures_that_are_no_numbers_are_refused():
    with pytest.raises(DataError, match="exposure column 'days' should hold numbers, but it holds"):
        read(TABLE.with_columns(days=pl.Series(["long", "short", "long"])))


def test_a_row_without_a_value_needs_no_exposure():
    table = TABLE.with_columns(days=pl.Series([1.0, 2.0, None]), value=pl.Series([1, 2, None]))
    with pytest.warns(DataWarning, match="dropped 1 of 3 rows"):
        assert read(table).exposure.tolist() == [1.0, 2.0]


def test_exposures_come_from_text_and_arrays_too(tmp_path):
    path = tmp_path / "t.csv"
    TABLE.write_csv(path)
    assert read(path).exposure.tolist() == [1.0, 2.0, 0.5]
    array = np.array([[0, 0.0, 1.5, 3.0], [1, 2.0, 2.5, 4.0]])  # mode, time, exposure, value
    events = read(array)
    assert events.schema.modes == ("mode_0",)
    assert (events.exposure.tolist(), events.value.tolist()) == ([1.5, 2.5], [3.0, 4.0])
    assert events.schema.encode(array[:, :3]).exposure.tolist() == [1.5, 2.5]
    assert read(array[:, :3], y=array[:, 3]).value.tolist() == [3.0, 4.0]


def test_a_column_cannot_be_exposure_and_value():
    with pytest.raises(DataError, match="column 'value' cannot play two parts"):
        Events.read(TABLE, modes="site", exposure="value")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=12), st.randoms())
def test_exposures_stay_beside_their_rows(days, random):
    frame = pd.DataFrame(
        {"site": [f"s{i % 2}" for i in range(len(days))], "time": range(len(days)), "days": days}
    )
    events = read(frame.assign(value=1.0))
    order = list(range(len(days)))
    random.shuffle(order)
    again = events.schema.encode(frame.iloc[order])
    assert again.exposure.tolist() == [days[i] for i in order]
