"""Text sources: what the columns of a CSV file, or of an array of strings, are taken for."""

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonfat.data import Events
from nonfat.data.text import ids_from_text, numbers_on_sight, times_from_text, values_from_text
from nonfat.errors import DataError, DataWarning


def read_csv(tmp_path, text: str, **named) -> Events:
    path = tmp_path / "table.csv"
    path.write_text(text)
    return Events.read(path, **named)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["7", "-8", "0"], [7, -8, 0]),
        (["007", "8"], ["007", "8"]),
        (["1.10", "1.1"], ["1.10", "1.1"]),
        (["1", "x"], ["1", "x"]),
        (["nan", "inf"], ["nan", "inf"]),
        (["12345678901234567890"], ["12345678901234567890"]),
        (["+5"], ["+5"]),
        (["-0"], ["-0"]),
        (["7", None], [7, None]),
        ([None, None], [None, None]),
    ],
)
def test_ids_become_integers_only_if_nothing_is_lost(written, expected):
    assert ids_from_text(pl.Series(written, dtype=pl.String)).to_list() == expected


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-(10**17), 10**17), min_size=1))
def test_integers_are_seen(numbers):
    assert numbers_on_sight(pl.Series(map(str, numbers))).to_list() == numbers


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_floats_are_read_exactly(numbers):
    assert values_from_text(pl.Series(map(repr, numbers))).to_list() == numbers


def test_words_for_missing_and_for_truth_are_values():
    written = ["1", "NA", "n/a", "NaN", "null", " 2.5 ", "True", "false", None]
    expected = [1.0, None, None, None, None, 2.5, 1.0, 0.0, None]
    assert values_from_text(pl.Series(written)).to_list() == expected


def test_other_words_are_no_values():
    with pytest.raises(
        DataError,
        match=r"'level' should hold numbers, but not in row 1 \('1,5'\), row 2 \('low'\); mend",
    ):
        values_from_text(pl.Series("level", ["1.5", "1,5", "low"]))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["2000", "2001"], [2000, 2001]),
        (["0.5", "1e3"], [0.5, 1000.0]),
        (["2024-02-29"], [dt.date(2024, 2, 29)]),
        (["2024-02-29 12:30"], [dt.datetime(2024, 2, 29, 12, 30)]),
        (["2024-02-29T12:30:15"], [dt.datetime(2024, 2, 29, 12, 30, 15)]),
        (["2024-02-29T12:30:15.25"], [dt.datetime(2024, 2, 29, 12, 30, 15, 250_000)]),
        (["2024-02-29T12:30:15,5"], [dt.datetime(2024, 2, 29, 12, 30, 15, 500_000)]),
        (
            ["2024-02-29", "2024-02-29 06:00"],
            [dt.datetime(2024, 2, 29), dt.datetime(2024, 2, 29, 6)],
        ),
        (["9999-12-31T00:00"], [dt.datetime(9999, 12, 31)]),
        (["2024-02-29T12:00Z"], [dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)]),
        (["2024-02-29T12:00+02:00"], [dt.datetime(2024, 2, 29, 10, tzinfo=dt.UTC)]),
        (["2024-02-29T12:00-0330"], [dt.datetime(2024, 2, 29, 15, 30, tzinfo=dt.UTC)]),
        (["2024-02-29T12:00+02", None], [dt.datetime(2024, 2, 29, 10, tzinfo=dt.UTC), None]),
    ],
)
def test_times_are_numbers_or_iso(written, expected):
    assert times_from_text(pl.Series(written)).to_list() == expected


def test_nanoseconds_are_kept_where_they_are_written():
    read = times_from_text(pl.Series(["2024-01-01T00:00:00.000000001", "2024-01-01T00:00:00"]))
    assert read.dtype == pl.Datetime("ns")
    assert read.to_physical().diff()[1] == -1


@settings(max_examples=40, deadline=None)
@given(st.lists(st.datetimes(timezones=st.timezones() | st.just(dt.UTC)), min_size=1, max_size=5))
def test_any_zoned_iso_string_is_the_same_instant(moments):
    minute = dt.timedelta(minutes=1)
    moments = [m for m in moments if not m.utcoffset() % minute and 2 < m.year < 9998]
    if moments:
        read = times_from_text(pl.Series([m.isoformat() for m in moments])).to_list()
        assert read == [m.astimezone(dt.UTC) for m in moments]


@pytest.mark.parametrize(
    "bad", ["01/02/2024", "2024-13-01", "2024-02-30", "noon", "2024-01-01T25:00"]
)
def test_other_times_are_refused_by_row(bad):
    with pytest.raises(
        DataError,
        match=rf"'when' cannot be read as times in row 1 \('{bad}'\); write numbers or ISO",
    ):
        times_from_text(pl.Series("when", ["2024-01-01", bad]))


def test_an_offset_in_some_rows_only_is_refused():
    with pytest.raises(
        DataError, match=r"offset in some rows but none in row 1 \('2024-01-01T00:00'\)"
    ):
        times_from_text(pl.Series("when", ["2024-01-01T00:00Z", "2024-01-01T00:00"]))


