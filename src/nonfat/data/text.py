"""Columns of a text source (CSV, arrays of strings): what type did the writer mean?

Only numbers are recognised on sight. Dates are recognised in the time column alone, so that
ids are never turned into something else; and ids become integers only if that loses nothing:
``"02134"`` stays a string.
"""

from typing import Literal

import polars as pl

from nonfat.data.wording import rows_where
from nonfat.errors import DataError

__all__ = ["ids_from_text", "numbers_on_sight", "times_from_text", "values_from_text"]

_WHOLE = r"^(?:0|-?[1-9]\d{0,17})$"
_ISO = (
    r"^(?<day>\d{4}-\d{2}-\d{2})"
    r"(?:[T ](?<minute>\d{2}:\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?"
    r" ?(?<zone>[Zz]|[+-]\d{2}(?::?\d{2})?)?)?$"
)
_BLANK = ("", "na", "n/a", "nan", "null", "none")
_NO_NAMES = ("n/a", "nan", "null", "none")


def numbers_on_sight(written: pl.Series) -> pl.Series:
    """Types a column of text as integers or floats if every entry is one.

    Example:
        >>> numbers_on_sight(pl.Series(["1", "2"])).dtype
        Int64
        >>> numbers_on_sight(pl.Series(["1", "02"])).dtype, numbers_on_sight(pl.Series(["a"])).dtype
        (Float64, String)
    """
    if written.null_count() == len(written):
        return written
    if written.str.contains(_WHOLE).all():
        return written.cast(pl.Int64)
    floats = _floats(written)
    return floats if floats.null_count() == written.null_count() else written


def ids_from_text(written: pl.Series) -> pl.Series:
    """Types ids: integers if all are written as plain integers, else the strings as they are.

    Raises:
        DataError: among numbers stands a word for "missing" (but NA, which names many things), or
            an id has a NUL byte.

    Example:
        >>> ids_from_text(pl.Series(["7", "8"])).to_list()
        [7, 8]
        >>> ids_from_text(pl.Series(["1.10", "007"])).to_list()
        ['1.10', '007']
    """
    sighted = numbers_on_sight(written)
    if sighted.dtype == pl.Int64:
        return sighted
    _refuse_nul(written)
    _refuse_blanks_among_numbers(written)
    return written


def _refuse_nul(written: pl.Series) -> None:
    """A NUL byte ends a string for much of what text passes through: such a file is damaged."""
    cut = written.str.contains("\0", literal=True).fill_null(False)
    if cut.any():
        raise DataError(
            f"column '{written.name}' has ids with a NUL byte in "
            f"{rows_where(cut.to_numpy(), written)}; remove it, and look where it came from"
        )


def _refuse_blanks_among_numbers(written: pl.Series) -> None:
    blank = written.str.strip_chars().str.to_lowercase().is_in(_NO_NAMES).fill_null(False)
    if not blank.any():
        return
    others = written.filter(~blank).drop_nulls()
    numbers = _floats(others)
    if len(others) and not numbers.null_count() and numbers.is_finite().all():
        raise DataError(
            f"column '{written.name}' has no id in {rows_where(blank.to_numpy(), written)}; "
            "drop these rows or give them an id"
        )


def values_from_text(written: pl.Series) -> pl.Series:
    """Types values: numbers, true/false as 1/0, and the usual words for "missing" as null.

    Raises:
        DataError: some entries are none of these.

    Example:
        >>> values_from_text(pl.Series("level", ["1.5", "NA", "true"])).to_list()
        [1.5, None, 1.0]
    """
    stripped = written.str.strip_chars()
    lowered = stripped.str.to_lowercase()
    words = {**dict.fromkeys(_BLANK), "true": "1", "false": "0"}
    floats = _floats(lowered.replace(list(words), list(words.values())))
    bad = (floats.is_null() & stripped.is_not_null() & ~lowered.is_in(_BLANK)).fill_null(False)
    if bad.any():
        raise DataError(
            f"column '{written.name}' should hold numbers, but not in "
            f"{rows_where(bad.to_numpy(), written)}; mend these entries or leave them empty"
        )
    return floats


def times_from_text(written: pl.Series) -> pl.Series:
    """Types times: numbers, ISO dates, or ISO datetimes (with an offset: in UTC).

    Raises:
        DataError: some entries are none of these, or only some of them have an offset.

    Example:
        >>> times_from_text(pl.Series(["2024-01-01", "2024-01-02"])).dtype
        Date
        >>> times_from_text(pl.Series(["2024-01-01T00:00+01:00"]))[0].isoformat()
        '2023-12-31T23:00:00+00:00'
    """
    stripped = written.str.strip_chars()
    sighted = numbers_on_sight(stripped)
    if sighted.dtype != pl.String:
        return sighted
    parts = stripped.str.extract_groups(_ISO).struct.unnest()
    naive = _moments(parts).rename(written.name)
    _refuse_unparsed(written, naive)
    if parts["minute"].null_count() == len(parts):
        return naive.cast(pl.Date)
    return _on_utc(written, naive, parts["zone"])


def _floats(written: pl.Series) -> pl.Series:
    return written.str.strip_chars().cast(pl.Float64, strict=False)


def _moments(parts: pl.DataFrame) -> pl.Series:
    """Local datetimes from the parts of ISO strings, in nanoseconds only where they are needed."""
    fraction = pl.col("fraction").fill_null("0").str.pad_end(9, "0")
    written = pl.concat_str(
        pl.col("day"),
        pl.lit("T"),
        pl.col("minute").fill_null("00:00"),
        pl.lit(":"),
        pl.col("second").fill_null("00"),
        pl.lit("."),
        fraction,
    )
    fine = parts.select((~fraction.str.ends_with("000")).any()).item()
    unit: Literal["ns", "us"] = "ns" if fine else "us"
    moment = written.str.to_datetime("%Y-%m-%dT%H:%M:%S%.9f", time_unit=unit, strict=False)
    return parts.select(moment).to_series()


def _refuse_unparsed(written: pl.Series, naive: pl.Series) -> None:
    bad = naive.is_null() & written.is_not_null()
    if bad.any():
        raise DataError(
            f"time column '{written.name}' cannot be read as times in "
            f"{rows_where(bad.to_numpy(), written)}; write numbers or ISO dates such as "
            "2024-03-31 or 2024-03-31T12:00:00Z throughout"
        )


def _on_utc(written: pl.Series, naive: pl.Series, zone: pl.Series) -> pl.Series:
    zoned = zone.is_not_null()
    if not zoned.any():
        return naive
    bad = ~zoned & written.is_not_null()
    if bad.any():
        raise DataError(
            f"time column '{written.name}' has a UTC offset in some rows but none in "
            f"{rows_where(bad.to_numpy(), written)}; write the offset (or Z) in all rows or in none"
        )
    return (naive - _offsets(zone)).dt.replace_time_zone("UTC")


def _offsets(zone: pl.Series) -> pl.Series:
    digits = zone.str.replace("(?i)^Z$", "+0000").str.replace(":", "").str.pad_end(5, "0")
    minutes = digits.str.slice(1, 2).cast(pl.Int64) * 60 + digits.str.slice(3, 2).cast(pl.Int64)
    west = digits.str.starts_with("-").cast(pl.Int64)
    return (minutes * (1 - 2 * west) * 60_000_000).cast(pl.Duration("us"))
