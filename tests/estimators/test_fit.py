"""What a fit keeps, tells, and does when it is interrupted."""

import datetime as dt
from contextlib import contextmanager

import numpy as np
import polars as pl
import pytest

import nonfat as nf
from contracts.support import events, make
from nonfat.estimators import trained
from nonfat.training import loop

LONG = {"epochs": 200, "learning_rate": 0.05}


def stop(*_):
    raise KeyboardInterrupt


@pytest.fixture
def interrupt(monkeypatch):
    """A function that makes Ctrl-C happen after some epoch; in the first one if that is 0."""

    def after(epoch):
        if epoch == 0:
            monkeypatch.setattr(loop, "run_steps", stop)

        @contextmanager
        def bar(show, label):
            def tick(report):
                if report.epoch == epoch:
                    raise KeyboardInterrupt

            yield tick

        monkeypatch.setattr(trained, "progress_bar", bar)

    return after


def test_ctrl_c_keeps_the_best_model_so_far(table, interrupt):
    interrupt(7)
    model = make("NONFAT", **LONG)
    text = "training was interrupted after epoch 7 of 200; the model of epoch 5 is kept"
    with pytest.warns(nf.TrainingInterrupted, match=text):
        assert model.fit(table) is model
    assert model.fit_.provenance.epochs == 7
    assert model.fit_.provenance.best_epoch == 5
    assert np.isfinite(model.predict(table)["mean"].to_numpy()).all()


def test_ctrl_c_before_the_first_validation_keeps_the_last_model(table, interrupt):
    interrupt(2)
    text = "the model of epoch 2 is kept; no model was validated yet"
    with pytest.warns(nf.TrainingInterrupted, match=text):
        model = make("NONFAT", **LONG).fit(table)
    assert model.fit_.provenance.validation is None
    assert np.isfinite(model.predict(table)["mean"].to_numpy()).all()


def test_ctrl_c_before_there_is_a_model_is_still_ctrl_c(table, interrupt):
    interrupt(0)
    model = make("NONFAT", **LONG)
    with pytest.raises(KeyboardInterrupt):
        model.fit(table)
    assert not hasattr(model, "fit_")


def test_ctrl_c_during_a_second_fit_may_be_too_early_and_then_keeps_the_first(table, interrupt):
    model = make("NONFAT", **LONG)
    interrupt(6)
    with pytest.warns(nf.TrainingInterrupted):
        model.fit(table)
    before = model.predict(table)
    interrupt(0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(table)
    assert model.predict(table).equals(before)


def test_history_has_a_record_per_epoch(model):
    assert [report["epoch"] for report in model.history_] == [1, 2, 3, 4, 5]
    assert np.isfinite([report["elbo"] for report in model.history_]).all()
    assert model.history_[-1]["validation"] == model.history_[-1]["best"]


def test_the_validation_score_is_the_score_of_the_rows_held_out(model, table):
    """In the value's units, as `score` gives it; with fewer draws."""
    every = events(table)
    _, held_out = nf.random_split(every, 0.25, 0)
    expected = model.score(every.take(held_out))
    assert model.fit_.provenance.validation == pytest.approx(expected, abs=0.05)


def test_every_entity_has_a_row_to_train_on(table):
    """An entity that is seen in validation alone would be answered as known, from its start."""
    rare = table.head(6).with_columns(site=pl.Series([f"rare {i}" for i in range(6)]))
    every = events(pl.concat([table, rare]))
    training, held_out = make("NONFAT", validation_fraction=0.5)._split(every)
    assert training.shape == held_out.shape == (9, 2)
    assert [len(np.unique(column)) for column in training.codes.T] == [9, 2]
    assert sorted([*training.rows, *held_out.rows]) == list(range(54))
    assert len(held_out) < 27


def test_where_all_entities_are_rare_nothing_is_held_out(table):
    lone = table.with_columns(site=pl.Series([f"site {i}" for i in range(48)]))
    training, held_out = make("NONFAT", validation_fraction=0.5)._split(events(lone))
    assert len(training) == 48
    assert held_out is None


def test_the_coverage_goes_by_its_name_in_tables_of_scores(model, table):
    found = model.evaluate(table)["coverage_95"]
    assert (
        model.score(table, metric="coverage_95") == model.score(table, metric="coverage") == found
    )
    with pytest.raises(nf.ConfigError, match=r"no metric is called 'RMSE'; did you mean 'rmse'\?"):
        model.score(table, metric="RMSE")


def test_summary_says_what_was_fitted_on_what_and_how_it_went(model):
    lines = model.summary().splitlines()
    assert lines[0] == "NONFAT: level by site (3), pollutant (2) over when"
    assert [line.split()[0] for line in lines[1:]] == [
        "times", "rows", "parameters", "training", "validation", "likelihood", "noise",
    ]  # fmt: skip
    assert "0 to 7, 8 distinct" in lines[1]
    assert "48, of which 12 held out for validation" in lines[2]
    assert "5 epochs in" in lines[4]
    assert "best epoch 5" in lines[4]
    assert lines[6].endswith("gaussian: it was asked for")


def test_summary_tells_dates_as_dates(table):
    dates = pl.lit(dt.date(2024, 2, 28)) + pl.duration(days=pl.col("when"))
    model = make("NONFAT").fit(table.with_columns(when=dates))
    assert "2024-02-28 to 2024-03-06, 8 distinct" in model.summary()


def test_more_training_fits_better(model, table):
    """The same model, forty times as long."""
    longer = make("NONFAT", **LONG).fit(table)
    assert longer.score(table, metric="rmse") < 0.7 * model.score(table, metric="rmse")
    assert longer.score(table) > model.score(table) + 0.5


def test_an_observer_sees_every_epoch_and_changes_nothing(table):
    seen = []

    def look(report, answers, schema):
        rows = schema.encode(table, need_value=True)
        seen.append((report.epoch, answers.evaluate(rows, ["rmse"])["rmse"]))

    alone, observed = make("NONFAT", epochs=10), make("NONFAT", epochs=10)
    alone.fit(table)
    assert observed._fit_observed(table, look) is observed
    assert [epoch for epoch, _ in seen] == list(range(1, 11))
    np.testing.assert_array_equal(alone.predict(table)["mean"], observed.predict(table)["mean"])
    # The model that was kept is one of those that were seen.
    assert observed.score(table, metric="rmse") in [error for _, error in seen]
    observed.fit(table)
    assert len(seen) == 10
