"""Any kind of table in, the same kind out, row by row."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nonfat as nf
from contracts.support import ANSWERS, MODES, TIME, events, numbers

once = pytest.mark.once


def _csv(table, folder):
    table.write_csv(folder / "table.csv")
    return folder / "table.csv"


def _parquet(table, folder):
    table.write_parquet(folder / "table.parquet")
    return str(folder / "table.parquet")


KINDS = {
    "polars": (lambda table, folder: table, pl.DataFrame),
    "lazy polars": (lambda table, folder: table.lazy(), pl.DataFrame),
    "pandas": (lambda table, folder: table.to_pandas(), pd.DataFrame),
    "arrow": (lambda table, folder: table.to_arrow(), pa.Table),
    "duckdb": (lambda table, folder: duckdb.from_arrow(table.to_arrow()), pl.DataFrame),
    "CSV": (_csv, pl.DataFrame),
    "Parquet": (_parquet, pl.DataFrame),
}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind == "pandas" else once) for kind in KINDS]
)
def test_the_kind_of_the_table_changes_the_kind_of_the_answer_and_no_number(
    new, model, table, tmp_path, kind
):
    make, out = KINDS[kind]
    source = make(table, tmp_path)
    answer = new().fit(source).predict(source, level=80)
    assert isinstance(answer, out)
    names = answer.column_names if out is pa.Table else list(answer.columns)
    assert names == [*MODES, TIME, "mean", "std", "latent_std", "lo-80", "hi-80", *ANSWERS[3:]]
    assert np.array_equal(numbers(answer), numbers(model.predict(table)))
    for column in (*MODES, TIME):
        assert [str(x) for x in answer[column]] == [str(x) for x in table[column]]


@pytest.mark.parametrize(
    "apart", [pytest.param(False, marks=once), True], ids=["value inside", "y apart"]
)
def test_arrays_give_the_mean_as_an_array_and_intervals_as_a_dict(new, model, table, apart):
    array = table.to_numpy()
    X, y = (array[:, :3], array[:, 3].astype(float)) if apart else (array, None)
    fitted = new().fit(X, y)
    expected = model.predict(table, level=80)
    mean = fitted.predict(X)
    assert isinstance(mean, np.ndarray)
    assert np.array_equal(mean, expected["mean"])
    answer = fitted.predict(X, level=80)
    assert set(answer) == {*ANSWERS, "lo-80", "hi-80"}
    assert all(np.array_equal(answer[key], expected[key]) for key in answer)
    assert fitted.score(X, y) == model.score(table)
    assert np.array_equal(
        fitted.sample(X, 2, seed=4).ravel(), model.sample(table, 2, seed=4)["draw"]
    )


def test_a_model_answers_other_kinds_of_frame_than_it_was_fitted_on(model, table):
    answer = model.predict(table.to_pandas())
    assert isinstance(answer, pd.DataFrame)
    assert np.array_equal(numbers(answer), numbers(model.predict(table)))


@pytest.mark.once
@pytest.mark.parametrize(
    "index",
    [
        pytest.param(np.arange(48)[::-1] * 3, id="reversed"),
        pytest.param([f"row {i % 5}" for i in range(48)], id="repeated strings"),
        pytest.param(pd.date_range("2020", periods=48, tz="Asia/Tokyo"), id="zoned dates"),
        pytest.param(pd.MultiIndex.from_product([range(6), range(8)]), id="two levels"),
    ],
)
def test_the_index_of_pandas_comes_back(model, table, index):
    frame = table.to_pandas().set_index(pd.Index(index))
    answer = model.predict(frame)
    assert answer.index.equals(frame.index)
    assert np.array_equal(numbers(answer), numbers(model.predict(table)))


@pytest.mark.once
def test_names_need_not_be_strings(new, model, table):
    frame = table.to_pandas().set_axis([0, 1, 2.5, ("a", 1)], axis=1)
    frame.columns = pd.Index([0, 1, 2.5, "v"], dtype=object)
    answer = new(modes=[0, 1], time=2.5, value="v").fit(frame).predict(frame)
    assert list(answer.columns[:3]) == [0, 1, 2.5]
    assert np.array_equal(numbers(answer), numbers(model.predict(table)))


def test_the_order_of_the_queries_is_kept(model, table):
    order = np.random.default_rng(1).permutation(48)
    answer, shuffled = model.predict(table), model.predict(table[order])
    assert shuffled.equals(answer[order])


def test_the_order_of_the_columns_does_not_matter_nor_do_further_ones(model, table):
    frame = table.select("level", "when", "pollutant", "site").with_columns(note=pl.lit("?"))
    assert model.predict(frame).equals(model.predict(table))


def test_queries_need_no_value(model, table):
    assert model.predict(table.drop("level")).equals(model.predict(table))
    holes = table.with_columns(level=pl.lit(None, pl.Float64))
    assert model.predict(holes).equals(model.predict(table))


def test_a_query_may_come_twice(model, table):
    answer = model.predict(pl.concat([table, table]))
    assert answer[:48].equals(answer[48:])
    assert np.allclose(numbers(answer[:48]), numbers(model.predict(table)), atol=1e-5)


def test_an_entry_may_be_observed_twice(new, table):
    half = table.head(24)
    twice = pl.concat([half, half.with_columns(pl.col("level") + 1.0)])
    answer = new().fit(twice).predict(twice)
    assert np.isfinite(numbers(answer)).all()
    assert answer[:24].equals(answer[24:])


def test_rows_without_a_value_are_dropped_with_a_count(new, model, table):
    holes = pl.concat([table, table.head(3).with_columns(level=pl.lit(None, pl.Float64))])
    text = r"dropped 3 of 51 rows with a missing value in column 'level' \(first rows: 48, 49, 50\)"
    with pytest.warns(nf.DataWarning, match=text):
        fitted = new().fit(holes)
    assert np.array_equal(numbers(fitted.predict(table)), numbers(model.predict(table)))
    with pytest.warns(nf.DataWarning, match="dropped 3 of 51 rows"):
        assert model.score(holes) == model.score(table)
    assert len(model.predict(holes)) == 51  # a query needs no value


@pytest.mark.once
def test_the_warning_points_at_the_line_of_the_user(new, table):
    holes = pl.concat([table, table.head(3).with_columns(level=pl.lit(None, pl.Float64))])
    with pytest.warns(nf.DataWarning) as caught:
        new().fit(holes)
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.once
def test_strings_for_numbers_are_refused_with_the_name_of_the_column(new, model, table):
    text = table.with_columns(pl.col("level").cast(pl.String))
    with pytest.raises(nf.DataError, match="'level' should hold numbers, but it holds strings"):
        new().fit(text)
    with pytest.raises(nf.DataError, match="'level' should hold numbers, but it holds strings"):
        model.score(text)


@pytest.mark.once
def test_a_misspelt_column_is_refused_with_a_suggestion(new, model, table):
    with pytest.raises(nf.DataError, match="no column 'sitee' in the table; did you mean 'site'"):
        new(modes=["sitee", "pollutant"]).fit(table)
    with pytest.raises(nf.DataError, match="no column 'when' in the table; did you mean 'When'"):
        model.predict(table.rename({"when": "When"}))


@pytest.mark.once
def test_an_empty_table_is_refused(new, model, table):
    for use in (new().fit, model.predict, model.score, model.evaluate, model.sample):
        with pytest.raises(nf.DataError, match="the table has no rows"):
            use(table.head(0))


@pytest.mark.once
@pytest.mark.parametrize("thing", [None, 5, [[1, 2]], {"site": ["a"]}])
def test_what_is_no_table_is_refused(new, model, thing):
    for use in (new().fit, model.predict):
        with pytest.raises(nf.DataError, match=f"cannot read a table from {type(thing).__name__}"):
            use(thing)


def test_events_are_tables_too(new, model, table):
    training = events(table)
    assert np.array_equal(
        numbers(new().fit(training).predict(training)), numbers(model.predict(table))
    )
    with pytest.raises(nf.DataError, match="read without values"):
        new().fit(training.schema.encode(table))
    strangers = table.with_columns(site=pl.lit("nowhere"))
    with pytest.raises(nf.DataError, match="48 of these events have an entity"):
        new().fit(training.schema.encode(strangers, need_value=True))


def test_what_a_split_holds_out_is_unseen_and_beyond(new, table):
    every = events(table)
    kept = (every.codes[:, 0] > 0) & (every.time < 0.8)  # no row of the first site, none late
    model = new().fit(every.take(kept))
    alone = new().fit(table.filter(pl.Series(kept)))
    answer = model.predict(table)
    assert np.array_equal(numbers(answer), numbers(alone.predict(table)))
    assert answer["unseen"].to_list() == (table["site"] == "a").to_list()
    assert answer["beyond"].to_list() == (every.time >= 0.8).tolist()
    held_out = every.take(~kept)
    assert model.evaluate(held_out) == model.evaluate(table.filter(pl.Series(~kept)))
    assert model.predict(held_out).equals(answer.filter(pl.Series(~kept)))
