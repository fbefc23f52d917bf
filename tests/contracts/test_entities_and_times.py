"""Ids and times of any type; entities never seen, and times never reached."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nonfat as nf
from contracts.support import numbers, queries

once = pytest.mark.once

IDS = {  # of the pollutants "x" and "y", in the order in which labels are sorted
    "strings": ("élan", "Ω"),
    "integers": (-3, 2**40),
    "floats": (0.5, 1.5),
    "truth values": (False, True),
    "dates": (dt.date(1999, 12, 31), dt.date(2000, 1, 1)),
    "datetimes": (dt.datetime(2000, 1, 1), dt.datetime(2000, 1, 1, 0, 0, 1)),
    "tuples": ((1, "a"), (1, "b")),
    "bytes": (b"a", b"b"),
}

STRANGERS = {
    "strings": "unknown", "integers": 0, "floats": 2.5, "truth values": "maybe",
    "dates": dt.date(2001, 1, 1), "datetimes": dt.datetime(2001, 1, 1), "tuples": (1, "c"),
    "bytes": b"c",
}  # fmt: skip


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind == "tuples" else once) for kind in IDS]
)
def test_ids_may_be_of_any_type(new, model, table, tmp_path, kind):
    frame = table.to_pandas()
    ids = dict(zip(("x", "y"), IDS[kind], strict=True))
    frame["pollutant"] = pd.Series([ids[entry] for entry in table["pollutant"]])
    fitted = new().fit(frame)
    answer = fitted.predict(frame)
    assert answer["pollutant"].tolist() == frame["pollutant"].tolist()
    assert not answer["unseen"].any()
    assert np.array_equal(numbers(answer), numbers(model.predict(table)))
    fitted.save(tmp_path / "ids.nonfat")
    assert nf.load(tmp_path / "ids.nonfat").predict(frame).equals(answer)
    stranger = frame.head(1).astype({"pollutant": object})
    stranger["pollutant"] = pd.Series([STRANGERS[kind]], dtype=object)
    assert fitted.predict(stranger)["unseen"].all()


MORNING = dt.datetime(2024, 3, 30, 12)
TIMES = {
    "floats": lambda t: pl.Series([float(x) for x in t]),
    "far floats": lambda t: pl.Series([1e9 + float(x) for x in t]),
    "small integers": lambda t: pl.Series(t, dtype=pl.UInt8),
    "dates": lambda t: pl.Series([MORNING.date() + dt.timedelta(days=x) for x in t]),
    "datetimes in ms": lambda t: _datetimes(t, "ms"),
    "datetimes in us": lambda t: _datetimes(t, "us"),
    "datetimes in ns": lambda t: _datetimes(t, "ns"),
    "single nanoseconds": lambda t: (pl.Series(t) + 1_711_800_000_000_000_000).cast(
        pl.Datetime("ns")
    ),
    "zoned datetimes": lambda t: _datetimes(t, "us").dt.replace_time_zone("UTC")
    .dt.convert_time_zone("Europe/Berlin"),  # across the change to summer time
}  # fmt: skip


def _datetimes(t, unit):
    return pl.Series([MORNING + dt.timedelta(hours=6 * x) for x in t]).cast(pl.Datetime(unit))


@pytest.mark.parametrize("frame", [pytest.param("polars", marks=once), "pandas"])
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind == "zoned datetimes" else once) for kind in TIMES]
)
def test_times_may_be_of_any_type(new, model, table, kind, frame):
    times = table.with_columns(when=TIMES[kind](table["when"].to_list()))
    source = times if frame == "polars" else times.to_pandas()
    answer = new().fit(source).predict(source)
    assert answer["when"].dtype == source["when"].dtype
    assert (answer["when"] == source["when"]).all()
    assert not answer["beyond"].any()
    assert np.allclose(numbers(answer), numbers(model.predict(table)), atol=1e-5)


@pytest.mark.once
def test_times_of_another_kind_than_in_training_are_refused(model, table):
    dates = table.with_columns(when=TIMES["dates"](table["when"].to_list()))
    with pytest.raises(nf.DataError, match="dates"):
        model.predict(dates)


def test_unseen_entities_are_flagged_row_by_row(model):
    rows = queries(("a", "x", 1), ("nobody", "x", 1), ("a", "nothing", 1), ("nobody", "no", 1))
    answer = model.predict(rows)
    assert answer["unseen"].to_list() == [False, True, True, True]
    assert np.isfinite(numbers(answer)).all()


@pytest.mark.entities
def test_unseen_entities_have_wider_errors_on_average(model, table):
    known = model.predict(table)
    unseen = model.predict(table.with_columns(site=pl.lit("nobody")))
    assert unseen["unseen"].all()
    assert unseen["latent_std"].mean() > 1.5 * known["latent_std"].mean()
    assert unseen["std"].mean() > known["std"].mean()


def test_unseen_entities_are_all_alike(model):
    answer = model.predict(queries(("nobody", "x", 3), ("no one", "x", 3)))
    assert answer["mean"][0] == answer["mean"][1]
    assert answer["std"][0] == answer["std"][1]


def test_a_table_of_unseen_entities_can_be_predicted_scored_and_sampled(model, table):
    strangers = table.with_columns(site=pl.lit("p"), pollutant=pl.lit("q"))
    answer = model.predict(strangers, level=95)
    assert answer["unseen"].all()
    assert np.isfinite(answer.select("mean", "std", "lo-95", "hi-95").to_numpy()).all()
    assert all(np.isfinite(list(model.evaluate(strangers).values())))
    assert np.isfinite(model.sample(strangers, 2)["draw"].to_numpy()).all()


@pytest.mark.parametrize("ranges", [1e-6, 0.01, 1, 10, 1e6])
def test_times_outside_the_training_range_are_flagged_and_answered(continuous, ranges):
    answer = continuous.predict(
        queries(
            ("a", "x", -7 * ranges), ("a", "x", 0.0), ("a", "x", 7.0), ("a", "x", 7 + 7 * ranges)
        ),
        level=95,
    )
    assert answer["beyond"].to_list() == [True, False, False, True]
    assert np.isfinite(
        answer.select("mean", "std", "latent_std", "lo-95", "hi-95").to_numpy()
    ).all()
    sampled = continuous.sample(queries(("a", "x", 7 + 7 * ranges)), 3)
    assert np.isfinite(sampled["draw"].to_numpy()).all()


def test_a_time_between_two_training_times_is_not_beyond(continuous):
    assert continuous.predict(queries(("a", "x", 3.3)))["beyond"].to_list() == [False]


@pytest.fixture(scope="module")
def many():
    """A hundred sites, more than a batch or a small request has rows."""
    return pl.DataFrame(
        {
            "site": [f"s{i:03d}" for i in range(100)] * 2,
            "pollutant": ["x"] * 100 + ["y"] * 100,
            "when": [i % 8 for i in range(200)],
            "level": [float(i % 7) for i in range(200)],
        }
    )


@once
def test_more_entities_than_fit_in_a_chunk_are_answered_alike(new, many):
    """Small requests look at their own entities only; large ones at all."""
    model = new(batch_size=40).fit(many)
    rows = pl.concat([many.tail(5), many.head(5).with_columns(site=pl.lit("nobody"))])
    few, all_ = model.predict(rows), model.predict(pl.concat([many, rows]))
    assert np.allclose(numbers(few), numbers(all_)[:, -10:], atol=1e-5)
    assert few["unseen"].to_list() == [False] * 5 + [True] * 5
