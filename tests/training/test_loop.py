import jax
import numpy as np
import pytest

from nonfat.errors import TrainingError, TrainingInterrupted, TrainingWarning
from nonfat.training import Training, train
from nonfat.training.steps import StepRule


def settings(**changes):
    """Ten epochs; tests that need fewer stop early, so that all share one compiled program."""
    options = {
        "epochs": 10,
        "learning_rate": 1e-2,
        "warmup": 0.0,
        "patience": 100,
        "check_every": 1,
    }
    return Training(**{**options, **changes})


def leaves(outcome):
    return [np.asarray(x) for x in jax.tree.leaves(outcome.model)]


def test_training_raises_the_elbo(make_model, make_source):
    history = train(make_model(), make_source(), settings()).history
    elbo = [report.elbo for report in history]
    assert [report.epoch for report in history] == list(range(1, 11))
    assert np.mean(elbo[-3:]) > np.mean(elbo[:3]) + 0.1


def test_one_seed_gives_one_model_bit_for_bit_and_another_seed_another(make_model, make_source):
    first, again, other = (
        train(make_model(), make_source(), settings(seed=seed)) for seed in (0, 0, 1)
    )
    for x, y in zip(leaves(first), leaves(again), strict=True):
        np.testing.assert_array_equal(x, y)
    assert [r.elbo for r in first.history] == [r.elbo for r in again.history]
    assert any(np.any(x != y) for x, y in zip(leaves(first), leaves(other), strict=True))


def test_a_fit_of_any_number_of_epochs_compiles_its_step_once(make_model, make_source, monkeypatch):
    """The Python of a step runs only while it is traced; sizes used nowhere else miss caches."""
    traced, step = [], StepRule.step

    def counting(self, state, local):
        traced.append(1)
        return step(self, state, local)

    monkeypatch.setattr(StepRule, "step", counting)
    counts = []
    for rows, epochs in ((33, 1), (36, 5)):
        traced.clear()
        train(make_model((5, 3)), make_source(rows, (5, 3), 12), settings(epochs=epochs))
        counts.append(len(traced))
    assert counts[0] >= 1
    assert counts[1] == counts[0]


def test_skipped_steps_are_counted_and_warned_of(make_model, make_source):
    value = np.where(np.arange(40) < 1, np.nan, 1.0)
    with pytest.warns(TrainingWarning, match="10 of 40 training steps were skipped"):
        outcome = train(make_model(), make_source(value=value), settings())
    assert outcome.skipped == 10
    assert all(np.all(np.isfinite(x)) for x in leaves(outcome) if x.dtype.kind == "f")


def test_hopeless_data_end_with_an_error_that_says_what_to_try(make_model, make_source):
    source = make_source(value=np.full(40, np.nan))
    text = (
        "no step of the 3 epochs up to epoch 3 had a finite gradient. "
        "Try a lower learning_rate \\(now 0.01\\)"
    )
    with pytest.raises(TrainingError, match=text):
        train(make_model(), source, settings())


@pytest.mark.parametrize("every", [1, 3])
def test_a_run_without_a_finite_validation_score_says_what_to_try(make_model, make_source, every):
    text = (
        r"training broke down: no epoch gave a finite validation score\. "
        r"Try a lower learning_rate \(now 0\.01\), dtype=\"float64\", or look for extreme values"
    )
    with pytest.raises(TrainingError, match=text):
        train(make_model(), make_source(), settings(check_every=every), lambda model: np.nan)


def test_ctrl_c_gives_the_best_model_so_far(make_model, make_source):
    seen, scores = [], iter([1.0, 3.0, 2.0])

    def score(model):
        seen.append(model)
        return next(scores)

    def press(report):
        if report.epoch == 3:
            raise KeyboardInterrupt

    text = "interrupted after epoch 3 of 10; the model of epoch 2 is kept"
    with pytest.warns(TrainingInterrupted, match=text):
        outcome = train(make_model(), make_source(), settings(), score, [press])
    assert outcome.best_epoch == 2
    assert outcome.model is seen[1]
    assert len(outcome.history) == 3


def test_ctrl_c_before_the_first_model_is_passed_on(make_model, make_source):
    class Interrupted:
        size, steps = 40, 4

        def epoch(self, rng):
            raise KeyboardInterrupt
            yield

    with pytest.raises(KeyboardInterrupt):
        train(make_model(), Interrupted(), settings())


def test_an_error_in_a_callback_ends_the_training(make_model, make_source):
    def fail(report):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(make_model(), make_source(), settings(), None, [fail])


@pytest.mark.parametrize(("patience", "last"), [(1, 4), (3, 6)])
def test_training_stops_when_the_score_has_not_risen_for_so_many_epochs(
    make_model, make_source, patience, last
):
    scores = iter([1.0, 2.0, 4.0, *[3.0] * 20])
    models = []

    def score(model):
        models.append(model)
        return next(scores)

    outcome = train(make_model(), make_source(), settings(patience=patience), score)
    assert len(outcome.history) == last
    assert outcome.best_epoch == 3
    assert outcome.best == 4.0
    assert outcome.model is models[2]


def test_patience_counts_from_the_end_of_the_warmup():
    options = settings(epochs=10, patience=2, warmup=0.5)
    assert [options.out_of_patience(epoch, best_epoch=1) for epoch in (3, 6, 7)] == [
        False,
        False,
        True,
    ]
    assert not options.out_of_patience(7, best_epoch=6)
    assert options.out_of_patience(8, best_epoch=6)


def test_validation_happens_every_so_many_epochs_and_after_the_last(make_model, make_source):
    outcome = train(make_model(), make_source(), settings(check_every=3), lambda model: 1.0)
    checked = [report.epoch for report in outcome.history if report.validation is not None]
    assert checked == [3, 6, 9, 10]
    assert [report.best for report in outcome.history] == [None, None, *[1.0] * 8]


def test_without_a_score_the_last_model_is_kept(make_model, make_source):
    outcome = train(make_model(), make_source(), settings())
    assert outcome.best_epoch == 10
    assert [report.validation for report in outcome.history] == [None] * 10
