"""Figures: from tiny models and made-up records to files."""

import polars as pl
import pytest

from evaluation.test_pages import made
from nonfat.evaluation.figures import _alike, figure_cells, write_figures
from nonfat.evaluation.records import read_all, write_result

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def beijing(tmp_path_factory):
    """A Beijing with the entities that the figures show."""
    folder = tmp_path_factory.mktemp("data")
    rows = pl.DataFrame({"site": [0, 5, 6]}).join(
        pl.DataFrame({"pollutant": [1, 3, 5]}), how="cross"
    )
    table = rows.join(pl.DataFrame({"time": [n / 10 for n in range(40)]}), how="cross")
    table = table.with_columns(
        value=(pl.col("time") + pl.col("site")).sin(),
        split=pl.when(pl.int_range(pl.len()) % 7 == 0)
        .then(pl.lit("test"))
        .otherwise(pl.lit("train")),
    )
    (folder / "beijing").mkdir()
    table.write_parquet(folder / "beijing" / "fold0.parquet")
    return folder


def test_every_figure_is_a_png_and_a_pdf_and_nothing_is_fitted_twice(beijing, tmp_path):
    pit, covered = [1] * 10, {"coverage_50": 0.4, "coverage_80": 0.7, "coverage_95": 0.9}
    for record in (made("NONFAT", 0.2, seconds=3.0, pit=pit), made("CellMean", 0.3, seconds=0.0)):
        record.scores.update(covered)
        write_result(tmp_path, record)
    paths = write_figures(tmp_path, data=beijing, epochs=1)
    names = [path.name for path in paths]
    assert names[::2] == [
        "figure2-NONFAT-paper.png",
        "figure3-NONFAT-paper.png",
        "figure2-NONFAT.png",
        "figure3-NONFAT.png",
        "calibration-beijing.png",
        "time-beijing-relative_rmse.png",
        "time-beijing-log_likelihood.png",
    ]
    assert [name.replace("png", "pdf") for name in names[::2]] == names[1::2]
    assert all(path.stat().st_size > 1000 for path in paths)
    dates = {one.cell.key: one.provenance.get("date") for one in read_all(tmp_path)}
    assert {cell.key for cell in figure_cells(1)} < set(dates)
    told = []
    write_figures(tmp_path, data=beijing, epochs=1, tell=lambda *at: told.append(at))
    assert told == []


def test_seconds_of_two_machines_and_scores_of_two_folds_are_not_compared():
    here = [made(name, 0.2, fold=1, provenance={"cpu": "this"}) for name in ("NONFAT", "GPCT")]
    there = [made("CPCT", 0.2, seed=seed, provenance={"cpu": "that"}) for seed in range(5)]
    too = made("NNCT", 0.2, fold=1, provenance={"cpu": "that"})
    assert _alike([*there, *here, too]) == ("this", 1, [*here, too])
