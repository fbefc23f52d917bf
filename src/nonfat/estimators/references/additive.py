"""Damped additive effects of entities: a linear mixed model."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64, Int, Int64
from scipy import sparse

from nonfat._typing import Codes, Values
from nonfat.estimators.references.base import (
    PRIOR_VARIANCE,
    ReferenceEstimator,
    Rule,
    Scenario,
)

__all__ = ["AdditiveEffects", "AdditiveRule"]

_EXACT = 1000  # entities of all modes together, up to which covariances are exact
_SWEEPS, _TOLERANCE = 200, 1e-4


@dataclass(frozen=True, eq=False)
class AdditiveRule(Rule):
    """A grand mean and an effect for each entity of each mode.

    Attributes:
        sizes: entities of each mode.
        effects: the grand mean, and the entities' effects, mode by mode.
        covariance: of their errors; its diagonal alone (one column) where entities are many.
        prior: variance of an effect in each mode.
        noise: variance of a row around the sum of its effects.
    """

    sizes: Int64[np.ndarray, "K"]
    effects: Float64[np.ndarray, "P"]
    covariance: Float64[np.ndarray, "P _"]
    prior: Float64[np.ndarray, "K"]
    noise: Float64[np.ndarray, ""]

    @classmethod
    def learn(
        cls, codes: Codes, value: Values, shape: tuple[int, ...], *, exact: int = _EXACT
    ) -> "AdditiveRule":
        """Effects and variances by maximum marginal likelihood (EM).

        Up to `exact` entities the posterior of all effects is exact; beyond, modes are visited in
        turn and their errors are taken as independent, which costs O(N) a sweep.
        """
        sizes = np.array(shape, np.int64)
        columns = _columns(codes, sizes)
        solve = _exact_em if sizes.sum() <= exact else _sweeping_em
        effects, covariance, prior, noise = solve(columns, value, sizes)
        return cls(sizes, effects, covariance, prior, np.asarray(noise))

    def _parts(self, codes: Int[np.ndarray, "B K"]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Columns, whether each is known, and the prior variance of those that are not."""
        columns = _columns(codes, self.sizes)
        known = np.concatenate([np.ones((len(codes), 1), bool), codes >= 0], axis=1)
        return columns, known, (codes < 0) @ self.prior

    def moments(
        self, codes: Int[np.ndarray, "B K"], time: Float[np.ndarray, "B"]
    ) -> tuple[Float64[np.ndarray, "B"], Float64[np.ndarray, "B"]]:
        """See `Rule`; an entity that is new has the effect 0 and its prior variance."""
        columns, known, new = self._parts(codes)
        mean = np.sum(self.effects[columns] * known, axis=1)
        if self.covariance.shape[1] == 1:
            return mean, np.sum(self.covariance[columns, 0] * known, axis=1) + new
        variance = new
        for i in range(columns.shape[1]):
            for j in range(columns.shape[1]):
                entry = self.covariance[columns[:, i], columns[:, j]]
                variance = variance + entry * (known[:, i] & known[:, j])
        return mean, variance

    def scenario(self, codes: Int[np.ndarray, "B K"], time: Float[np.ndarray, "B"]) -> Scenario:
        """See `Rule`; a mode's newcomers are one entity."""
        columns, known, _ = self._parts(codes)
        diagonal = self.covariance.shape[1] == 1
        root = np.sqrt(self.covariance[:, 0]) if diagonal else np.linalg.cholesky(self.covariance)

        def draw(rng: np.random.Generator) -> Float64[np.ndarray, "B"]:
            z = rng.standard_normal(len(self.effects))
            effects = self.effects + (root * z if diagonal else root @ z)
            new = np.sqrt(self.prior) * rng.standard_normal(len(self.prior))
            return np.sum(effects[columns] * known, axis=1) + (codes < 0) @ new

        return draw


