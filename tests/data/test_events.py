"""Events and Schema: tables of every kind become the same numbers."""

import datetime as dt
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonfat.data import Events, Schema, read_table
from nonfat.data.relearning import relearned
from nonfat.errors import DataError, DataWarning

pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

TABLE = pl.DataFrame(
    {
        "site": ["b", "a", "b", "c"],
        "pollutant": [7, 7, 8, 8],
        "when": [dt.datetime(2024, 1, day) for day in (1, 2, 3, 5)],
        "level": [1.0, 2.0, 3.0, 4.0],
    }
)
NAMED = {"modes": ["site", "pollutant"], "time": "when", "value": "level"}


def through_json(schema: Schema) -> Schema:
    return Schema.from_json(json.loads(json.dumps(schema.to_json(), allow_nan=False)))


def same(one: Events, other: Events) -> None:
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.time, other.time)
    np.testing.assert_array_equal(one.value, other.value)
    np.testing.assert_array_equal(one.rows, other.rows)


def files(folder):
    for name in ("t.csv", "t.tsv", "t.parquet"):
        path = folder / name
        if name == "t.parquet":
            TABLE.write_parquet(path)
        else:
            TABLE.write_csv(path, separator="\t" if "tsv" in name else ",")
        yield path


def test_every_source_gives_the_same_events(tmp_path):
    expected = Events.read(TABLE, **NAMED)
    pandas = pd.DataFrame(TABLE.to_dict(as_series=False))
    sources = [
        TABLE.lazy(),
        pandas,
        pandas.astype({"site": "category", "pollutant": "Int64", "level": "Float64"}),
        pandas.astype(object),
        pandas.set_index("site", drop=False),
        TABLE.cast({"site": pl.Categorical}),
        pa.table(TABLE.to_dict(as_series=False)),
        duckdb.from_arrow(pa.table(TABLE.to_dict(as_series=False))),
        pandas.to_numpy(dtype=object),
        *files(tmp_path),
    ]
    for source in sources:
        events = Events.read(source, **NAMED)
        same(events, expected)
        assert events.schema == expected.schema


def test_codes_times_and_values():
    events = Events.read(TABLE, **NAMED)
    assert events.codes.dtype == np.int32
    assert events.codes.tolist() == [[1, 0], [0, 0], [1, 1], [2, 1]]
    assert events.time.tolist() == [0.0, 0.25, 0.5, 1.0]
    assert events.value.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert events.rows.dtype == np.int64
    assert (len(events), events.K, events.shape) == (4, 2, (3, 2))
    assert not events.unseen.any()
    assert events.inside.all()


names = st.lists(st.sampled_from("pqrstuvwxyz"), min_size=1, max_size=8, unique=True)
ids = st.sampled_from([["a", "b", "ü"], [3, 1, 2], [True, False], [0.5, 1.0], [("x", 1), ("x", 2)]])


@st.composite
def tables(draw):
    modes = draw(names)
    count = draw(st.integers(1, 12))
    columns = {
        mode: draw(st.lists(st.sampled_from(draw(ids)), min_size=count, max_size=count))
        for mode in modes
    }
    columns["time"] = draw(st.lists(st.integers(-5, 5), min_size=count, max_size=count))
    columns["value"] = draw(st.lists(st.floats(-10, 10), min_size=count, max_size=count))
    return modes, columns


@settings(max_examples=40, deadline=None)
@given(tables())
@pytest.mark.filterwarnings("ignore:a single entity")
def test_one_to_eight_modes_come_back(drawn):
    modes, columns = drawn
    events = Events.read(pd.DataFrame(columns))
    assert events.schema.modes == tuple(modes)
    assert len(modes) == events.K
    for at, vocabulary in enumerate(events.schema.vocabularies):
        assert vocabulary.decode(events.codes[:, at]) == columns[modes[at]]
    assert events.schema.clock.from_float(events.time).to_list() == columns["time"]
    assert events.value.tolist() == columns["value"]
    schema = through_json(events.schema)
    assert schema == events.schema
    same(schema.encode(pd.DataFrame(columns), need_value=True), events)


