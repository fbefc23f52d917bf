"""Vocabulary: labels to codes and back, through memory and through JSON."""

import datetime as dt
import enum
import json
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonfat.data import Vocabulary
from nonfat.data.labels import in_order, key, looks, plain
from nonfat.errors import DataError

BERLIN = ZoneInfo("Europe/Berlin")
zones = st.sampled_from([None, BERLIN, dt.UTC, dt.timezone(dt.timedelta(hours=5, minutes=45))])
years = {"min_value": dt.datetime(1900, 1, 2), "max_value": dt.datetime(2200, 1, 1)}
scalars = st.one_of(
    st.text(max_size=5),
    st.integers(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.binary(max_size=5),
    st.dates(),
    st.datetimes(timezones=zones, allow_imaginary=False, **years),
    st.times(),
    st.timedeltas(),
    st.decimals(allow_nan=False),
    st.uuids(),
)
labels = st.recursive(scalars, lambda inner: st.tuples(inner, inner), max_leaves=4)
columns = st.lists(labels, min_size=1, max_size=12)


def through_json(vocabulary: Vocabulary) -> Vocabulary:
    return Vocabulary.from_json(json.loads(json.dumps(vocabulary.to_json(), allow_nan=False)))


def keys(items):
    return [key(plain(item)) for item in items]


@settings(max_examples=60, deadline=None)
@given(columns)
def test_decode_undoes_encode_for_every_type_of_label(column):
    vocabulary = Vocabulary.learn(column)
    codes = vocabulary.encode(column)
    assert codes.dtype == np.int32
    assert keys(vocabulary.decode(codes)) == keys(column)
    assert len(vocabulary) == len(set(keys(column))) == codes.max() + 1


@settings(max_examples=60, deadline=None)
@given(columns)
def test_json_gives_back_every_label_exactly(column):
    vocabulary = Vocabulary.learn(column)
    again = through_json(vocabulary)
    assert again == vocabulary
    assert hash(again) == hash(vocabulary)
    assert list(map(type, again.labels)) == list(map(type, vocabulary.labels))
    assert list(map(repr, again.labels)) == list(map(repr, vocabulary.labels))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=4), st.none()), max_size=8), st.randoms())
def test_the_order_of_rows_does_not_matter_when_labels_sort(column, random):
    column = [label for label in column if label is not None] or ["a"]
    shuffled = random.sample(column, len(column))
    assert (
        Vocabulary.learn(column).labels
        == Vocabulary.learn(shuffled).labels
        == in_order(set(column))
    )


def test_labels_that_do_not_sort_keep_the_order_of_appearance():
    assert Vocabulary.learn(["b", 1, "a", "b"]).labels == ("b", 1, "a")


def test_one_and_true_and_one_point_zero_are_three_entities():
    vocabulary = Vocabulary.learn([1, 1.0, True, "1", Decimal(1)])
    assert len(vocabulary) == 5
    assert len(set(vocabulary.encode([1, 1.0, True, "1", Decimal(1)]).tolist())) == 5
    assert Vocabulary((1,)) != Vocabulary((True,))
    assert Vocabulary((1,)) != Vocabulary((1.0,))


def test_both_half_past_one_of_an_autumn_night_are_two_entities():
    night = dt.datetime(2020, 10, 25, 2, 30, tzinfo=BERLIN)
    vocabulary = Vocabulary.learn([night, night.replace(fold=1)])
    assert vocabulary.encode([night.replace(fold=1), night]).tolist() == [1, 0]
    assert [label.fold for label in through_json(vocabulary).labels] == [0, 1]


def test_the_same_instant_in_another_zone_is_the_same_entity():
    vocabulary = Vocabulary.learn([dt.datetime(2020, 7, 1, 12, tzinfo=BERLIN)])
    assert vocabulary.encode([dt.datetime(2020, 7, 1, 10, tzinfo=dt.UTC)]).tolist() == [0]


