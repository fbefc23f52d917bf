"""The exact Gaussian process against a dense naive one, its gradients against differences."""

import numpy as np
import polars as pl
import pytest

import nonfat as nf
from nonfat.estimators.references import process
from nonfat.estimators.references.covariance import Covariance, Theta, gradient
from nonfat.estimators.references.process import MultiOutputRule, learn

SIZES = (4, 3)


def rows(seed, N=30, sizes=SIZES):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, d, N) for d in sizes], axis=1).astype(np.int32)
    return codes, rng.random(N), rng.normal(size=N)


def random_theta(seed, sizes=SIZES, Q=2):
    theta = Theta.start(Q, sizes, 2, seed)
    moved = theta.pack() + 0.3 * np.random.default_rng(seed).standard_normal(theta.pack().size)
    return theta.like(moved)


def looped(theta, sizes, one, other):
    """The covariance of two entries, written as it is defined; -1 is no one's entity."""
    total = 0.0
    for q in range(len(theta.log_length)):
        s = np.sqrt(3) * abs(one[1] - other[1]) / np.exp(theta.log_length[q])
        term = np.exp(theta.log_amplitude[q]) * (1 + s) * np.exp(-s)
        for k, d in enumerate(sizes):
            part = slice(sum(sizes[:k]), sum(sizes[:k]) + d)
            W, v = theta.factors[q, part], np.exp(theta.log_diagonal[q, part])
            B = W @ W.T + np.diag(v)
            i, j = one[0][k], other[0][k]
            if i < 0 or j < 0:
                term *= np.diag(B).mean() * (i == j)
            else:
                term *= B[i, j]
        total += term
    return total


def dense(theta, sizes, first, second):
    pairs = [[looped(theta, sizes, a, b) for b in second] for a in first]
    return np.array(pairs)


def rule_of(theta, sizes, codes, time, value):
    return MultiOutputRule(
        codes, time, value, np.array(sizes), theta.log_length, theta.log_amplitude,
        theta.factors, theta.log_diagonal, np.exp(theta.log_noise),
    )  # fmt: skip


def test_answers_are_those_of_a_dense_naive_process(monkeypatch):
    monkeypatch.setattr(process, "_CHUNK", 4)  # so that there are several
    codes, time, value = rows(0)
    theta = random_theta(0)
    queries = np.array([[0, 0], [3, 2], [-1, 1], [2, -1], [-1, -1], [1, 1]])
    moments = np.array([0.1, 0.5, 0.5, 0.9, 2.0, time[0]])
    known = list(zip(codes.tolist(), time, strict=True))
    asked = list(zip(queries.tolist(), moments, strict=True))
    K = dense(theta, SIZES, known, known) + np.exp(theta.log_noise) * np.eye(30)
    cross, prior = dense(theta, SIZES, asked, known), dense(theta, SIZES, asked, asked)
    mean, variance = rule_of(theta, SIZES, codes, time, value).moments(queries, moments)
    assert np.allclose(mean, cross @ np.linalg.solve(K, value), atol=1e-9)
    expected = np.diag(prior) - np.diag(cross @ np.linalg.solve(K, cross.T))
    assert np.allclose(variance, expected, atol=1e-9)


def test_scenarios_have_the_joint_covariance():
    codes, time, value = rows(1)
    rule = rule_of(random_theta(1), SIZES, codes, time, value)
    queries, moments = np.array([[0, 0], [0, 0], [0, 1], [-1, 0], [-1, 0]]), np.linspace(0, 1, 5)
    scenario, rng = rule.scenario(queries, moments), np.random.default_rng(0)
    draws = np.array([scenario(rng) for _ in range(20_000)])
    mean, root = rule._joint(queries, moments)
    assert np.allclose(draws.mean(axis=0), mean, atol=0.05)
    assert np.allclose(np.cov(draws.T), root @ root.T, atol=0.05)
    assert np.allclose(np.diag(root @ root.T), rule.moments(queries, moments)[1], rtol=1e-6)


def test_rows_that_come_twice_can_be_drawn_jointly():
    codes, time, value = rows(2)
    rule = rule_of(random_theta(2), SIZES, codes, time, value)
    twice, again = np.concatenate([codes, codes]), np.concatenate([time, time])
    drawn = rule.scenario(twice, again)(np.random.default_rng(0))
    assert np.allclose(drawn[:30], drawn[30:], atol=1e-3)


def test_the_likelihood_is_that_of_a_multivariate_normal():
    codes, time, value = rows(3)
    theta = random_theta(3)
    known = list(zip(codes.tolist(), time, strict=True))
    K = dense(theta, SIZES, known, known) + np.exp(theta.log_noise) * np.eye(30)
    expected = 0.5 * (
        np.linalg.slogdet(K)[1] + value @ np.linalg.solve(K, value) + 30 * np.log(2 * np.pi)
    )
    assert gradient(theta, SIZES, codes, time, value)[0] == pytest.approx(expected)