def test_a_file_is_typed_by_role(tmp_path):
    events = read_csv(
        tmp_path,
        "zip,version,n,time,value\n02134,1.10,7,2024-01-01T00:00Z,true\n00501,1.1,8,2024-01-03T00:00Z,2\n",
    )
    zips, versions, numbers = events.schema.vocabularies
    assert zips.labels == ("00501", "02134")
    assert versions.labels == ("1.1", "1.10")
    assert numbers.labels == (7, 8)
    assert events.schema.clock.zone == "UTC"
    assert events.value.tolist() == [1.0, 2.0]
    out = events.attach({"mean": np.zeros(2)})
    assert out["version"].to_list() == ["1.10", "1.1"]
    assert out["time"].dtype == pl.Datetime("us", "UTC")


def test_a_query_file_is_read_as_the_model_needs(tmp_path):
    trained = pl.DataFrame(
        {"zip": ["007", "x", "12"], "n": [1, 2, 3], "time": [1, 2, 3], "value": 1.0}
    )
    schema = Events.read(trained).schema
    path = tmp_path / "queries.csv"
    path.write_text("zip,n,time\n12,x,1\n7,2,2\n")  # zip looks like integers, n does not
    queries = schema.encode(path)
    assert queries.codes.tolist() == [[1, -1], [-1, 1]]


def test_missing_entries_of_a_file_are_reported_by_role(tmp_path):
    with pytest.raises(DataError, match=r"'site' has no id in row 1 \(None\)"):
        read_csv(tmp_path, "site,time,value\na,1,2\n,2,3\n")
    with pytest.raises(DataError, match=r"'time' is missing in row 1"):
        read_csv(tmp_path, "site,time,value\na,2024-01-01,2\nb,,3\n")
    with pytest.warns(
        DataWarning, match="dropped 2 of 4 rows with a missing value in column 'value'"
    ):
        events = read_csv(tmp_path, "site,time,value\na,1,2\nb,2,\nb,2,NA\nb,3,4\n")
    assert events.rows.tolist() == [0, 3]
    assert events.codes.tolist() == [[0], [1]]
    with pytest.raises(DataError, match="every one of the 1 values in column 'value' is missing"):
        read_csv(tmp_path, "site,time,value\na,1,\n")


def test_blank_lines_are_no_rows(tmp_path):
    events = read_csv(tmp_path, "site,time,value\na,1,2\n\n,,\nb,2,3\n\n")
    assert events.rows.tolist() == [0, 1]


def test_after_blank_lines_messages_say_the_line(tmp_path):
    text = r"\(blank lines do not count as rows: row 1 is line 4 of the file\)$"
    with pytest.raises(DataError, match=text):
        read_csv(tmp_path, "site,time,value\na,1,2\n\n,2,3\n")
    with pytest.raises(DataError, match=text):
        read_csv(tmp_path, "site,time,value\na,1,2\n\nb,2,low\n")
    with pytest.raises(
        DataError, match=r"row 1 \('low'\); mend these entries or leave them empty$"
    ):
        read_csv(tmp_path, 'site,time,value\n"a\nb",1,2\n\nb,2,low\n')  # lines are not counted


@pytest.mark.parametrize("word", ["NaN", "nan", "null", "None", "n/a"])
def test_a_word_for_missing_among_numbers_is_no_id(tmp_path, word):
    with pytest.raises(DataError, match=rf"'site' has no id in row 1 \('{word}'\); drop"):
        read_csv(tmp_path, f"site,time,value\n7,1,2\n{word},2,3\n8,3,3\n")
    events = read_csv(tmp_path, f"site,time,value\na,1,2\n{word},2,3\n")
    assert set(events.schema.vocabularies[0].labels) == {"a", word}


def test_na_may_stand_among_numbers(tmp_path):
    events = read_csv(tmp_path, "site,time,value\n7,1,2\nNA,2,3\n")
    assert set(events.schema.vocabularies[0].labels) == {"7", "NA"}


def test_a_nul_byte_is_no_part_of_an_id(tmp_path):
    with pytest.raises(DataError, match=r"'site' has ids with a NUL byte in row 1 \('b\\x00'\)"):
        read_csv(tmp_path, "site,time,value\na,1,2\nb\0,2,3\n")


def test_na_is_a_fine_id(tmp_path):
    events = read_csv(tmp_path, "country,time,value\nNA,1,2\nDE,2,3\n")
    assert events.schema.vocabularies[0].labels == ("DE", "NA")


def test_an_array_of_strings_is_text():
    array = np.array([["a", "1", "2024-01-01", "2.5"], ["b", "2", "2024-01-03", "3"]])
    events = Events.read(array)
    assert events.schema.modes == ("mode_0", "mode_1")
    assert events.schema.vocabularies[1].labels == (1, 2)
    assert events.schema.clock.kind == "date"
    assert events.value.tolist() == [2.5, 3.0]