@pytest.mark.parametrize(
    "series",
    [
        pl.Series("x", ["b", "a", "b"]),
        pl.Series("x", ["b", "a", "b"], dtype=pl.Categorical),
        pl.Series("x", ["b", "a", "b"], dtype=pl.Enum(["b", "a"])),
        pd.Series(["b", "a", "b"]),
        pd.Series(["b", "a", "b"], dtype=object),
        pd.Series(["b", "a", "b"], dtype="category", index=[4, 4, 4]),
        pd.Series(["b", "a", "b"], dtype="string[python]"),
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=object),
    ],
)
def test_strings_of_every_kind_are_strings(series):
    vocabulary = Vocabulary.learn(series)
    assert vocabulary.labels == ("a", "b")
    assert vocabulary.encode(series).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (np.array([3, 1], dtype=np.int8), (1, 3)),
        (np.array([3, 1], dtype=">i4"), (1, 3)),
        (np.array([2**63 + 1, 1], dtype=np.uint64), (1, 2**63 + 1)),
        (np.array([1.5, 0.5], dtype=np.float32), (0.5, 1.5)),
        (np.array([1.5, 0.5], dtype=np.float16), (0.5, 1.5)),
        (np.array([True, False]), (False, True)),
        (np.array(["2020-01-01"], dtype="M8[D]"), (dt.date(2020, 1, 1),)),
        (np.array(["2020-01-01"], dtype="M8[s]"), (dt.datetime(2020, 1, 1),)),
        (np.array([b"x"]), (b"x",)),
        (pd.Series([3, 1], dtype="Int64"), (1, 3)),
        (pd.Series([True, False], dtype="boolean"), (False, True)),
        (
            pd.Series([pd.Timestamp("2020-01-01"), "x"], dtype=object),
            (dt.datetime(2020, 1, 1), "x"),
        ),
        (pd.Series([pd.Timedelta("1h"), "x"], dtype=object), (dt.timedelta(hours=1), "x")),
        ([np.int64(1), np.str_("a"), np.bool_(True)], (1, "a", True)),
        ([np.datetime64("2020-01-01", "ns"), "x"], (dt.datetime(2020, 1, 1), "x")),
        ([np.timedelta64(1, "s"), "x"], (dt.timedelta(seconds=1), "x")),
        ([2**70, 1], (1, 2**70)),
        (pl.Series([Decimal("1.50"), Decimal("0.5")]), (Decimal("0.50"), Decimal("1.50"))),
        (pd.Series([("b", 1), ("a", 2)]), (("a", 2), ("b", 1))),
        (pl.Series([dt.timedelta(1)]), (dt.timedelta(1),)),
        (pl.Series([dt.time(1)]), (dt.time(1),)),
        (np.ma.array([1, 2], mask=[False, False]), (1, 2)),
    ],
)
def test_labels_become_plain_python(column, expected):
    learned = Vocabulary.learn(column)
    assert learned.labels == expected
    assert list(map(type, learned.labels)) == list(map(type, expected))
    assert sorted(learned.encode(column).tolist()) == list(range(len(expected)))
    assert through_json(learned) == learned


def test_foreign_zones_become_zones_that_can_be_saved():
    class Pytz(dt.tzinfo):
        zone = "Europe/Berlin"

        def utcoffset(self, moment):
            return dt.timedelta(hours=1)

        def dst(self, moment):
            return dt.timedelta(0)

    class Nameless(Pytz):
        zone = None

    named = plain(dt.datetime(2020, 1, 1, tzinfo=Pytz()))
    nameless = plain(dt.datetime(2020, 1, 1, tzinfo=Nameless()))
    assert named.tzinfo == BERLIN
    assert nameless.tzinfo == dt.timezone(dt.timedelta(hours=1))
    assert through_json(Vocabulary((named, "x"))) == Vocabulary((named, "x"))


def test_unseen_labels_are_minus_one():
    vocabulary = Vocabulary.learn(["a", "b"])
    assert vocabulary.encode(["b", "z", "a"]).tolist() == [1, -1, 0]
    assert vocabulary.encode(["z"]).tolist() == [-1]
    assert vocabulary.encode(pl.Series([], dtype=pl.String)).tolist() == []


@pytest.mark.parametrize(
    ("known", "asked", "words"),
    [
        ([7, 8], ["7", "9"], r"knows 7 \(int\), this table has '7' \(str\).*column to int"),
        (["7", "8"], [8, 9], r"knows '8' \(str\), this table has 8 \(int\).*column to str"),
        ([7, 8], [7.0, 9.5], r"knows 7 \(int\), this table has 7.0 \(float\)"),
        ([0, 1], [True], r"knows 1 \(int\), this table has True \(bool\)"),
        ([b"ab"], ["ab"], r"knows b'ab' \(bytes\)"),
        ([dt.date(2020, 1, 1)], ["2020-01-01"], r"column to date"),
        ([dt.datetime(2020, 1, 1)], ["2020-01-01T00:00:00"], r"column to datetime"),
        ([dt.date(2020, 1, 1)], [dt.datetime(2020, 1, 1)], r"column to date"),
    ],
)
def test_a_mismatch_of_types_is_not_taken_for_unseen(known, asked, words):
    with pytest.raises(DataError, match=r"no id in column 'site' is known.*" + words):
        Vocabulary.learn(known).encode(pl.Series("site", asked))


