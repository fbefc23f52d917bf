"""The contract of scikit-learn's estimators."""

import copy
import inspect
import pickle

import numpy as np
import polars as pl
import pytest
import sklearn.exceptions
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import nonfat as nf
from contracts.support import CASES, MODES, TIME, VALUE, numbers
from nonfat.estimators import ESTIMATORS


def test_every_estimator_has_a_fast_configuration_and_no_other_has():
    assert set(CASES) == set(ESTIMATORS)


def test_the_constructor_keeps_every_argument_as_it_is_and_does_nothing_else(name):
    cls = ESTIMATORS[name]
    given = {option: object() for option in inspect.signature(cls).parameters}
    assert vars(cls(**given)) == given


def test_get_params_gives_back_what_set_params_took(new):
    estimator = new()
    assert estimator.set_params(seed=7, modes=["other"]) is estimator
    assert estimator.get_params()["seed"] == 7
    assert estimator.get_params()["modes"] == ["other"]


def test_an_unknown_parameter_is_refused_by_name(new):
    with pytest.raises(ValueError, match="Invalid parameter 'rnak'"):
        new().set_params(rnak=3)


def test_a_clone_has_the_parameters_but_not_the_fit(model):
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert twin.modes is not model.modes
    assert not hasattr(twin, "fit_")


def test_repr_is_the_call_that_makes_the_estimator(name, new):
    text = repr(new(seed=5))
    assert text.startswith(f"{name}(")
    assert "seed=5" in text
    assert "dtype" not in text  # a default
    assert eval(text, {name: ESTIMATORS[name]}).get_params() == new(seed=5).get_params()


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda model, table, path: model.predict(table), id="predict"),
        pytest.param(lambda model, table, path: model.sample(table), id="sample"),
        pytest.param(lambda model, table, path: model.score(table), id="score"),
        pytest.param(lambda model, table, path: model.evaluate(table), id="evaluate"),
        pytest.param(lambda model, table, path: model.trajectories("site"), id="trajectories"),
        pytest.param(lambda model, table, path: model.summary(), id="summary"),
        pytest.param(lambda model, table, path: model.save(path / "x.nonfat"), id="save"),
        pytest.param(lambda model, table, path: model.plot, id="plot"),
    ],
)
def test_nothing_works_before_fit_and_the_error_says_so(name, new, table, tmp_path, use):
    with pytest.raises(nf.NotFittedError) as caught:
        use(new(), table, tmp_path)
    assert str(caught.value) == (
        f"this {name} is not fitted yet; call fit(table) first, "
        "or read a saved model with nonfat.load(path)"
    )
    assert isinstance(caught.value, sklearn.exceptions.NotFittedError)
    assert not list(tmp_path.iterdir())


def test_fit_returns_the_estimator_and_leaves_its_parameters_alone(new, table):
    estimator = new()
    before = dict(vars(estimator))
    assert estimator.fit(table) is estimator
    assert {key: vars(estimator)[key] for key in before} == before
    assert all(key.endswith("_") for key in set(vars(estimator)) - set(before))
    check_is_fitted(estimator)
    assert estimator.n_features_in_ == 3


def test_fit_leaves_the_table_alone(new, table):
    frame = table.to_pandas()
    before = frame.copy(deep=True)
    new().fit(frame).predict(frame)
    assert frame.equals(before)


def test_fitting_again_forgets_the_first_table(new, model, table):
    other = table.with_columns(pl.col("level") * -3.0 + 1.0)
    again = new().fit(other).fit(table)
    assert np.array_equal(numbers(again.predict(table)), numbers(model.predict(table)))


def test_a_failed_fit_leaves_the_estimator_usable(new, model, table):
    estimator = new().fit(table)
    with pytest.raises(nf.DataError):
        estimator.fit(table.drop("level"))
    assert np.array_equal(numbers(estimator.predict(table)), numbers(model.predict(table)))


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]
)
def test_a_fitted_estimator_can_be_sent_to_another_process(model, table, duplicate):
    assert np.array_equal(numbers(duplicate(model).predict(table)), numbers(model.predict(table)))


@pytest.mark.parametrize("kind", [pytest.param("polars", marks=pytest.mark.once), "pandas"])
def test_grid_search_works_on_frames(new, case, table, kind):
    twice = pl.concat([table, table])  # so that folds are of a size for which code is compiled
    frame = twice if kind == "polars" else twice.to_pandas()
    ((option, values),) = case.grid.items()
    search = GridSearchCV(new(), case.grid, cv=2, error_score="raise", refit=lambda results: 0).fit(
        frame
    )
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert (scores[0] != scores[1]) == case.seeded
    assert getattr(search.best_estimator_, option) == values[0]
    assert type(search.predict(frame)) is type(frame)


def test_scikit_learns_own_scorers_work_on_arrays(new, table):
    table = pl.concat([table, table])  # see above
    codes = table.select(
        pl.col("site").replace_strict({"a": 0, "b": 1, "c": 2}),
        pl.col("pollutant").replace_strict({"x": 0, "y": 1}),
        "when",
    ).to_numpy()
    scores = cross_val_score(
        new(), codes, table["level"].to_numpy(), cv=2, scoring="neg_mean_squared_error",
        error_score="raise",
    )  # fmt: skip
    assert (scores < 0).all()


def test_a_pipeline_passes_frames_through(new, model, table):
    pipeline = Pipeline([("nothing", "passthrough"), ("model", new())]).fit(table)
    assert pipeline.predict(table).equals(model.predict(table))
    assert pipeline.score(table) == model.score(table)


def test_the_names_of_the_columns_have_defaults(new, model, table):
    frame = table.rename({TIME: "time", VALUE: "value"})
    plain = new(modes=None, time="time", value="value").fit(frame)
    assert plain.predict(frame).columns[:3] == [*MODES, "time"]
    assert np.array_equal(numbers(plain.predict(frame)), numbers(model.predict(table)))