def test_repeated_rows_are_legal():
    events = Events.read(pl.concat([TABLE, TABLE]), **NAMED)
    assert len(events) == 8
    assert events.shape == (3, 2)


def test_one_mode_may_be_named_without_a_list():
    assert Events.read(TABLE, modes="site", time="when", value="level").schema.modes == ("site",)


def test_names_need_not_be_strings():
    frame = pd.DataFrame({0: ["a", "b"], 1: [1, 2], 2: [0.5, 0.6]})
    events = Events.read(frame, modes=[0], time=1, value=2)
    assert events.schema.modes == ("0",)
    assert list(events.attach({"mean": np.zeros(2)}).columns) == [0, 1, "mean"]


def test_queries_are_read_with_the_schema():
    schema = Events.read(TABLE, **NAMED).schema
    queries = pl.DataFrame(
        {
            "when": [dt.datetime(2024, 1, 9), dt.datetime(2024, 1, 1)],
            "pollutant": [7, 9],
            "site": ["c", "z"],
            "level": [None, None],  # not needed, so not missed
        }
    )
    events = schema.encode(queries)
    assert events.codes.tolist() == [[2, 0], [-1, -1]]
    assert events.time.tolist() == [2.0, 0.0]
    assert events.value is None
    assert events.unseen.tolist() == [False, True]
    assert events.inside.tolist() == [False, True]
    assert events.attach({"mean": np.zeros(2)}).columns == ["site", "pollutant", "when", "mean"]
    assert events.take(np.array([1])).value is None


def test_queries_with_values_need_them():
    schema = Events.read(TABLE, **NAMED).schema
    with pytest.raises(DataError, match="no column 'level' in the table"):
        schema.encode(TABLE.drop("level"), need_value=True)
    with pytest.warns(
        DataWarning, match="dropped 1 of 4 rows with a missing value in column 'level'"
    ):
        events = schema.encode(
            TABLE.with_columns(level=pl.Series([1, None, 2, 3])), need_value=True
        )
    assert events.rows.tolist() == [0, 2, 3]
    assert schema.encode(TABLE.drop("level"), need_value=True, y=[4, 3, 2, 1]).value.tolist() == [
        4,
        3,
        2,
        1,
    ]


@pytest.mark.parametrize(
    "y",
    [
        [1, 2, 3, 4],
        np.array([1, 2, 3, 4]),
        pd.Series([1, 2, 3, 4], index=[9, 9, 8, 7]),
        pl.Series([1, 2, 3, 4]),
        pa.chunked_array([[1, 2], [3, 4]]),
    ],
)
def test_values_may_come_apart(y):
    events = Events.read(TABLE.drop("level"), time="when", y=y)
    assert events.schema.modes == ("site", "pollutant")
    assert events.schema.value == "value"
    assert events.value.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_values_that_come_apart_must_fit():
    with pytest.raises(DataError, match="y has 2 values, but the table has 4 rows"):
        Events.read(TABLE.drop("level"), **NAMED, y=[1, 2])
    for modes in (None, ["site", "pollutant"]):
        with pytest.raises(DataError, match="the values came twice: apart, and as column 'level'"):
            Events.read(TABLE, modes=modes, time="when", value="level", y=[1, 2, 3, 4])
    schema = Events.read(TABLE, **NAMED).schema
    with pytest.raises(DataError, match="the values came twice"):
        schema.encode(TABLE, need_value=True, y=[1, 2, 3, 4])
    with pytest.raises(DataError, match="one dimension"):
        Events.read(TABLE.drop("level"), **NAMED, y=np.zeros((4, 1)))


