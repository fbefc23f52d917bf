"""Additive effects against dense ridge regression, and both ways of solving against each other."""

import numpy as np
import pytest

from nonfat.estimators.references.additive import AdditiveRule

SHAPE = (30, 12)


def draw(seed, rows=600, variances=(0.8, 0.3), noise=0.2, shape=SHAPE):
    rng = np.random.default_rng(seed)
    effects = [rng.normal(0, np.sqrt(v), d) for v, d in zip(variances, shape, strict=True)]
    codes = np.stack([rng.integers(0, d, rows) for d in shape], axis=1)
    latent = 0.4 + sum(effect[code] for effect, code in zip(effects, codes.T, strict=True))
    return codes, latent + rng.normal(0, np.sqrt(noise), rows), effects


def dense(codes, value, prior, noise, shape=SHAPE):
    """Posterior mean and covariance of all effects by a dense solve."""
    columns = [np.ones((len(value), 1))]
    columns += [np.eye(d)[codes[:, k]] for k, d in enumerate(shape)]
    X = np.concatenate(columns, axis=1)
    damp = np.concatenate([[0.0], *(np.full(d, 1 / v) for d, v in zip(shape, prior, strict=True))])
    covariance = np.linalg.inv(X.T @ X / noise + np.diag(damp))
    return covariance @ X.T @ value / noise, covariance


def test_effects_and_their_errors_are_those_of_ridge_regression():
    codes, value, _ = draw(0)
    rule = AdditiveRule.learn(codes, value, SHAPE)
    effects, covariance = dense(codes, value, rule.prior, float(rule.noise))
    assert np.allclose(rule.effects, effects, atol=1e-3)
    assert np.allclose(rule.covariance, covariance, rtol=1e-2, atol=1e-4)
    mean, variance = rule.moments(np.array([[3, 5]]), np.zeros(1))
    pick = [0, 1 + 3, 1 + 30 + 5]
    assert mean[0] == pytest.approx(effects[pick].sum(), abs=1e-3)
    assert variance[0] == pytest.approx(covariance[np.ix_(pick, pick)].sum(), rel=1e-2)


def test_variances_are_those_that_the_data_were_drawn_with():
    found = [AdditiveRule.learn(*draw(seed)[:2], SHAPE) for seed in range(12)]
    assert np.mean([rule.noise for rule in found]) == pytest.approx(0.2, rel=0.05)
    prior = np.mean([rule.prior for rule in found], axis=0)
    assert np.allclose(prior, [0.8, 0.3], rtol=0.25)


def test_variances_are_at_a_maximum_of_the_marginal_likelihood():
    """Up to the weak prior on them, which counts for one entity of each mode."""
    codes, value, _ = draw(1)
    rule = AdditiveRule.learn(codes, value, SHAPE)

    def likelihood(prior, noise):
        K = 100.0 + noise * np.eye(len(value))  # a grand mean with a wide prior
        for k, v in enumerate(prior):
            K += v * (codes[:, k, None] == codes[:, k])
        return -0.5 * (np.linalg.slogdet(K)[1] + value @ np.linalg.solve(K, value))

    best = likelihood(rule.prior, rule.noise)
    for factors in ((2.0, 1, 1), (0.5, 1, 1), (1, 2.0, 1), (1, 0.4, 1), (1, 1, 1.2), (1, 1, 0.8)):
        assert likelihood(rule.prior * factors[:2], rule.noise * factors[2]) < best


def test_sweeping_agrees_with_the_exact_solution_where_rows_are_many():
    codes, value, _ = draw(2, rows=4000)
    exact = AdditiveRule.learn(codes, value, SHAPE)
    swept = AdditiveRule.learn(codes, value, SHAPE, exact=0)
    assert swept.covariance.shape == (43, 1)
    queries, time = codes[:50], np.zeros(50)
    assert np.allclose(swept.moments(queries, time)[0], exact.moments(queries, time)[0], atol=0.02)
    assert swept.noise == pytest.approx(float(exact.noise), rel=0.01)


def test_thousands_of_entities_are_no_trouble():
    shape = (5000, 3000)
    codes, value, effects = draw(3, rows=40_000, shape=shape)
    rule = AdditiveRule.learn(codes, value, shape)
    assert rule.noise == pytest.approx(0.2, rel=0.1)
    found = rule.effects[1 : 1 + 5000]
    assert np.corrcoef(found, effects[0])[0, 1] > 0.9


def test_an_unseen_entity_has_no_effect_and_its_prior_variance():
    codes, value, _ = draw(4)
    rule = AdditiveRule.learn(codes, value, SHAPE)
    mean, variance = rule.moments(np.array([[-1, -1]]), np.zeros(1))
    assert mean[0] == rule.effects[0]
    assert variance[0] == pytest.approx(rule.covariance[0, 0] + rule.prior.sum())


@pytest.mark.parametrize("exact", [0, 1000])
def test_scenarios_have_the_moments_of_the_answer(exact):
    codes, value, _ = draw(5, rows=60)
    rule = AdditiveRule.learn(codes, value, SHAPE, exact=exact)
    queries = np.array([[0, 0], [0, 1], [-1, 2], [-1, -1]])
    rng = np.random.default_rng(0)
    scenario = rule.scenario(queries, np.zeros(4))
    draws = np.array([scenario(rng) for _ in range(6000)])
    mean, variance = rule.moments(queries, np.zeros(4))
    assert np.allclose(draws.mean(axis=0), mean, atol=0.06)
    assert np.allclose(draws.var(axis=0), variance, rtol=0.1)


def test_bands_hold_as_many_new_rows_as_they_say():
    inside = []
    for seed in range(10):
        codes, value, _ = draw(seed, rows=400)
        rule = AdditiveRule.learn(codes[:200], value[:200], SHAPE)
        mean, variance = rule.moments(codes[200:], np.zeros(200))
        inside += [*(np.abs(value[200:] - mean) < 1.645 * np.sqrt(variance + rule.noise))]
    assert np.mean(inside) == pytest.approx(0.9, abs=0.02)
