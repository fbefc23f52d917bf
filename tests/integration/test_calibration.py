"""On data that the model itself could have made, its errors are as large as it says."""

import numpy as np
import polars as pl
import pytest

import nonfat as nf

NOISE = 0.3


def _paths(rng, entities, times):
    """Ornstein-Uhlenbeck paths, the model's own prior of a trajectory, with an offset each."""
    covariance = np.exp(-np.abs(times[:, None] - times) / 0.3) + 0.5
    factor = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(times)))
    return rng.standard_normal((entities, len(times))) @ factor.T


@pytest.fixture(scope="module")
def rows():
    """Ten by six entities, 40 times, half of the entries observed; a nonlinear combination."""
    rng = np.random.default_rng(0)
    times = np.linspace(0, 1, 40)
    u, w = _paths(rng, 10, times), _paths(rng, 6, times)
    i, j, t = (index.ravel() for index in np.indices((10, 6, 40)))
    latent = np.tanh(u[i, t]) + 0.7 * w[j, t] + 0.5 * np.sin(u[i, t] * w[j, t])
    value = latent + NOISE * rng.standard_normal(len(t))
    table = pl.DataFrame({"i": i, "j": j, "time": times[t], "latent": latent, "value": value})
    order = rng.permutation(len(table))
    return table[order[:1200]], table[order[1200:]]


@pytest.fixture(scope="module")
def answers(rows):
    training, held = rows
    model = nf.NONFAT(
        ["i", "j"], rank=2, basis_size=31, pseudo_inputs=50, epochs=150, batch_size=400,
        draws=32, progress=False,
    ).fit(training.drop("latent"))  # fmt: skip
    return model, model.predict(held.drop("latent"), level=[50, 80, 95])


def test_the_noise_is_found(answers):
    model, _ = answers
    noise = float(model.fit_.model.likelihood.noise_variance) ** 0.5 * model.fit_.scaler.scale
    assert 0.8 * NOISE < noise < 1.4 * NOISE  # the posterior approximation adds to it


@pytest.mark.parametrize(("level", "slack"), [(50, 0.1), (80, 0.08), (95, 0.04)])
def test_intervals_hold_as_many_values_as_they_say(rows, answers, level, slack):
    _, answer = answers
    value = rows[1]["value"].to_numpy()
    inside = (answer[f"lo-{level}"].to_numpy() <= value) & (
        value <= answer[f"hi-{level}"].to_numpy()
    )
    assert inside.mean() == pytest.approx(level / 100, abs=slack)


def test_standardised_errors_have_unit_size(rows, answers):
    _, answer = answers
    error = (answer["mean"] - rows[1]["value"]).to_numpy() / answer["std"].to_numpy()
    assert np.sqrt(np.mean(error**2)) == pytest.approx(1.0, abs=0.15)
    assert abs(error.mean()) < 0.1


def test_the_latent_value_is_found_within_its_own_errors(rows, answers):
    _, answer = answers
    error = (answer["mean"] - rows[1]["latent"]).to_numpy()
    assert np.sqrt(np.mean(error**2)) < 0.5 * rows[1]["latent"].std()
    size = np.sqrt(np.mean((error / answer["latent_std"].to_numpy()) ** 2))
    assert 0.5 < size < 2.0


@pytest.fixture(scope="module")
def later():
    """Twelve paths whose last fifth is unknown, and what the model says of it."""
    rng = np.random.default_rng(0)
    times = np.linspace(0, 1, 60)
    i, t = (index.ravel() for index in np.indices((12, 60)))
    value = _paths(rng, 12, times)[i, t] + 0.1 * rng.standard_normal(len(t))
    table = pl.DataFrame({"i": i, "time": times[t], "value": value})
    known, later = (table.filter(pl.col("time") <= 0.8), table.filter(pl.col("time") > 0.8))
    model = nf.NONFAT(["i"], rank=2, epochs=200, draws=32, progress=False).fit(known)
    return known, later, model.predict(later, level=95)


def test_the_later_a_time_the_wider_the_band(later):
    answer = later[2]
    by_time = answer.group_by("time").agg(pl.col("latent_std").mean()).sort("time")["latent_std"]
    assert (by_time.diff().drop_nulls() > 0).all()
    assert answer["beyond"].all()


def test_forecasts_err_as_the_last_value_does_and_say_so(later):
    """Of such a path nothing better is known than its end, drawn a little to its offset."""
    known, rows, answer = later
    value = rows["value"].to_numpy()
    last = known.sort("time").group_by("i").agg(pl.col("value").last().alias("last"))
    naive = rows.join(last, on="i", how="left", maintain_order="left")["last"].to_numpy()
    means = (answer["mean"].to_numpy(), naive)
    error, naive_error = (np.sqrt(np.mean((mean - value) ** 2)) for mean in means)
    assert error < 1.1 * naive_error
    inside = (answer["lo-95"].to_numpy() <= value) & (value <= answer["hi-95"].to_numpy())
    assert 0.75 < inside.mean() <= 1.0  # bands that came back to the past held 61%
