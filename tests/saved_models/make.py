"""Writes the model files of this folder: ``python make.py``. Never replace one: add a format.

Each stands for all files that users have kept since that format came up. In double precision, so
that answers can be compared closely on any machine.
"""

from pathlib import Path

import numpy as np
import polars as pl

import nonfat as nf
from nonfat.persist import FORMAT_VERSION

HERE = Path(__file__).parent


def main() -> None:
    """A model of three sites and two pollutants over two weeks, and its answers."""
    rng = np.random.default_rng(0)
    site, pollutant, day = (index.ravel() for index in np.indices((3, 2, 14)))
    table = pl.DataFrame(
        {
            "site": np.array(["Dongsi", "Gucheng", "Tiantan"])[site],
            "pollutant": np.array(["NO2", "SO2"])[pollutant],
            "when": np.datetime64("2016-02-24") + day.astype("m8[D]"),
            "level": 40 + 5 * site - 9 * pollutant + 8 * np.sin(day / 2 + site)
            + rng.standard_normal(len(day)),
        }
    )  # fmt: skip
    model = nf.NONFAT(
        ["site", "pollutant"], "when", "level", rank=2, pseudo_inputs=24, epochs=400,
        draws=16, dtype="float64", progress=False,
    ).fit(table)  # fmt: skip
    stem = HERE / f"format-{FORMAT_VERSION}"
    model.save(stem.with_suffix(".nonfat"))
    queries = pl.concat(
        [
            table.drop("level")[::5],
            table.drop("level")[:4].with_columns(site=pl.lit("Aotizhongxin")),
            table.drop("level")[:4].with_columns(when=pl.lit("2016-05-01").str.to_date()),
        ]
    )
    model.predict(queries, level=[80, 95]).write_csv(stem.with_suffix(".csv"))


if __name__ == "__main__":
    main()
