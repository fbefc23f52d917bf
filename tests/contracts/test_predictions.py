"""Means, errors, intervals, densities and draws."""

import numpy as np
import polars as pl
import pytest

import nonfat as nf
from contracts.support import numbers, queries, standard_table


def test_the_same_seed_gives_the_same_bits(new, model, table):
    assert new().fit(table).predict(table).equals(model.predict(table))
    assert model.predict(table).equals(model.predict(table))


@pytest.mark.seeded
def test_another_seed_gives_another_model(new, model, table):
    other = numbers(new(seed=1).fit(table).predict(table))
    assert not np.array_equal(other, numbers(model.predict(table)))


def test_the_global_random_state_does_not_matter(new, model, table):
    state = np.random.get_state()
    try:
        np.random.seed(1)
        assert new().fit(table).predict(table).equals(model.predict(table))
    finally:
        np.random.set_state(state)


@pytest.fixture(scope="module")
def crowd():
    """3000 queries: known and unseen entities, inside and beyond."""
    rng = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "site": rng.choice(["a", "b", "c", "nobody"], 3000),
            "pollutant": rng.choice(["x", "y", "nothing"], 3000),
            "when": rng.integers(-5, 15, 3000),
        }
    )


def test_an_answer_does_not_depend_on_the_rows_around_it(model, crowd):
    among = model.predict(crowd, level=80)
    for row in (0, 1023, 1024, 2999):
        alone = model.predict(crowd[row], level=80)
        columns = ["mean", "std", "latent_std", "lo-80", "hi-80"]
        assert np.allclose(
            alone.select(columns).to_numpy(), among[row].select(columns).to_numpy(), atol=1e-5
        )
        assert alone["unseen"][0] == among["unseen"][row]
    seen = ~among["unseen"].to_numpy()
    without = model.predict(crowd.filter(seen))
    assert np.allclose(numbers(without), numbers(among.filter(seen)), atol=1e-5)


def test_the_order_of_many_queries_does_not_matter(model, crowd):
    order = np.random.default_rng(4).permutation(3000)
    shuffled = numbers(model.predict(crowd[order]))
    assert np.allclose(shuffled, numbers(model.predict(crowd))[:, order], atol=1e-5)


def test_intervals_hold_the_mean_and_are_nested(model, crowd):
    levels = [1, 50, 80, 95, 99.9]
    answer = model.predict(crowd.head(60), level=levels)
    assert answer.columns[3:] == [
        "mean", "std", "latent_std",
        *(f"{side}-{level:g}" for level in levels for side in ("lo", "hi")),
        "unseen", "beyond",
    ]  # fmt: skip
    ends = [f"lo-{level:g}" for level in reversed(levels)] + [f"hi-{level:g}" for level in levels]
    assert (np.diff(answer.select(ends).to_numpy(), axis=1) > 0).all()
    assert ((answer["lo-80"] < answer["mean"]) & (answer["mean"] < answer["hi-80"])).all()
    # Elsewhere a product of factors is far from Gaussian.
    known = answer.filter(~pl.col("unseen") & ~pl.col("beyond"))
    assert known.height >= 5
    assert np.allclose((known["hi-95"] - known["lo-95"]) / known["std"], 3.92, rtol=0.15)


def test_levels_do_not_depend_on_each_other(model, table):
    both = model.predict(table, level=(80, 95))
    assert np.allclose(both["lo-95"], model.predict(table, level=95)["lo-95"], atol=1e-5)
    assert np.allclose(
        both["hi-80"], model.predict(table, level=[np.int64(80)])["hi-80"], atol=1e-5
    )


@pytest.mark.once
@pytest.mark.parametrize("level", [0.95, 0, 100, -5, True, "95", [80, 0.5], float("nan")])
def test_a_level_is_a_percentage(model, table, level):
    with pytest.raises(
        nf.ConfigError, match=r"a level is a percentage from 1 to 99\.9, such as 95"
    ):
        model.predict(table, level=level)


def test_the_observation_is_less_certain_than_the_latent_value(model, crowd):
    answer = model.predict(crowd)
    assert (answer["latent_std"] > 0).all()
    assert (answer["std"] > answer["latent_std"]).all()


def test_densities_integrate_to_one_and_have_the_moments_of_the_answer(model):
    """Through `score`, one row at a time: the densities of one cell on a grid of values."""
    cell = queries(("a", "x", 3))
    answer = model.predict(cell)
    mean, std = answer["mean"][0], answer["std"][0]
    grid = np.linspace(mean - 7 * std, mean + 7 * std, 36)
    density = np.exp([model.score(cell.with_columns(level=pl.lit(y))) for y in grid])
    assert np.trapezoid(density, grid) == pytest.approx(1.0, abs=1e-3)
    assert np.trapezoid(density * grid, grid) == pytest.approx(mean, abs=1e-3 * std)
    spread = np.trapezoid(density * (grid - mean) ** 2, grid)
    assert spread == pytest.approx(std**2, rel=1e-2)


def test_the_default_score_is_the_mean_log_density_of_the_rows(model, table):
    each = [model.score(table[row]) for row in range(8)]
    assert model.score(table[:8]) == pytest.approx(np.mean(each), abs=1e-5)