def test_arrays_go_by_position():
    array = np.array([[0, 5, 0.0, 1.5], [1, 6, 2.0, 2.5]])
    events = Events.read(array)
    assert events.schema.modes == ("mode_0", "mode_1")
    assert events.schema.vocabularies[1].labels == (5, 6)
    same(events, Events.read(array[:, :3], y=array[:, 3]))
    same(events, Events.read(array, modes=["site", "code"], time="when", value="level"))
    schema = events.schema
    assert schema.encode(array).value is None
    assert schema.encode(array[:, :3]).codes.tolist() == events.codes.tolist()
    assert schema.encode(array[:, :3].astype(int)).codes.tolist() == events.codes.tolist()
    with pytest.raises(
        DataError, match=r"2 columns came, .* order: mode_0, mode_1, time, \[value\]"
    ):
        schema.encode(array[:, :2])
    with pytest.raises(DataError, match=r"3 columns came, .* order: mode_0, mode_1, time, value"):
        schema.encode(array[:, :3], need_value=True)
    with pytest.raises(DataError, match="no modes: name at least one column"):
        Events.read(array[:, :2])
    with pytest.raises(DataError, match="rows and columns, but its shape is"):
        Events.read(np.zeros(3), modes=["site"])
    with pytest.raises(DataError, match="rows and columns, but its shape is"):
        Events.read(np.zeros(3))
    with pytest.raises(DataError, match="the values came twice"):
        Events.read(array, modes=["site", "code"], y=array[:, 3])


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"modes": []}, "no modes: name at least one column of entity ids"),
        ({"modes": ["site", "site"]}, "column 'site' cannot play two parts"),
        ({"modes": ["site", "when"]}, "column 'when' cannot play two parts"),
        ({"time": "level"}, "column 'level' cannot play two parts"),
        (
            {"modes": ["Site"]},
            r"no column 'Site' in the table; did you mean 'site'\?; its columns: 'site', 'poll",
        ),
        ({"time": "wen"}, r"no column 'wen' in the table; did you mean 'when'\?"),
        (
            {"modes": ["sites"], "time": "y"},
            "no columns 'sites', 'y' in the table; its columns: 'site'",
        ),
        ({"value": "x", "time": "y"}, "no columns 'y', 'x' in the table; its columns: 'site'"),
    ],
)
def test_roles_must_make_sense(named, words):
    with pytest.raises(DataError, match=words):
        Events.read(TABLE, **(NAMED | named))


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_missing_values_are_dropped_with_one_warning(gap):
    table = TABLE.with_columns(level=pl.Series([gap, 2.0, 3.0, gap], dtype=pl.Float64))
    words = r"dropped 2 of 4 rows with a missing value in column 'level' \(first rows: 0, 3\)"
    with pytest.warns(DataWarning, match=words) as caught:
        events = Events.read(table, **NAMED)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert events.rows.tolist() == [1, 2]
    assert events.shape == (2, 2)  # "c" was never observed
    assert events.time.tolist() == [0.0, 1.0]  # and neither was its time
    assert events.attach({"mean": np.zeros(2)})["site"].to_list() == ["a", "b"]


def test_nothing_left_is_an_error():
    with pytest.raises(DataError, match="every one of the 4 values in column 'level' is missing"):
        Events.read(TABLE.with_columns(level=pl.lit(None)), **NAMED)


def test_row_numbers_in_errors_are_the_users_even_when_rows_are_dropped():
    table = TABLE.with_columns(
        level=pl.Series([None, 1.0, 2.0, 3.0]), site=pl.Series(["a", "b", None, "c"])
    )
    with pytest.raises(DataError, match=r"column 'site' has no id in row 2 \(None\)"):
        Events.read(table, **NAMED)


@pytest.mark.parametrize(
    ("level", "words"),
    [
        (
            pl.Series([1.0, float("inf"), 2.0, float("-inf")]),
            r"'level' is infinite in row 1 \(inf\), row 3 \(-inf\)",
        ),
        (
            pl.Series(["12.3", "n/a", "1", None]),
            r"'level' should hold numbers, but it holds strings: row 0 \('12.3'\), "
            r"row 1 \('n/a'\).* convert it first \(pandas.to_numeric",
        ),
        (pl.Series([dt.date(2020, 1, 1)] * 4), "should hold numbers, but it holds Date"),
    ],
)
def test_values_must_be_finite_numbers(level, words):
    with pytest.raises(DataError, match=words):
        Events.read(TABLE.with_columns(level=level), **NAMED)