@pytest.mark.parametrize("sizes", [(4, 3), (5,), (3, 2, 2)])
def test_gradients_agree_with_differences(sizes):
    codes, time, value = rows(4, sizes=sizes)
    time[1], codes[1] = time[0], codes[0]  # coincident rows
    theta = random_theta(4, sizes)
    packed, step = theta.pack(), 1e-5
    _, slope = gradient(theta, sizes, codes, time, value)
    _, prior_slope = theta.penalty()
    for at in range(len(packed)):
        move = step * (np.arange(len(packed)) == at)
        ahead, behind = theta.like(packed + move), theta.like(packed - move)
        difference = [gradient(one, sizes, codes, time, value)[0] for one in (ahead, behind)]
        assert slope.pack()[at] == pytest.approx(
            (difference[0] - difference[1]) / (2 * step), rel=1e-4, abs=1e-6
        )
        priors = (ahead.penalty()[0] - behind.penalty()[0]) / (2 * step)
        assert prior_slope.pack()[at] == pytest.approx(priors, rel=1e-5, abs=1e-7)


def test_entities_of_a_large_mode_share_their_diagonal(monkeypatch):
    from nonfat.estimators.references import covariance

    monkeypatch.setattr(covariance, "_JOINT", 3)
    codes, time, value = rows(5)
    theta = Theta.start(2, SIZES, 2, 0)
    theta = learn(theta, SIZES, [(codes, time, value)], 5)
    assert (theta.log_diagonal[:, :4] == theta.log_diagonal[:, :1]).all()
    assert not (theta.log_diagonal[:, 4:] == theta.log_diagonal[:, 4:5]).all()


def test_learning_raises_the_likelihood_to_that_of_the_truth():
    """On data of its own model: noise and predictions as good as the true hyper-parameters'."""
    codes, time, _ = rows(6, N=500)
    truth = random_theta(6)
    truth = truth.like(truth.pack())
    truth.log_noise[...] = np.log(0.05)
    rng = np.random.default_rng(6)
    K = Covariance(truth, SIZES).between(codes, time, codes, time) + 0.05 * np.eye(500)
    value = np.linalg.cholesky(K) @ rng.standard_normal(500)
    table = pl.DataFrame({"a": codes[:, 0], "b": codes[:, 1], "time": time, "value": value})
    model = nf.MultiOutputGP(terms=2, iterations=60).fit(table[:350])
    assert model.evaluate(table[350:])["coverage_95"] == pytest.approx(0.95, abs=0.04)
    true = rule_of(truth, SIZES, codes[:350], time[:350], value[:350])
    mean, variance = true.moments(codes[350:], time[350:])
    best = np.sqrt(np.mean((mean - value[350:]) ** 2))
    assert model.score(table[350:], metric="rmse") < 1.1 * best
    std = np.sqrt(variance + 0.05)
    best = np.mean(-0.5 * ((mean - value[350:]) / std) ** 2 - np.log(std * np.sqrt(2 * np.pi)))
    assert model.score(table[350:]) > best - 0.1


def test_more_rows_than_it_can_take_are_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr(process, "_MOST", 50)
    table = pl.DataFrame({"site": ["a", "b"] * 30, "time": range(60), "value": [0.5] * 60})
    text = "MultiOutputGP takes at most 50 rows, got 60: .*; use NONFAT, or fit on some of the rows"
    with pytest.raises(nf.DataError, match=text):
        nf.MultiOutputGP().fit(table)


def test_blocks_are_windows_in_time_and_one_that_is_spread():
    time = np.random.default_rng(0).random(5000)
    spread, *windows = process._blocks(time, 4000, 0)
    assert [len(block) for block in (spread, *windows)] == [500] * 8
    assert np.ptp(time[spread]) > 0.99
    assert all(np.ptp(time[window]) < 0.15 for window in windows)
    (every,) = process._blocks(time[:1000], 4000, 0)
    assert len(every) == 1000


@pytest.mark.parametrize(
    ("option", "value"), [("terms", 0), ("rank", 1.5), ("subset", "all"), ("iterations", -1)]
)
def test_wrong_options_are_refused_before_the_table_is_opened(option, value):
    with pytest.raises(nf.ConfigError, match=f"{option} must be a whole number of at least 1"):
        nf.MultiOutputGP(**{option: value}).fit("no such file.csv")


def test_a_copy_leaves_the_factor_behind():
    import pickle

    codes, time, value = rows(7)
    rule = rule_of(random_theta(7), SIZES, codes, time, value)
    before = rule.moments(codes, time)
    copy = pickle.loads(pickle.dumps(rule))
    assert "_solved" not in vars(copy)
    assert np.array_equal(copy.moments(codes, time), before)