class AdditiveEffects(ReferenceEstimator):
    """A grand mean and an effect for each entity of each mode, damped; no time.

    The effects of a mode have a common variance, learned by maximum marginal likelihood: those of
    entities with few rows are drawn towards zero. An entity that is new has the effect zero, with
    that variance in its band. With more than 1,000 entities the errors of effects are taken as
    independent, which makes bands slightly too narrow where a mode has few rows for each entity.

    Args:
        modes: the columns of entity ids; by default all columns but time and value.
        time: the column of times: numbers, dates or datetimes.
        value: the column of values.
        seed: of the draws that scores are computed from.

    Example:
        >>> import polars as pl
        >>> rows = [("a", "x", 1.0), ("a", "y", 3.0), ("b", "x", 5.0), ("b", "y", 7.0)] * 9
        >>> table = pl.DataFrame(rows, schema=["site", "kind", "value"], orient="row")
        >>> model = AdditiveEffects().fit(table.with_columns(time=pl.int_range(36)))
        >>> queries = pl.DataFrame({"site": ["a", "new"], "kind": "y", "time": 3})
        >>> model.predict(queries)["mean"].round(1).to_list()
        [3.0, 5.0]
    """

    _rule = AdditiveRule

    def _fit_rule(self, codes: Codes, time: Values, value: Values, shape: tuple[int, ...]) -> Rule:
        return AdditiveRule.learn(codes, value, shape)


def _columns(codes: Int[np.ndarray, "B K"], sizes: Int64[np.ndarray, "K"]) -> np.ndarray:
    """Where the parts of a row's sum stand among all effects; newcomers anywhere."""
    offset = 1 + np.concatenate([[0], np.cumsum(sizes)[:-1]])
    grand = np.zeros((len(codes), 1), np.int64)
    return np.concatenate([grand, np.maximum(codes, 0) + offset], axis=1)


def _damped(prior: Float64[np.ndarray, "K"], sizes: Int64[np.ndarray, "K"]) -> np.ndarray:
    """Prior precision of the grand mean (none) and of each effect."""
    return np.concatenate([[0.0], np.repeat(1 / prior, sizes)])


def _variances(
    squares: Float64[np.ndarray, "P"], sizes: Int64[np.ndarray, "K"]
) -> Float64[np.ndarray, "K"]:
    """The variance of each mode's effects from their expected squares."""
    starts = 1 + np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return (np.add.reduceat(squares, starts) + PRIOR_VARIANCE) / (sizes + 1)


Solution = tuple[np.ndarray, np.ndarray, np.ndarray, float]


def _exact_em(columns: np.ndarray, value: Values, sizes: Int64[np.ndarray, "K"]) -> Solution:
    """Effects, covariance, variances and noise from the normal equations."""
    N, P = len(value), 1 + int(sizes.sum())
    rows = np.repeat(np.arange(N), columns.shape[1])
    X = sparse.csr_matrix((np.ones(columns.size), (rows, columns.ravel())), shape=(N, P))
    G, b, square = (X.T @ X).toarray(), X.T @ value, float(value @ value)
    prior, noise = np.full(len(sizes), 0.3), 0.3
    for _ in range(_SWEEPS):
        covariance = np.linalg.inv(G / noise + np.diag(_damped(prior, sizes)))
        effects = covariance @ b / noise
        before = np.append(prior, noise)
        misfit = square - 2 * effects @ b + effects @ G @ effects + np.sum(G * covariance)
        prior = _variances(effects**2 + np.diag(covariance), sizes)
        noise = (misfit + PRIOR_VARIANCE) / (N + 1)
        if np.allclose(np.append(prior, noise), before, rtol=_TOLERANCE):
            break
    return effects, (covariance + covariance.T) / 2, prior, noise


def _sweeping_em(columns: np.ndarray, value: Values, sizes: Int64[np.ndarray, "K"]) -> Solution:
    """The same with independent errors, one mode after the other."""
    N, P = len(value), 1 + int(sizes.sum())
    count = np.bincount(columns.ravel(), minlength=P).astype(np.float64)
    groups = np.concatenate([[0, 1], 1 + np.cumsum(sizes)])
    effects, residual = np.zeros(P), value.astype(np.float64)
    prior, noise = np.full(len(sizes), 0.3), 0.3
    for _ in range(_SWEEPS):
        precision = count / noise + _damped(prior, sizes)
        for k, column in enumerate(columns.T):
            part = slice(groups[k], groups[k + 1])
            residual = residual + effects[column]
            total = np.bincount(column, weights=residual, minlength=P)[part]
            effects[part] = total / noise / precision[part]
            residual = residual - effects[column]
        before = np.append(prior, noise)
        misfit = residual @ residual + np.sum(count / precision)
        prior = _variances(effects**2 + 1 / precision, sizes)
        noise = (misfit + PRIOR_VARIANCE) / (N + 1)
        if np.allclose(np.append(prior, noise), before, rtol=_TOLERANCE):
            break
    return effects, 1 / precision[:, None], prior, float(noise)
