"""Tables that nonfat makes itself, in the kind of frame that the user works with."""

from typing import Any, Literal

import polars as pl

from nonfat.data import Table

__all__ = ["FrameKind", "frame_kind", "to_kind"]

FrameKind = Literal["polars", "pandas", "pyarrow"]


def frame_kind(table: Table) -> FrameKind:
    """The kind of frame that the user's table came in; polars for all without one of their own.

    Example:
        >>> from nonfat.data import read_table
        >>> frame_kind(read_table(pl.DataFrame({"site": [1]})))
        'polars'
    """
    name = table.frame.implementation.name.lower()
    if name in ("pandas", "modin", "cudf"):
        return "pandas"
    return "pyarrow" if name == "pyarrow" else "polars"


def to_kind(frame: pl.DataFrame, kind: FrameKind) -> Any:
    """A polars frame as another kind.

    Example:
        >>> to_kind(pl.DataFrame({"mean": [0.5]}), "pandas")
           mean
        0   0.5
    """
    if kind == "polars":
        return frame
    if kind == "pyarrow":
        return frame.to_arrow()
    import pandas as pd

    # By way of lists of columns: polars' own conversion needs pyarrow, which not everyone has.
    return pd.DataFrame({series.name: _pandas_column(series) for series in frame})


def _pandas_column(series: pl.Series) -> Any:
    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return series.to_numpy()
    if isinstance(series.dtype, pl.Datetime):
        import pandas as pd

        naive = series.dt.convert_time_zone("UTC") if series.dtype.time_zone else series
        moments = pd.Series(naive.dt.replace_time_zone(None).to_numpy())
        zone = series.dtype.time_zone
        return moments.dt.tz_localize("UTC").dt.tz_convert(zone) if zone else moments
    return series.to_list()