def test_mixed_values_are_refused_by_row():
    frame = pd.DataFrame({"site": ["a", "b"], "time": [1, 2], "value": [1.5, "x"]})
    with pytest.raises(DataError, match=r"should hold numbers, but not in row 1 \('x'\)"):
        Events.read(frame)
    with pytest.raises(DataError, match=r"is infinite in row 1"):
        Events.read(frame.assign(value=[1.5, Decimal("1e400")]))
    with pytest.raises(DataError, match=r"is infinite in row 1"):
        Events.read(frame.assign(value=[1.5, 10**400]))


@pytest.mark.parametrize(
    "level",
    [
        pl.Series([True, False, True, True]),
        pl.Series([1, 0, 1, 1], dtype=pl.UInt8),
        pl.Series([Decimal(1), Decimal(0), Decimal(1), Decimal(1)]),
        pl.Series([1, 0, 1, 1], dtype=pl.Float32),
        pl.Series([Decimal(1), False, 1, 1.0], dtype=pl.Object),
    ],
)
def test_values_of_any_type_of_number(level):
    values = Events.read(TABLE.with_columns(level=level), **NAMED).value
    assert values.dtype == np.float64
    assert values.tolist() == [1.0, 0.0, 1.0, 1.0]


def test_a_lone_entity_is_worth_a_warning():
    with pytest.warns(DataWarning, match="a single entity in the mode 'pollutant'") as caught:
        Events.read(TABLE.with_columns(pollutant=pl.lit(7)), **NAMED)
    assert caught[0].filename == __file__


def test_several_lone_entities_are_told_at_once():
    table = pl.DataFrame({"a": ["x", "x"], "b": [1, 1], "time": [0, 1], "value": [1.0, 2.0]})
    with pytest.warns(DataWarning, match="in each of the modes 'a', 'b': they tell no rows apart"):
        Events.read(table)


def test_several_names_with_spaces_around_get_a_hint():
    table = TABLE.rename({"when": " when", "level": "level "})
    text = "no columns 'when', 'level' in the table, but ' when', 'level ' with spaces around"
    with pytest.raises(DataError, match=text):
        Events.read(table, **NAMED)


def test_a_mismatch_of_types_names_the_column():
    schema = Events.read(TABLE, **NAMED).schema
    with pytest.raises(DataError, match=r"no id in column 'pollutant' is known.*\(int\).*\(str\)"):
        schema.encode(TABLE.cast({"pollutant": pl.String}))
    with pytest.raises(DataError, match="trained on times that are datetimes without a time zone"):
        schema.encode(TABLE.with_columns(when=pl.lit(3)))


def test_take_keeps_all_in_step():
    events = Events.read(TABLE, **NAMED)
    for index in (np.array([2, 0]), np.array([True, False, True, False])):
        part = events.take(index)
        assert part.codes.tolist() == events.codes[index].tolist()
        assert part.rows.tolist() == np.arange(4)[index].tolist()
        assert part.schema is events.schema
        out = part.attach({"mean": part.value})
        assert out["mean"].to_list() == TABLE["level"].to_numpy()[index].tolist()
        assert out["site"].to_list() == TABLE["site"].to_numpy()[index].tolist()


def test_events_pass_through():
    events = Events.read(TABLE, **NAMED)
    assert Events.read(events) is events
    assert events.schema.encode(events, need_value=True) is events
    assert through_json(events.schema).encode(events) is events
    queries = events.schema.encode(TABLE)
    with pytest.raises(DataError, match="these events were read without values"):
        events.schema.encode(queries, need_value=True)


