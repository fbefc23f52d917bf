"""The static displays: how many panels, which marks, and what a mistake is told."""

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta

import numpy as np
import polars as pl
import pytest

from nonfat.errors import ConfigError, DataError
from nonfat.plotting import against_time, predictions, trajectories

matplotlib = pytest.importorskip("matplotlib")
START = datetime(2013, 1, 1)
DAYS = [START + timedelta(days=day) for day in range(90)]
NUMBERS = np.linspace(0.0, 9.0, 30).tolist()


def trajectory_frame(times, entities=("Dongsi", "Tiantan", "Guanyuan"), factors=2):
    return pl.concat(
        pl.DataFrame({"entity": entity, "factor": factor, "time": times}).with_columns(
            mean=pl.int_range(pl.len()).sin() + factor, std=pl.lit(0.1)
        )
        for entity in entities
        for factor in range(factors)
    )


def prediction_frame(times, sites=("Dongsi", "Tiantan")):
    mean = pl.int_range(pl.len()).sin()
    return pl.concat(
        pl.DataFrame({"site": site, "gas": gas, "when": times}).with_columns(
            mean.alias("mean"),
            *[
                (mean + sign * width).alias(f"{end}-{level}")
                for level, width in (("50", 0.5), ("95", 2.0))
                for end, sign in (("lo", -1), ("hi", 1))
            ],
        )
        for site in sites
        for gas in ("CO", "O3")
    )


def draw_predictions(times=NUMBERS, **options):
    return predictions(prediction_frame(times), modes=["site", "gas"], time="when", **options)


def boundaries(figure):
    return [[x for x in ax.lines if x.get_linestyle() == "--"] for ax in figure.axes]


def bands(ax):
    return [band for band in ax.collections if band.get_label().endswith("%")]


def line(ax, label):
    (found,) = [one for one in ax.lines if one.get_label() == label]
    return found


def legend_texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


# --- trajectories -----------------------------------------------------------------------------


@pytest.mark.parametrize(("times", "boundary"), [(DAYS, DAYS[60]), (NUMBERS, 6.0)])
def test_one_panel_per_entity_and_factor(times, boundary, tmp_path):
    figure = trajectories(trajectory_frame(times), boundary=boundary)
    assert len(figure.axes) == 6
    for ax, dashed in zip(figure.axes, boundaries(figure), strict=True):
        assert len(bands(ax)) == 1
        assert len(dashed) == 1
        assert len(ax.patches) == 1  # the veil beyond the boundary
    assert [text.get_text() for text in figure.axes[0].texts] == ["training ends"]
    assert [ax.get_title(loc="left") for ax in figure.axes[:2]] == ["factor 0", "factor 1"]
    assert [ax.get_ylabel() for ax in figure.axes[::2]] == ["Dongsi", "Guanyuan", "Tiantan"]
    assert legend_texts(figure) == ["mean", "95%", "other entities"]
    figure.savefig(tmp_path / "drawn.png")


def test_the_band_is_95_percent_wide():
    figure = trajectories(trajectory_frame(NUMBERS, ["Dongsi"], factors=1))
    (ax,) = figure.axes
    mean = line(ax, "mean").get_ydata()
    (band,) = bands(ax)
    height = band.get_paths()[0].vertices[:, 1]
    assert height.max() == pytest.approx(mean.max() + 0.196, abs=1e-4)
    assert height.min() == pytest.approx(mean.min() - 0.196, abs=1e-4)


def test_entities_and_factors_come_in_the_order_asked_for():
    frame = trajectory_frame(NUMBERS)
    figure = trajectories(frame, entities=["Tiantan", "Dongsi"], factors=[1])
    assert [ax.get_ylabel() for ax in figure.axes] == ["Tiantan", "Dongsi"]
    assert figure.axes[0].get_title(loc="left") == "factor 1"
    assert line(figure.axes[0], "mean").get_ydata().mean() > 0.5


def test_one_entity_has_its_factors_one_below_another():
    figure = trajectories(trajectory_frame(NUMBERS), entities=["Dongsi"])
    assert figure.axes[0].get_title(loc="left") == "Dongsi"
    assert [ax.get_ylabel() for ax in figure.axes] == ["factor 0", "factor 1"]
    assert legend_texts(figure) == ["mean", "95%"]


def test_rows_in_any_order_give_the_same_line():
    frame = trajectory_frame(NUMBERS, ["Dongsi"], factors=1)
    shuffled = trajectories(frame.sample(fraction=1.0, shuffle=True, seed=0))
    np.testing.assert_array_equal(line(shuffled.axes[0], "mean").get_xdata(), NUMBERS)


