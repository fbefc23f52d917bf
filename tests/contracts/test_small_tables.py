"""The smallest and the oddest tables that still are tables."""

import warnings

import jax
import numpy as np
import polars as pl
import pytest

import nonfat as nf
from contracts.support import MODES, events, numbers, queries

once = pytest.mark.once
LONE = "a single entity in "


def _rows(*rows):
    return pl.DataFrame(rows, schema=[*MODES, "when", "level"], orient="row")


def _sound(model, frame):
    """Every answer is finite, with errors that are positive."""
    answer = model.predict(frame, level=90)
    assert np.isfinite(answer.select("mean", "std", "lo-90", "hi-90").to_numpy()).all()
    assert (answer["std"] > 0).all()
    assert (answer["std"] >= answer["latent_std"]).all()
    assert np.isfinite(model.score(frame))
    assert model.summary()
    return answer


def _fitted(new, frame):
    """A model, and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = new().fit(frame)
    assert {warning.category for warning in caught} <= {nf.DataWarning}
    return model, " ".join(str(warning.message) for warning in caught)


def test_one_row_is_enough(new):
    row = _rows(("a", "x", 5, 3.5))
    model, told = _fitted(new, row)
    assert LONE in told
    answer = _sound(model, row)
    assert abs(answer["mean"][0] - 3.5) < answer["std"][0]
    assert model.predict(queries(("a", "x", 4), ("a", "x", 5), ("b", "x", 6)))[
        "beyond"
    ].to_list() == [True, False, True]
    assert "times        5 to 5, 1 distinct" in model.summary()
    assert "0 held out" in model.summary()


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(("b", "y", 9, 4.5), marks=once, id="other"),
        pytest.param(("a", "x", 5, 3.5), id="same"),
    ],
)
def test_two_rows_are_enough_even_if_they_are_the_same(new, second):
    rows = _rows(("a", "x", 5, 3.5), second)
    same = rows[0].equals(rows[1])
    model, told = _fitted(new, rows)
    assert (LONE in told) == same
    answer = _sound(model, rows)
    assert answer[0].equals(answer[1]) == same


@pytest.mark.parametrize(
    ("K", "compiled"),
    [
        (1, True),
        pytest.param(3, True, marks=once),
        pytest.param(8, False, marks=[once, pytest.mark.slow]),
    ],
)
def test_tables_have_one_to_many_modes(new, K, compiled):
    """Training with eight modes is not compiled: that takes most of a minute."""
    rng = np.random.default_rng(K)
    modes = {f"mode {k}": rng.permutation(np.arange(24) % 2) for k in range(K)}
    frame = pl.DataFrame(modes | {"when": np.arange(24) % 4, "level": rng.standard_normal(24)})
    model = new(modes=list(modes), validation_fraction=0.0, epochs=1, draws=2)
    with jax.disable_jit(not compiled):
        model.fit(frame)
    answer = _sound(model, frame)
    strangers = frame.with_columns(pl.lit(7).alias(f"mode {K - 1}"))
    assert model.predict(strangers)["unseen"].all()
    assert answer.columns[: K + 1] == [*modes, "when"]


@pytest.mark.once
def test_modes_may_be_left_out_if_all_other_columns_are_modes(new, table):
    assert new(modes=None).fit(table).fit_.schema.modes == ("site", "pollutant")


@pytest.mark.once
def test_one_mode_may_be_named_without_a_list(new, table):
    model = new(modes="site", validation_fraction=0.0, epochs=1)
    frame = table[:24].with_columns(site=pl.int_range(24) % 2, when=(pl.int_range(24) // 2) % 4)
    assert model.fit(frame).predict(frame).columns[:2] == ["site", "when"]


def test_a_mode_with_one_entity_is_worth_a_warning():
    rows = _rows(("a", "x", 5, 3.5), ("b", "x", 9, 4.5))
    with pytest.warns(nf.DataWarning, match=f"{LONE}the mode 'pollutant': it tells no rows apart"):
        events(rows)


@pytest.mark.parametrize(
    "value", [pytest.param(0.0, marks=once), -7.5, pytest.param(1e9, marks=once)]
)
def test_values_that_never_change_are_predicted_as_they_are(new, case, table, value):
    constant = table.with_columns(level=pl.lit(value))
    model, told = _fitted(new, constant)
    assert ("there is nothing to learn, and the cell mean would do" in told) == case.trained
    answer = _sound(model, constant)
    assert (np.abs(answer["mean"] - value) < 0.2).all()


@pytest.mark.parametrize(
    ("scale", "shift"),
    [
        pytest.param(1.0, 1e12, marks=once),
        pytest.param(1e-12, 0.0, marks=once),
        (1e12, -3e13),
        pytest.param(1e150, 0, marks=once),
    ],
)
def test_answers_follow_the_units_of_the_values(new, model, table, scale, shift):
    other = table.with_columns(pl.col("level") * scale + shift)
    again = new().fit(other)
    answer, base = numbers(_sound(again, other)), numbers(model.predict(table))
    precision = 1e-3 + 1e-15 * abs(shift) / scale * 100
    assert np.allclose((answer[0] - shift) / scale, base[0], atol=precision)
    assert np.allclose(answer[1:] / scale, base[1:], atol=precision)
    expected = model.score(table) - np.log(scale)
    assert again.score(other) == pytest.approx(expected, abs=20 * precision)


def test_an_outlier_leaves_everything_finite(new, table):
    outlier = table.with_columns(
        level=pl.when(pl.int_range(pl.len()) == 5).then(1e6).otherwise("level")
    )
    model = new().fit(outlier)
    _sound(model, outlier)
    assert all(np.isfinite(list(model.evaluate(outlier).values())))


@pytest.mark.once
@pytest.mark.parametrize("bad", [float("inf"), -float("inf")])
def test_infinite_values_are_refused_with_their_row(new, table, bad):
    infinite = table.with_columns(
        level=pl.when(pl.int_range(pl.len()) == 5).then(bad).otherwise("level")
    )
    with pytest.raises(nf.DataError, match=r"'level' is infinite in row 5"):
        new().fit(infinite)


@pytest.mark.once
def test_missing_times_and_ids_are_refused_with_their_row(new, table):
    for column in ("when", "site"):
        holes = table.with_columns(pl.when(pl.int_range(pl.len()) != 5).then(column).alias(column))
        with pytest.raises(nf.DataError, match=rf"column '{column}' .*row 5"):
            new().fit(holes)


@pytest.mark.once
def test_values_that_are_all_missing_are_refused(new, table):
    with pytest.raises(nf.DataError, match="every one of the 48 values in column 'level'"):
        new().fit(table.with_columns(level=pl.lit(None, pl.Float64)))