@pytest.mark.once
@pytest.mark.parametrize(
    "metric", ["log_likelihood", "rmse", "relative_rmse", "mae", "crps", "coverage"]
)
def test_every_metric_has_a_name_and_agrees_with_evaluate(model, table, metric):
    found = model.evaluate(table)
    key = "coverage_95" if metric == "coverage" else metric
    assert model.score(table, metric=metric) == pytest.approx(found[key], rel=1e-6)
    assert next(iter(found)) == "rows"
    assert found["rows"] == 48


def test_metrics_are_what_their_names_say(model):
    table = standard_table(seed=9)  # its own noise: references may meet training rows exactly
    answer, y = model.predict(table, level=95), table["level"].to_numpy()
    error = answer["mean"].to_numpy() - y
    inside = (answer["lo-95"].to_numpy() <= y) & (y <= answer["hi-95"].to_numpy())
    found = model.evaluate(table)
    assert found["rmse"] == pytest.approx(np.sqrt(np.mean(error**2)))
    assert found["relative_rmse"] == pytest.approx(found["rmse"] / np.sqrt(np.mean(y**2)))
    assert found["mae"] == pytest.approx(np.mean(np.abs(error)))
    assert found["coverage_95"] == np.mean(inside)
    # with other scores it comes from one pass over the rows, alone from a pass of its own
    assert found["log_likelihood"] == pytest.approx(model.score(table), abs=1e-6)
    assert 0 < found["crps"] < 2 * found["mae"]  # below it, were the bands no wider than needed


def test_values_may_come_apart_in_score_and_evaluate(model, table):
    X, y = table.drop("level"), table["level"].to_numpy()
    assert model.score(X, y) == model.score(table)
    assert model.evaluate(X, y) == model.evaluate(table)
    with pytest.raises(nf.DataError, match="y has 47 values, but the table has 48 rows"):
        model.score(X, y[1:])


@pytest.mark.once
@pytest.mark.parametrize("metric", ["rsme", "RMSE", None, 5, ["rmse"]])
def test_an_unknown_metric_is_refused_with_the_names(model, table, metric):
    with pytest.raises(nf.ConfigError) as caught:
        model.score(table, metric=metric)
    assert "no metric is called" in str(caught.value)
    assert "relative_rmse, mae, log_likelihood, crps, coverage" in str(caught.value)
    if metric == "rsme":
        assert "did you mean 'rmse'?" in str(caught.value)


# --- draws --------------------------------------------------------------------------------------


def test_samples_come_as_whole_scenarios(model, table):
    drawn = model.sample(table, 3, seed=1)
    assert drawn.columns == ["site", "pollutant", "when", "sample", "draw"]
    assert drawn["sample"].to_list() == [0] * 48 + [1] * 48 + [2] * 48
    assert (
        drawn.filter(pl.col("sample") == 2)
        .select("site", "when")
        .equals(table.select("site", "when"))
    )
    scenarios = drawn["draw"].to_numpy().reshape(3, 48)
    assert len({tuple(scenario) for scenario in scenarios}) == 3


def test_samples_follow_their_seed_and_begin_alike_for_any_number(model, table):
    three = model.sample(table, 3, seed=1)
    assert three.equals(model.sample(table, 3, seed=1))
    assert three.head(48).equals(model.sample(table, 1, seed=1))
    assert not three.equals(model.sample(table, 3, seed=2))


@pytest.mark.once
@pytest.mark.parametrize(("option", "value"), [("n", 0), ("n", 2.5), ("seed", -1), ("seed", "a")])
def test_samples_need_whole_numbers(model, table, option, value):
    with pytest.raises(nf.ConfigError, match=f"{option} must be a whole number of at least"):
        model.sample(table, **{option: value})


def test_the_marginals_of_samples_are_those_of_predict(model):
    rows = queries(("a", "x", 3), ("b", "y", 6), ("nobody", "x", 3), ("c", "x", 20))
    draws = model.sample(rows, 400)["draw"].to_numpy().reshape(400, 4)
    answer = model.predict(rows)
    std = answer["std"].to_numpy()
    assert np.allclose(draws.mean(axis=0), answer["mean"], atol=0.25 * std.max())
    assert np.allclose(draws.std(axis=0), std, rtol=0.2)


@pytest.mark.parametrize(
    "copies",
    [
        pytest.param(60, id="in one chunk"),
        pytest.param(1100, id="across chunks", marks=pytest.mark.once),
    ],
)
def test_samples_are_joint(model, copies):
    """Rows of one cell and time share their trajectories: halves of them move together."""
    rows = pl.concat([queries(("nobody", "x", 3))] * copies)
    draws = model.sample(rows, 200, seed=5)["draw"].to_numpy().reshape(200, copies)
    assert (draws[:, 0] != draws[:, 1]).all()  # each row has noise of its own
    first, last = draws[:, : copies // 2].mean(axis=1), draws[:, copies // 2 :].mean(axis=1)
    assert np.corrcoef(first, last)[0, 1] > 0.25  # by chance: 0 ± 0.07