def test_dates_are_labelled_concisely_and_numbers_by_name():
    dated = trajectories(trajectory_frame(DAYS))
    formatter = dated.axes[-1].xaxis.get_major_formatter()
    assert isinstance(formatter, matplotlib.dates.ConciseDateFormatter)
    assert dated.get_supxlabel() == ""
    assert trajectories(trajectory_frame(NUMBERS)).get_supxlabel() == "time"


def test_a_boundary_outside_the_frame_is_left_out():
    figure = trajectories(trajectory_frame(NUMBERS), boundary=99.0)
    assert boundaries(figure) == [[]] * 6


@pytest.mark.parametrize(
    "boundary",
    [
        datetime(2013, 2, 1),
        date(2013, 2, 1),
        np.datetime64("2013-02-01"),
        datetime(2013, 2, 1, tzinfo=UTC),
    ],
)
def test_a_boundary_may_be_any_kind_of_date(boundary):
    figure = trajectories(trajectory_frame(DAYS, ["Dongsi"], factors=1), boundary=boundary)
    (dashed,) = boundaries(figure)[0]
    assert matplotlib.dates.num2date(dashed.get_xdata()[0]).date() == date(2013, 2, 1)


def test_times_with_a_zone_show_the_clock_on_the_wall():
    frame = trajectory_frame(DAYS, ["Dongsi"], factors=1).with_columns(
        pl.col("time").dt.replace_time_zone("Asia/Shanghai")
    )
    noon_utc = datetime(2013, 2, 1, 4, tzinfo=UTC)  # is noon in Beijing
    figure = trajectories(frame, boundary=noon_utc)
    assert line(figure.axes[0], "mean").get_xdata()[0] == np.datetime64(START)
    (dashed,) = boundaries(figure)[0]
    assert matplotlib.dates.num2date(dashed.get_xdata()[0]).hour == 12


def test_it_draws_on_a_given_figure():
    figure = matplotlib.figure.Figure(figsize=(8, 8), layout="constrained")
    upper, lower = figure.subfigures(2, 1)
    assert trajectories(trajectory_frame(NUMBERS), figure=upper) is upper
    draw_predictions(figure=lower)
    assert len(figure.axes) == 6 + 4


# --- predictions ------------------------------------------------------------------------------


@pytest.mark.parametrize(("times", "boundary"), [(DAYS, DAYS[60]), (NUMBERS, 6.0)])
def test_one_panel_per_cell(times, boundary, tmp_path):
    figure = draw_predictions(times, boundary=boundary, title="Air")
    names = ["Dongsi · CO", "Dongsi · O3", "Tiantan · CO", "Tiantan · O3"]
    assert [ax.get_title(loc="left") for ax in figure.axes] == names
    assert all(len(dashed) == 1 for dashed in boundaries(figure))
    assert figure.get_suptitle() == "Air"
    assert figure.get_supylabel() == "value"
    figure.savefig(tmp_path / "drawn.png")


def test_every_interval_is_shaded_the_wider_the_lighter():
    ax = draw_predictions().axes[0]
    assert [band.get_label() for band in bands(ax)] == ["95%", "50%"]
    wide, narrow = (band.get_facecolor()[0][:3].sum() for band in bands(ax))
    assert wide > narrow


def test_an_interval_with_one_end_is_not_drawn():
    frame = prediction_frame(NUMBERS).drop("hi-95")
    figure = predictions(frame, modes=["site", "gas"], time="when")
    assert [band.get_label() for band in bands(figure.axes[0])] == ["50%"]


def test_training_and_held_out_rows_have_marks_of_their_own():
    seen = pl.DataFrame({"site": "Dongsi", "gas": "CO", "when": [1.0, 2.0], "level": [0.0, 1.0]})
    unseen = seen.with_columns(pl.lit("O3").alias("gas"))
    figure = draw_predictions(observed=seen, held_out=unseen, value="level")
    first, second, *others = figure.axes
    assert line(first, "training").get_marker() != line(second, "held out").get_marker()
    np.testing.assert_array_equal(line(first, "training").get_ydata(), [0.0, 1.0])
    assert all(len(ax.lines) == 1 for ax in others)
    assert legend_texts(figure) == ["mean", "95%", "50%", "training", "held out"]


def test_cells_come_in_the_order_asked_for():
    figure = draw_predictions(cells=[("Tiantan", "O3"), ("Dongsi", "CO"), ("Dongsi", "O3")])
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == ["Tiantan · O3", "Dongsi · CO", "Dongsi · O3"]