@pytest.mark.parametrize(
    ("known", "written", "codes"),
    [
        ((7, 12), ["12", "007", "x"], [1, -1, -1]),
        (("007", "x"), ["x", "007"], [1, 0]),
        ((1, "1", True), ["1", "True", "true"], [1, 2, 2]),
        ((1.5, 2.0), ["2", "2.0", "1.5"], [1, 1, 0]),
        ((dt.date(2020, 1, 1),), ["2020-01-01"], [0]),
        ((UUID(int=1),), [str(UUID(int=1))], [0]),
    ],
)
def test_text_knows_labels_by_how_they_are_written(known, written, codes):
    assert Vocabulary(known).encode_text(pl.Series(written)).tolist() == codes


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("site", ["a", None, "b", None]),
        pl.Series("site", [0.5, float("nan"), 1.5, None]),
        pl.Series("site", ["a", None, "b", None], dtype=pl.Categorical),
        pd.Series(["a", None, "b", np.nan], name="site", dtype=object),
        pd.Series([1, None, 2, None], name="site", dtype="Int64"),
        pd.Series([1, None, "b", pd.NA], name="site", dtype=object),
        pd.Series(pd.to_datetime(["2020-01-01", None, "2020-01-02", None]), name="site"),
        pd.Series(["a", None, "b", None], name="site", dtype="category"),
    ],
)
def test_missing_ids_are_refused_by_row(column):
    with pytest.raises(DataError, match=r"'site' has no id in row 1 \(.*\), row 3 \(.*\); drop"):
        Vocabulary.learn(column)
    with pytest.raises(DataError, match=r"'site' has no id in row 1"):
        Vocabulary(("a",)).encode(column)


def test_what_cannot_be_an_id_is_refused():
    with pytest.raises(DataError, match=r"column 'x' holds List\(Int64\), which cannot be ids"):
        Vocabulary.learn(pl.Series("x", [[1, 2]]))
    with pytest.raises(DataError, match=r"column 'x' holds a list in row 1 \(\[1\]\)"):
        Vocabulary.learn(pd.Series(["a", [1]], name="x"))
    with pytest.raises(DataError, match=r"expected a column .* got int"):
        Vocabulary.learn(3)
    with pytest.raises(DataError, match=r"one dimension, got an array of shape \(1, 1\)"):
        Vocabulary.learn(np.zeros((1, 1)))
    with pytest.raises(DataError, match="type complex128 cannot be a column"):
        Vocabulary.learn(np.zeros(1, dtype=complex))


def test_nanoseconds_in_ids_are_refused_rather_than_lost():
    column = pl.Series("x", np.array([0, 1], dtype="M8[ns]"))
    with pytest.raises(DataError, match=r"'x' has ids with nanoseconds in row 1; ids keep micro"):
        Vocabulary.learn(column)
    for item in (np.datetime64(1, "ns"), pd.Timestamp(1), pd.Timedelta(1)):
        with pytest.raises(DataError, match="has nanoseconds, which Python's own times cannot"):
            Vocabulary.learn([item, "x"])
    assert Vocabulary.learn(pl.Series(np.array([0], dtype="M8[ns]"))).labels == (
        dt.datetime(1970, 1, 1),
    )


class Colour(enum.Enum):
    RED = 1


def test_members_of_an_enum_stay_members():
    assert Vocabulary.learn([Colour.RED, Colour.RED, 1]).labels == (Colour.RED, 1)


def test_odd_labels_work_but_cannot_be_saved():
    vocabulary = Vocabulary.learn([Colour.RED, (None, 1)])
    assert vocabulary.decode(vocabulary.encode([(None, 1), Colour.RED])) == [(None, 1), Colour.RED]
    with pytest.raises(DataError, match=r"label <Colour.RED: 1> is of type Colour, .* strings"):
        vocabulary.to_json()
    assert through_json(Vocabulary(((None, 1),))) == Vocabulary(((None, 1),))

    class Odd(dt.tzinfo):
        def utcoffset(self, moment):
            return None

    with pytest.raises(DataError, match="cannot be saved"):
        Vocabulary((dt.time(1, tzinfo=Odd()),)).to_json()


def test_zoned_times_of_day_survive_json():
    known = Vocabulary((dt.time(1, tzinfo=dt.UTC), dt.time(1, tzinfo=BERLIN)))
    assert [label.tzinfo for label in through_json(known).labels] == [dt.UTC, BERLIN]


def test_foreign_json_is_refused():
    with pytest.raises(DataError, match="not a label this version of nonfat can read"):
        Vocabulary.from_json([{"colour": "red"}])


def test_codes_without_an_entity_are_refused():
    for code in (-1, 2):
        with pytest.raises(DataError, match=f"codes run from 0 to 1, got {code}"):
            Vocabulary(("a", "b")).decode(np.array([0, code]))


def test_a_nan_inside_a_tuple_is_one_label():
    assert len(Vocabulary.learn([("a", float("nan")), ("a", float("nan"))])) == 1


def test_the_repr_stays_short():
    assert repr(Vocabulary(tuple(range(5000)))) == "Vocabulary(0, 1, 2, ...; 5,000 labels)"


def test_looks_bridge_types():
    assert looks(True) & looks(1)
    assert not looks(1.5) & looks(1)
