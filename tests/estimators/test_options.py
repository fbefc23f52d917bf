"""Wrong options are refused before the table is opened, with a text that says what would do."""

import numpy as np
import polars as pl
import pytest

import nonfat as nf
from contracts.support import events, make

WHOLE = "must be a whole number of at least"

WRONG = [
    ("rank", 0, f"rank {WHOLE} 1, got 0"),
    ("rank", "3", f"rank {WHOLE} 1, got '3'"),
    ("rank", 2.0, f"rank {WHOLE} 1, got 2.0"),
    ("rank", True, f"rank {WHOLE} 1, got True"),
    ("rank", None, f"rank {WHOLE} 1, got None"),
    ("preset", "papr", "preset must be one of 'default', 'paper', got 'papr'; "
        "did you mean 'paper'?"),
    ("preset", 5, "preset must be one of 'default', 'paper', got 5"),
    ("basis", "spectal", "basis must be one of 'spectral', 'laguerre', got 'spectal'; "
     "did you mean 'spectral'?"),
    ("basis_size", 0, f"basis_size {WHOLE} 1, got 0"),
    ("basis_size", 101, "basis_size must be a whole number of at most 100, got 101"),
    ("embedding_size", 0, f"embedding_size {WHOLE} 1, got 0"),
    ("pseudo_inputs", -1, f"pseudo_inputs {WHOLE} 1, got -1"),
    ("entity_pseudo_inputs", 0, f"entity_pseudo_inputs {WHOLE} 1, got 0"),
    ("horizon", 0, "horizon must be a number between 0 and 1e+06, got 0"),
    ("epochs", 0, f"epochs {WHOLE} 1, got 0"),
    ("batch_size", 0, f"batch_size {WHOLE} 1, got 0"),
    ("batch_size", 1e3, f"batch_size {WHOLE} 1, got 1000.0"),
    ("learning_rate", 0, "learning_rate must be a number between 0 and 1, got 0"),
    ("learning_rate", "fast", "learning_rate must be a number between 0 and 1, got 'fast'"),
    ("learning_rate", float("nan"), "learning_rate must be a number between 0 and 1, got nan"),
    ("warmup", 1.5, "warmup must be a number between 0 and 1, got 1.5"),
    ("warmup", -0.1, "warmup must be a number between 0 and 1, got -0.1"),
    ("patience", 0, f"patience {WHOLE} 1, got 0"),
    ("validation_fraction", 1, "validation_fraction must be a number between 0 and 1, got 1"),
    ("validation_fraction", -0.1, "validation_fraction must be a number between 0 and 1, got -0.1"),
    ("draws", 1, f"draws {WHOLE} 2, got 1"),
    ("dtype", "f32", "dtype must be one of 'float32', 'float64', got 'f32'; "
     "did you mean 'float32'?"),
    ("dtype", np.float32, "dtype must be one of 'float32', 'float64', got <class 'numpy.float32'>"),
    ("seed", -1, f"seed {WHOLE} 0, got -1"),
    ("seed", None, f"seed {WHOLE} 0, got None"),
    ("seed", 2**63, "seed must be a whole number of at most 9223372036854775807, got"),
    ("progress", "no", "progress must be True, False or None, got 'no'"),
]  # fmt: skip


@pytest.mark.parametrize(("option", "value", "text"), WRONG)
def test_a_wrong_option_is_refused_before_the_table_is_opened(option, value, text):
    laguerre = {"basis": "laguerre"} if value == 101 else {}
    estimator = make("NONFAT", **laguerre, **{option: value})  # the constructor itself is inert
    with pytest.raises(nf.ConfigError) as caught:
        estimator.fit("no such file.csv")
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("value", [0, 0.0, 1, 1.0])
def test_warmup_may_take_none_or_all_of_the_run(value):
    with pytest.raises(nf.DataError, match="no such file"):
        make("NONFAT", warmup=value).fit("no such file.csv")


def test_numbers_may_be_numpys(table):
    estimator = make("NONFAT", rank=np.int64(1), learning_rate=np.float64(0.02), seed=np.uint8(2))
    assert np.isfinite(estimator.fit(table).score(table))


def test_sizes_of_the_model_follow_the_options(model, table):
    time, combiner = model.fit_.model.time, model.fit_.model.combiner
    assert combiner.Z.shape == (8, 2)
    assert [E.shape for E in time.tables] == [(3, 3), (2, 3)]
    assert time.modes[0].basis.size == 7


def test_an_impatient_run_is_validated_once_before_it_ends(table):
    """It used to stop for lack of patience before its first validation, after five epochs."""
    model = make("NONFAT", patience=1).fit(table)
    assert model.fit_.provenance.validation is not None
    assert model.fit_.provenance.best_epoch == len(model.history_) == 5


@pytest.mark.parametrize(("fraction", "sizes"), [(0.0, 48), (0.1, 48), (0.11, 43)])
def test_a_split_needs_five_rows_to_hold_out(table, fraction, sizes):
    training, held_out = make("NONFAT", validation_fraction=fraction)._split(events(table))
    assert len(training) == sizes
    assert (0 if held_out is None else len(held_out)) == 48 - sizes


def test_the_paper_preset_trains_and_answers_far_away(table):
    model = nf.NONFAT(
        ["site", "pollutant"], "when", "level", preset="paper", rank=1, epochs=3,
        pseudo_inputs=8, draws=4, validation_fraction=0.0,
    ).fit(table)  # fmt: skip
    assert type(model.fit_.model.time.modes[0].basis).__name__ == "LaguerreBasis"
    assert model.fit_.model.time.modes[0].basis.size == 10
    far = table.with_columns(pl.col("when") + 70)
    assert np.isfinite(model.predict(far)["mean"].to_numpy()).all()
    assert model.predict(far)["beyond"].all()