def test_a_column_with_a_gap_below_keeps_its_time_labels(tmp_path):
    figure = draw_predictions(cells=[("Tiantan", "O3"), ("Dongsi", "CO"), ("Dongsi", "O3")])
    figure.savefig(tmp_path / "drawn.png")
    labelled = [ax.xaxis.get_tick_params()["labelbottom"] for ax in figure.axes]
    assert labelled == [False, True, True]


def test_frames_of_pandas_are_welcome():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(prediction_frame(DAYS).to_dict(as_series=False))
    assert len(predictions(frame, modes=["site", "gas"], time="when").axes) == 4


# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda f: trajectories(f, entities=["Dongsy"]), ConfigError,
         "entities: the frame has no 'Dongsy'; did you mean 'Dongsi'"),
        (lambda f: trajectories(f, entities=["zzz"]), ConfigError,
         "no 'zzz'; it has 'Dongsi', 'Guanyuan', 'Tiantan'$"),
        (lambda f: trajectories(f, factors=[7]), ConfigError, "factors: the frame has no 7; it"),
        (lambda f: trajectories(f, entities="Dongsi"), ConfigError, "expected a list of one label"),
        (lambda f: trajectories(f, entities=[]), ConfigError, "expected a list of one label"),
        (lambda f: trajectories(f, boundary=START), ConfigError, "not a point in time like those"),
        (lambda f: trajectories(f, boundary="6"), ConfigError, "not a point in time like those"),
        (lambda f: trajectories(f.drop("std")), DataError, "no column is called 'std'; there are"),
        (lambda f: trajectories(f.clear()), DataError, "there are no rows"),
        (lambda f: trajectories(f.lazy()), DataError,
         r": expected a data frame \(polars, pandas, arrow\), got LazyFrame; collect a lazy frame "
         "first"),
        (lambda f: trajectories(f.with_columns(time=pl.lit("noon"))), DataError,
         "'time' holds String; expected datetimes, dates or numbers"),
        (lambda f: draw_predictions(cells=[("Dongsi", "CO2")]), ConfigError,
         r"cells: the frame has no \('Dongsi', 'CO2'\); did you mean \('Dongsi', 'CO'\)"),
        (lambda f: draw_predictions(cells=["Dongsi"]), ConfigError, "tuples of 2 labels, one per"),
        (lambda f: draw_predictions(cells="Dongsi"), ConfigError, r"write \['Dongsi'\]"),
        (lambda f: draw_predictions(observed=prediction_frame(NUMBERS)), DataError,
         "the observed rows: no column is called 'value'"),
        (lambda f: draw_predictions(observed=prediction_frame(DAYS), value="mean"), DataError,
         "observed rows have times of type Datetime.*, the predictions Float64"),
    ],
)  # fmt: skip
def test_mistakes_are_explained(call, error, message):
    with pytest.raises(error, match=message):
        call(trajectory_frame(NUMBERS))


def test_too_many_panels_are_refused_with_a_way_out():
    frame = trajectory_frame(NUMBERS[:2], [f"s{i:02}" for i in range(31)])
    message = r"62 panels cannot be read; at most 60 .* entities=\['s00', 's01', 's02'\]"
    with pytest.raises(ConfigError, match=message):
        trajectories(frame)


def test_a_missing_matplotlib_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ConfigError, match=r'pip install "nonfat\[plot\]"'):
        trajectories(trajectory_frame(NUMBERS))


def test_drawing_leaves_the_settings_of_matplotlib_alone():
    before = dict(matplotlib.rcParams)
    trajectories(trajectory_frame(NUMBERS), boundary=6.0)
    assert dict(matplotlib.rcParams) == before


def test_importing_is_light_and_drawing_needs_neither_pyplot_nor_jax():
    code = """
import sys, polars, nonfat.plotting
assert "matplotlib" not in sys.modules
row = {"entity": "a", "factor": 0, "time": [0.0, 1.0], "mean": 0.0, "std": 1.0}
nonfat.plotting.trajectories(polars.DataFrame(row))
assert not {"jax", "matplotlib.pyplot"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_labels_of_equal_methods_can_all_be_read():
    frame = pl.DataFrame(
        {
            "method": ["NNDTL", "NNDTN", "NNCT", "far away"],
            "kind": ["method"] * 4,
            "seconds": [10.0, 10.0, 10.1, 500.0],
            "score": [0.3, 0.3, 0.3, 0.9],
        }
    )
    figure = against_time(frame, score="relative RMSE", lower=True)
    labels = figure.axes[0].texts
    boxes = [matplotlib.text.Text.get_window_extent(label) for label in labels]
    assert len(boxes) == 4
    assert not any(a.overlaps(b) for n, a in enumerate(boxes) for b in boxes[:n])
    assert labels[3].xyann == (4, 3)  # nothing is in its way
