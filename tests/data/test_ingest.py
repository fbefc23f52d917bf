"""read_table and Table: every source in, the same kind of frame out."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nonfat.data import Table, read_table
from nonfat.errors import DataError

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")

COLUMNS = {
    "site": ["a", "b", "a"],
    "code": [7, 8, 9],
    "time": [0.5, 1.5, 2.5],
    "value": [1.0, 2.0, 3.0],
}
POLARS = pl.DataFrame(COLUMNS)


def pandas_frame(index=None) -> pd.DataFrame:
    return pd.DataFrame(COLUMNS, index=index)


def a_relation():
    return duckdb.from_arrow(pa.table(COLUMNS))


FRAMES = [
    (pandas_frame, pd.DataFrame),
    (lambda: POLARS, pl.DataFrame),
    (POLARS.lazy, pl.DataFrame),
    (lambda: pa.table(COLUMNS), pa.Table),
    (a_relation, pl.DataFrame),
]


def as_dict(frame) -> dict[str, list]:
    if isinstance(frame, pl.DataFrame):
        return frame.to_dict(as_series=False)
    if isinstance(frame, pa.Table):
        return frame.to_pydict()
    if isinstance(frame, dict):
        return {name: column.tolist() for name, column in frame.items()}
    return frame.to_dict(orient="list")


@pytest.mark.parametrize(("make", "kind"), FRAMES)
def test_frames_come_back_as_they_came(make, kind):
    table = read_table(make())
    assert table.names == tuple(COLUMNS)
    assert len(table) == 3
    assert table.column("site").to_list() == ["a", "b", "a"]
    kept = table.keep(["time", "site"])
    assert isinstance(kept, kind)
    assert as_dict(kept) == {"time": COLUMNS["time"], "site": COLUMNS["site"]}
    new = {"mean": np.arange(3.0), "unseen": np.array([True, False, True]), "n": np.arange(3)}
    full = table.attach(["site"], new)
    assert isinstance(full, kind)
    assert as_dict(full) == {
        "site": COLUMNS["site"],
        "mean": [0.0, 1.0, 2.0],
        "unseen": [True, False, True],
        "n": [0, 1, 2],
    }


@pytest.mark.parametrize(("make", "kind"), FRAMES)
def test_some_rows_come_back_in_the_order_asked(make, kind):
    rows = np.array([2, 0, 2])
    out = read_table(make()).attach(["code"], {"mean": np.array([1.0, 2.0, 3.0])}, rows)
    assert isinstance(out, kind)
    assert as_dict(out) == {"code": [9, 7, 9], "mean": [1.0, 2.0, 3.0]}


@pytest.mark.parametrize(
    "index",
    [
        [5, 5, 5],
        ["z", "y", "x"],
        pd.date_range("2020", periods=3),
        pd.MultiIndex.from_tuples([(1, 2)] * 3),
    ],
)
def test_any_pandas_index_is_kept(index):
    frame = pandas_frame(index)
    out = read_table(frame).attach(["site"], {"mean": np.arange(3.0)})
    pd.testing.assert_index_equal(out.index, frame.index)
    assert out["mean"].tolist() == [0.0, 1.0, 2.0]
    assert read_table(frame).keep(["site"], np.array([1])).index[0] == frame.index[1]


def test_pandas_names_need_not_be_strings():
    frame = pd.DataFrame({0: ["a"], 1: [2], ("x", "y"): [3.0]})
    table = read_table(frame)
    assert table.names == ("0", "1", "('x', 'y')")
    out = table.attach(["0", "1"], {"mean": np.array([0.5])})
    assert list(out.columns) == [0, 1, "mean"]
    with pytest.raises(DataError, match=r"columns of its own called '1'; rename"):
        table.attach(["1"], {"1": np.array([0.5])})


@pytest.mark.parametrize("dtype", [float, int, object, str])
def test_arrays_come_back_as_a_dict_of_arrays(dtype):
    array = np.array([[1, 2], [3, 4]]).astype(dtype)
    table = read_table(array, names=["code", "time"])
    out = table.attach(["time", "code"], {"mean": np.array([0.5, 0.6])})
    assert list(out) == ["time", "code", "mean"]
    assert all(isinstance(column, np.ndarray) for column in out.values())
    assert [int(item) for item in out["time"]] == [2, 4]
    assert read_table(array).names == ("0", "1")


def test_structured_arrays_have_names():
    array = np.array([("a", 1.5), ("b", 2.5)], dtype=[("site", "U1"), ("time", "f8")])
    assert as_dict(read_table(array).keep(["time", "site"])) == {
        "time": [1.5, 2.5],
        "site": ["a", "b"],
    }


def test_objects_of_any_kind_pass_through_untouched():
    frame = pd.DataFrame({"id": [("a", 1), "b"], "time": [1, 2]}, index=[3, 3])
    out = read_table(frame).attach(["id"], {"mean": np.zeros(2)})
    assert out["id"].tolist() == [("a", 1), "b"]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv", "T.CSV", "t.parquet", "t.pq"])
@pytest.mark.parametrize("convert", [str, Path])
def test_files_come_back_as_polars(tmp_path, name, convert):
    path = tmp_path / name
    if name.endswith(("parquet", "pq")):
        POLARS.write_parquet(path)
    else:
        text = POLARS.write_csv(separator="\t" if "tsv" in name else ",").encode()
        path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    out = read_table(convert(path)).attach(list(COLUMNS), {"mean": np.zeros(3)})
    assert out.equals(POLARS.with_columns(mean=pl.lit(0.0)))


def test_a_table_passes_through():
    table = read_table(POLARS)
    assert read_table(table) is table
    assert isinstance(table, Table)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"site": ["a"]}, "cannot read a table from dict; give a pandas, polars or arrow frame"),
        (None, "cannot read a table from NoneType"),
        (pl.Series([1]), "cannot read a table from Series"),
        (pl.DataFrame({"site": []}), r"the table has no rows \(its columns: 'site'\)"),
        (pl.DataFrame(), "the table has no rows"),
        (pd.DataFrame(), "the table has no rows"),
        (np.zeros((0, 2)), "the table has no rows"),
        (np.zeros(3), r"two dimensions, rows and columns, but its shape is \(3,\)"),
        (np.zeros((1, 2), dtype=complex), "an array of type complex128 cannot be a table"),
        (
            pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
            "several columns are called 'a'; rename",
        ),
        (pd.DataFrame([[1, 2]], columns=[0, "0"]), "several columns are called '0'"),
        (pd.DataFrame([[1, 2]], columns=[0, 0]), "several columns are called '0'"),
        (
            "folder/table.xlsx",
            r"kind of file .*table.xlsx' is; supported endings: \.csv, \.csv\.gz, \.tsv",
        ),
        ("nowhere.csv", r"the file 'nowhere.csv' does not exist"),
    ],
)
def test_what_is_no_table_is_refused(source, words):
    with pytest.raises(DataError, match=words):
        read_table(source)


def test_arrow_twins_are_refused():
    twins = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(DataError, match="several columns are called 'a'"):
        read_table(twins)


def test_an_array_needs_as_many_names_as_columns():
    with pytest.raises(DataError, match="an array with 2 columns cannot have the 1 columns 'a'"):
        read_table(np.zeros((1, 2)), names=["a"])


def test_files_that_cannot_be_read_are_refused(tmp_path):
    def refused(name: str, content: bytes | None, words: str) -> None:
        path = tmp_path / name
        path.mkdir() if content is None else path.write_bytes(content)
        with pytest.raises(DataError, match=words):
            read_table(path)

    refused("folder.csv", None, "is a folder; name one file in it")
    refused("empty.csv", b"", r"empty.csv' cannot be read: ")
    refused("header.csv", b"site,time\n", r"no rows \(its columns: 'site', 'time'\)")
    ragged = b"a,b\n1,2\n\n1,2,3\n"
    refused("ragged.csv", ragged, r"row 1 \(line 4\) has 3 entries, but there are 2 columns")
    refused("ragged.csv.gz", gzip.compress(ragged), r"row 1 \(line 4\) has 3 entries")
    latin = "a,b\n1,2\né,1\n".encode("latin-1")
    refused("latin.csv", latin, r"line 3 is not written in UTF-8; save it as UTF-8")
    refused("utf16.csv", "a,b\né,1\n".encode("utf-16"), "is written in UTF-16; save it as UTF-8")
    quote = b'a,b\n1,2\n3,"4\n5,6\n'
    refused("quote.csv", quote, "the quotation mark in line 3 is not closed as it should be")
    refused("twins.csv", b"a,b,a\n1,2,3\n", r"several columns of .*twins.csv' are called 'a'")
    refused("fake.parquet", b"not parquet at all", r"fake.parquet' cannot be read: ")
    refused("semi.csv", b"a;b\n1;2\n", "seems to be separated by ';', not by ','")
    refused("tabs.csv", b"a\tb\n1\t2\n", r"seems to be separated by '\\t', not by ','")
    refused("cut.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 999)[:-12], r"cut.csv.gz' cannot be")
    refused("fake.csv.gz", b"\x1f\x8bnot gzip", r"fake.csv.gz' cannot be read: ")


def test_a_missing_column_is_named_with_the_closest_one():
    table = read_table(POLARS)
    with pytest.raises(
        DataError,
        match=r"no column 'Sites' in the table; did you mean 'site'\?; its columns: 'site', 'code'",
    ):
        table.column("Sites")
    with pytest.raises(DataError, match=r"no column 'zzz' in the table; its columns"):
        table.keep(["zzz"])


def test_names_with_spaces_around_get_a_hint(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("site, when ,level\na,1,2\n")
    with pytest.raises(DataError, match="no column 'when' in the table; it is written ' when ', w"):
        read_table(path).column("when")


def test_a_column_that_is_the_pandas_index_gets_a_hint():
    table = read_table(pandas_frame().set_index("site"))
    with pytest.raises(
        DataError, match=r"no column 'site' .*it is the index: call .reset_index\(\)"
    ):
        table.column("site")


def test_new_columns_must_fit():
    table = read_table(POLARS)
    with pytest.raises(DataError, match="new columns 'mean' should hold 3 entries each"):
        table.attach(["site"], {"mean": np.zeros(2)})
    with pytest.raises(DataError, match="columns of its own called 'site'; rename"):
        table.attach(["site"], {"site": np.zeros(3)})