def test_events_of_another_schema_are_read_again(tmp_path):
    trained = Events.read(TABLE.head(3), **NAMED)
    path = tmp_path / "t.csv"
    TABLE.write_csv(path)
    for source in (TABLE, path):
        other = Events.read(source, **NAMED).take(np.array([3, 1, 1]))
        again = trained.schema.encode(other, need_value=True)
        assert again.codes.tolist() == [[-1, 1], [0, 0], [0, 0]]
        assert again.time.tolist() == [2.0, 0.5, 0.5]
        assert again.value.tolist() == [4.0, 2.0, 2.0]
        assert again.rows.tolist() == [3, 1, 1]


def test_a_table_that_was_read_is_a_source():
    same(Events.read(read_table(TABLE), **NAMED), Events.read(TABLE, **NAMED))


def test_a_pandas_index_comes_back_after_dropping():
    frame = pd.DataFrame(
        {"site": ["a", "b", "c"], "time": [1, 2, 3], "value": [1.0, None, 3.0]},
        index=["x", "x", "y"],
    )
    with pytest.warns(DataWarning, match="dropped 1 of 3"):
        events = Events.read(frame)
    assert events.attach({"mean": np.zeros(2)}).index.tolist() == ["x", "y"]


def sources(folder):
    TABLE.write_csv(folder / "t.csv")
    return TABLE, TABLE.to_pandas(), folder / "t.csv"


@pytest.mark.filterwarnings("ignore:a single entity")
def test_a_part_can_be_read_as_if_there_were_nothing_else(tmp_path):
    for source in sources(tmp_path):
        every = Events.read(source, **NAMED)
        part = relearned(every.take(np.array([2, 0])))
        alone = Events.read(TABLE[[2, 0]], **NAMED)
        assert part.schema == alone.schema
        assert part.codes.tolist() == alone.codes.tolist() == [[0, 1], [0, 0]]
        assert part.time.tolist() == alone.time.tolist() == [1.0, 0.0]
        assert part.value.tolist() == [3.0, 1.0]
        assert part.rows.tolist() == [2, 0]
        rest = part.schema.encode(every.take(np.array([1, 3])), need_value=True)
        assert rest.codes.tolist() == [[-1, 0], [-1, 1]]
        assert rest.time.tolist() == [0.5, 2.0]
        assert rest.value.tolist() == [2.0, 4.0]
        assert rest.inside.tolist() == [True, False]


def test_a_part_that_tells_all_is_left_as_it_is():
    events = Events.read(TABLE, **NAMED)
    assert relearned(events) is events
    twice = events.take(np.array([0, 1, 2, 3, 1]))
    assert relearned(twice) is twice


def test_a_part_has_a_clock_to_the_nanosecond():
    start = 1_711_800_000_000_000_000
    ticks = [start, start + 3, start + 10**17 + 1, start + 10**18 + 7]
    table = pl.DataFrame(
        {"site": list("abab"), "time": pl.Series(ticks).cast(pl.Datetime("ns")), "value": [1.0] * 4}
    )
    clock = relearned(Events.read(table).take(np.array([1, 2]))).schema.clock
    assert (clock.start, clock.stop) == (ticks[1], ticks[2])


def test_a_part_with_one_entity_left_is_worth_a_warning():
    events = Events.read(TABLE, **NAMED)
    with pytest.warns(DataWarning, match="a single entity in the mode 'pollutant'"):
        relearned(events.take(np.array([0, 1])))


def test_a_part_keeps_its_exposure_even_where_other_rows_have_none():
    table = TABLE.with_columns(
        days=pl.Series([2.0, 3.0, 4.0, None]), level=pl.Series([1.0, 2.0, 3.0, None])
    )
    with pytest.warns(DataWarning, match="dropped 1 of 4 rows"):
        events = Events.read(table, **NAMED, exposure="days")
    part = relearned(events.take(np.array([1, 2])))
    assert part.exposure.tolist() == [3.0, 4.0]
    rest = part.schema.encode(events.take(np.array([0])), need_value=True)
    assert (rest.exposure.tolist(), rest.value.tolist()) == ([2.0], [1.0])
