"""Factors that move, as a tidy frame."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nonfat as nf
from nonfat.estimators import tidy

pytestmark = pytest.mark.trajectories


def test_the_frame_is_sorted_by_entity_factor_and_time(model):
    frame = model.trajectories("site", times=[0, 3, 7])
    assert frame.columns == ["entity", "factor", "time", "mean", "std", "beyond"]
    assert frame["entity"].to_list() == [entity for entity in "abc" for _ in range(3)]
    assert frame["factor"].unique().to_list() == [0]
    assert frame["time"].to_list() == [0, 3, 7] * 3
    assert (frame["std"] > 0).all()
    assert np.isfinite(frame["mean"].to_numpy()).all()


def test_by_default_there_are_200_times_over_the_training_range(model):
    frame = model.trajectories("pollutant")
    times = frame["time"].to_numpy()[:200]
    assert len(frame) == 2 * 200
    assert (times[0], times[-1]) == (0.0, 7.0)
    assert np.allclose(np.diff(times), 7 / 199)
    assert not frame["beyond"].any()


def test_times_beyond_are_flagged(model):
    assert model.trajectories("site", entities=["a"], times=[-1, 0, 7, 70])["beyond"].to_list() == [
        True,
        False,
        False,
        True,
    ]


@pytest.mark.once
@pytest.mark.parametrize(
    "times", [[1, 5], (1, 5), range(1, 6, 4), np.array([1, 5]), pl.Series([1, 5]),
              pd.Series([1, 5], index=[9, 9]), pd.Index([1, 5])],
    ids=lambda times: type(times).__module__.split(".")[0] + " " + type(times).__name__,
)  # fmt: skip
def test_times_may_come_in_any_column(model, times):
    expected = model.trajectories("site", times=[1, 5])
    assert model.trajectories("site", times=times).equals(expected)


@pytest.mark.once
@pytest.mark.parametrize(
    "entities", [["c", "a"], ("c", "a"), np.array(["c", "a"], dtype=object), pl.Series(["c", "a"])],
    ids=lambda entities: type(entities).__name__,
)  # fmt: skip
def test_entities_may_be_chosen_and_keep_their_order(model, entities):
    some = model.trajectories("site", entities=entities, times=[2])
    every = model.trajectories("site", times=[2])
    assert some["entity"].to_list() == ["c", "a"]
    assert np.allclose(some["mean"], every["mean"].to_numpy()[[2, 0]], atol=1e-6)


def test_draws_have_the_mean_and_deviation_that_the_frame_says(model):
    frame = model.trajectories("site", times=[1, 5])
    drawn = model.trajectories("site", times=[1, 5], samples=400)
    assert drawn.columns == ["entity", "factor", "sample", "time", "draw", "beyond"]
    draws = drawn.sort("sample", maintain_order=True)["draw"].to_numpy().reshape(400, 6)
    std = frame["std"].to_numpy()
    assert np.allclose(draws.mean(axis=0), frame["mean"], atol=0.25 * std.max())
    assert np.allclose(draws.std(axis=0), std, rtol=0.2)


@pytest.mark.once
@pytest.mark.parametrize("samples", [0, 3])
def test_many_entities_are_answered_in_parts_that_add_up(model, monkeypatch, samples):
    whole = model.trajectories("site", times=[1, 5, 9], samples=samples)
    sizes, long = [], tidy._long
    monkeypatch.setattr(tidy, "_POINTS", 2 * 3 * max(samples, 1))  # two entities at a time
    monkeypatch.setattr(
        tidy, "_long", lambda ids, *rest: sizes.append(len(ids)) or long(ids, *rest)
    )
    parts = model.trajectories("site", times=[1, 5, 9], samples=samples)
    assert sizes == [2, 1]
    assert parts.schema == whole.schema
    number = "draw" if samples else "mean"
    assert parts.drop(number, "std", strict=False).equals(whole.drop(number, "std", strict=False))
    assert np.allclose(parts[number], whole[number], atol=1e-5)


def test_draws_follow_their_seed(model):
    one = model.trajectories("site", times=[1], samples=2, seed=1)
    assert one.equals(model.trajectories("site", times=[1], samples=2, seed=1))
    assert not one.equals(model.trajectories("site", times=[1], samples=2, seed=2))


def test_a_draw_is_a_smooth_curve_and_not_noise(model):
    drawn = model.trajectories("site", entities=["a"], samples=1)["draw"].to_numpy()
    assert np.abs(np.diff(drawn)).max() < 0.3 * (drawn.max() - drawn.min())


@pytest.mark.parametrize(
    ("convert", "kind"),
    [(pl.DataFrame.to_pandas, pd.DataFrame), (pl.DataFrame.to_arrow, pa.Table)],
    ids=["pandas", "arrow"],
)
def test_the_frame_is_of_the_kind_that_fit_was_given(new, model, table, convert, kind):
    frame = new().fit(convert(table)).trajectories("site", times=[1, 5])
    assert isinstance(frame, kind)
    expected = model.trajectories("site", times=[1, 5])
    assert np.array_equal(np.asarray(frame["mean"]), expected["mean"])


@pytest.mark.once
@pytest.mark.parametrize("unit", ["us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_times_come_back_in_the_users_own_type(new, table, unit, zone):
    moments = pl.Series(table["when"] * 86_400_000_000).cast(pl.Datetime("us"))
    moments = moments.cast(pl.Datetime(unit)).dt.replace_time_zone("UTC")
    moments = moments.dt.convert_time_zone(zone) if zone else moments.dt.replace_time_zone(None)
    dated = table.with_columns(when=moments)
    model = new().fit(dated)
    frame = model.trajectories("site")
    assert frame["time"].dtype == dated["when"].dtype
    assert frame["time"].min() == dated["when"].min()
    assert frame["time"].max() == dated["when"].max()
    chosen = model.trajectories("site", times=dated["when"].unique())
    assert chosen["time"].dtype == dated["when"].dtype
    in_pandas = new().fit(dated.to_pandas()).trajectories("site")
    assert in_pandas["time"].iloc[0] == dated.to_pandas()["when"].min()


@pytest.mark.once
def test_a_lone_mode_needs_no_name_and_several_do(model):
    text = r"several modes; name one with mode=\.\.\.: 'site', 'pollutant'"
    with pytest.raises(nf.ConfigError, match=text):
        model.trajectories()


@pytest.mark.once
def test_a_misspelt_mode_is_refused_with_a_suggestion(model):
    with pytest.raises(nf.ConfigError, match="got 'sitee'; did you mean 'site'"):
        model.trajectories("sitee")


@pytest.mark.once
def test_an_unknown_entity_is_refused_with_known_ones(model):
    text = "no entity 'd' in the mode 'site'; the model knows 'a', 'b', 'c'"
    with pytest.raises(nf.DataError, match=text):
        model.trajectories("site", entities=["a", "d"])


@pytest.mark.once
def test_entities_of_another_type_are_refused_with_the_name_of_the_mode(new, table):
    numbered = table.with_columns(site=pl.col("site").replace_strict({"a": 1, "b": 2, "c": 3}))
    model = new(epochs=1).fit(numbered)
    with pytest.raises(nf.DataError, match="no id in column 'site' is known, because their type"):
        model.trajectories("site", entities=["1"])


@pytest.mark.once
@pytest.mark.parametrize("entities", ["a", [], 5])
def test_entities_are_a_list(model, entities):
    with pytest.raises(nf.ConfigError, match="entities must be a list of entities of 'site'"):
        model.trajectories("site", entities=entities)


@pytest.mark.once
@pytest.mark.parametrize(
    ("times", "error", "text"),
    [
        (5, nf.ConfigError, "times must be a list or a column of times, got 5"),
        ("2024", nf.ConfigError, "times must be a list or a column of times, got '2024'"),
        ([], nf.ConfigError, "times is empty; leave it out for the whole training range"),
        (["a"], nf.DataError, "the list of times holds strings"),
        ([1, "a"], nf.DataError, "times cannot be read as one kind of time"),
        ([1.0, float("nan")], nf.DataError, "the list of times is missing in row 1"),
        (pd.to_datetime(["2024-01-01"]), nf.DataError, "datetimes"),
    ],
)
def test_times_that_are_none_are_refused(model, times, error, text):
    with pytest.raises(error, match=text):
        model.trajectories("site", times=times)


@pytest.mark.once
@pytest.mark.parametrize(("option", "value"), [("samples", -1), ("samples", 1.5), ("seed", -1)])
def test_draws_need_whole_numbers(model, option, value):
    with pytest.raises(nf.ConfigError, match=f"{option} must be a whole number of at least 0"):
        model.trajectories("site", **{"samples": 1, option: value})
