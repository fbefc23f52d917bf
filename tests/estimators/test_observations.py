"""Counts, yes or no, heavy tails: what a likelihood changes in an estimator's answers."""

import numpy as np
import polars as pl
import pytest

import nonfat as nf
from contracts.support import fast_compilation

MODES = ["shop", "article"]
BRIEF = {"rank": 1, "basis_size": 7, "pseudo_inputs": 8, "draws": 16, "learning_rate": 0.05}
BRIEF |= {"epochs": 150, "progress": False, "validation_fraction": 0.2}


@pytest.fixture(scope="module", autouse=True)
def quickly_compiled():
    with fast_compilation():
        yield


def cells(N=240, seed=0):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "shop": rng.choice(["a", "b", "c"], N),
            "article": rng.choice(["x", "y"], N),
            "time": rng.uniform(0, 1, N),
            "hours": rng.choice([1.0, 2.0, 10.0], N),
        }
    )
    shop, article = frame["shop"].to_numpy(), frame["article"].to_numpy()
    return frame, 1.0 + (shop == "b") + 2.0 * (article == "y"), rng


def fit(frame, likelihood, **options):
    modes = {"modes": MODES}
    return nf.NONFAT(**modes, likelihood=likelihood, **BRIEF, **options).fit(frame)


@pytest.fixture(scope="module")
def sold():
    frame, rate, rng = cells()
    return frame.with_columns(value=rng.poisson(rate * frame["hours"].to_numpy()))


@pytest.fixture(scope="module")
def counts(sold, quickly_compiled):
    return fit(sold, "poisson", exposure="hours")


@pytest.fixture(scope="module")
def chosen(sold, quickly_compiled):
    """What "auto" makes of counts whose exposure it is not told."""
    with pytest.warns(nf.ChoiceWarning, match="auto' chose 'negative_binomial', because all 240"):
        return fit(sold.drop("hours"), "auto")


def test_a_count_is_predicted_in_proportion_to_its_exposure(counts):
    query = pl.DataFrame({"shop": "a", "article": "x", "time": 0.5, "hours": [1.0, 10.0]})
    mean, latent = (counts.predict(query)[name].to_numpy() for name in ("mean", "latent_std"))
    assert mean[1] == pytest.approx(10 * mean[0], rel=1e-4)
    assert latent[1] == pytest.approx(10 * latent[0], rel=1e-4)
    assert 0.5 < mean[0] < 2


def test_quantiles_and_draws_of_counts_are_whole_numbers(counts, sold):
    answer = counts.predict(sold, level=[50, 95])
    for name in ("lo-50", "hi-50", "lo-95", "hi-95"):
        assert (answer[name] == answer[name].round()).all()
        assert (answer[name] >= 0).all()
    draws = counts.sample(sold, 2)["draw"]
    assert (draws == draws.round()).all()
    assert (draws >= 0).all()


def test_bands_of_counts_cover(counts, sold):
    assert 0.92 <= counts.evaluate(sold)["coverage_95"] <= 1.0


@pytest.mark.parametrize("which", ["counts", "chosen"])
def test_probabilities_of_all_counts_add_up_to_one(which, request):
    model = request.getfixturevalue(which)
    cell = pl.DataFrame({"shop": "a", "article": "x", "time": 0.5, "hours": 1.0})
    most = int(30 * model.predict(cell)["std"][0]) + 10
    total = sum(np.exp(model.score(cell.with_columns(value=pl.lit(k)))) for k in range(most))
    assert total == pytest.approx(1.0, abs=2e-3)


def test_a_count_without_its_exposure_is_refused(counts, sold):
    with pytest.raises(nf.DataError, match="'hours'"):
        counts.predict(sold.drop("hours"))


@pytest.mark.parametrize("value", [0.5, -1.0])
def test_impossible_counts_are_refused_in_training_and_in_scoring(counts, sold, value):
    odd = sold.with_columns(
        value=pl.when(pl.int_range(pl.len()) == 7).then(value).otherwise("value")
    )
    for call in (counts.score, lambda table: fit(table, "poisson")):
        with pytest.raises(nf.DataError, match=r"whole numbers of 0 or more .* row 7"):
            call(odd)


def test_an_exposure_goes_with_counts(sold):
    with pytest.raises(nf.ConfigError, match="exposure='hours' goes with counts"):
        fit(sold, "gaussian", exposure="hours")


def test_an_exposure_of_nothing_is_refused(sold):
    with pytest.raises(nf.DataError, match=r"'hours'.*row 0"):
        fit(sold.with_columns(hours=pl.lit(0.0)), "poisson", exposure="hours")


def test_yes_or_no_is_answered_with_probabilities():
    frame, rate, rng = cells()
    frame = frame.drop("hours").with_columns(value=rng.uniform(size=240) < rate / 5)
    model = fit(frame, "bernoulli")
    answer = model.predict(frame, level=95)
    low, mean, high = (answer[name].to_numpy() for name in ("lo-95", "mean", "hi-95"))
    assert ((low > 0) & (low < mean) & (mean < high) & (high < 1)).all()
    std = answer["std"].to_numpy()
    np.testing.assert_allclose(std, np.sqrt(mean * (1 - mean)), rtol=1e-4)
    assert np.corrcoef(mean, rate)[0, 1] > 0.7
    assert set(model.sample(frame)["draw"].unique()) == {0.0, 1.0}
    found = model.evaluate(frame)
    assert found["coverage_95"] is None
    with pytest.raises(nf.ConfigError, match="coverage says nothing of binary values"):
        model.score(frame, metric="coverage")
    assert model.score(frame) == pytest.approx(found["log_likelihood"])


def test_heavy_tails_are_better_told_by_student_t():
    frame, rate, rng = cells(600)
    frame = frame.drop("hours").with_columns(value=rate + 0.2 * rng.standard_t(2.2, 600))
    train, test = frame[:450], frame[450:]
    heavy, light = (fit(train, name).score(test) for name in ("student_t", "gaussian"))
    assert heavy > light + 0.2


def test_auto_says_what_it_chose_and_why(chosen):
    assert chosen.fit_.provenance.likelihood == "negative_binomial"
    assert "likelihood   negative_binomial: all 240 values" in chosen.summary()


def test_a_likelihood_and_an_exposure_survive_a_file(counts, sold, tmp_path):
    counts.save(tmp_path / "counts.nonfat")
    again = nf.load(tmp_path / "counts.nonfat")
    assert again.predict(sold, level=80).equals(counts.predict(sold, level=80))
    assert again.summary() == counts.summary()


def test_the_name_of_a_likelihood_is_checked_before_the_table():
    with pytest.raises(nf.ConfigError, match="got 'poison'; did you mean 'poisson'"):
        nf.NONFAT(likelihood="poison").fit("no such table.csv")


def test_values_that_never_change_are_worth_a_warning(sold):
    flat = sold.drop("hours").with_columns(value=pl.lit(3.0))
    with pytest.warns(nf.DataWarning, match="all 240 values in column 'value' equal 3"):
        fit(flat, "gaussian")
