"""Estimators that cost nothing and answer with normal distributions, for tests of grids."""

from types import SimpleNamespace

import numpy as np
import polars as pl
from scipy.special import ndtri


class Guess:
    """Predicts a constant; its training makes it worse after the third of five epochs."""

    composition = "guess × luck"
    kind = "method"
    errors = (0.9, 0.5, 0.3, 0.4, 0.6)
    fits: list = []  # noqa: RUF012  (what it was given)

    def __init__(self, modes=None, time="", value="", *, rank=3, seed=0, validation_fraction=0.1):
        self.rank, self.seed, self.validation_fraction = rank, seed, validation_fraction

    def fit(self, X):
        self.fits.append((self.rank, self.seed, self.validation_fraction, X))
        self.fit_ = SimpleNamespace(provenance=SimpleNamespace(epochs=5, best_epoch=5))
        self.error = self.errors[-1] + self.seed / 100
        return self

    def _fit_observed(self, X, observer):
        for epoch, error in enumerate(self.errors, 1):
            answers = SimpleNamespace(evaluate=lambda events, names, e=error: scores(e, names))
            schema = SimpleNamespace(encode=lambda table, need_value: table)
            observer(SimpleNamespace(epoch=epoch, epochs=5, seconds=epoch / 2), answers, schema)
        return self.fit(X)

    def evaluate(self, X):
        names = ("relative_rmse", "rmse", "mae", "crps", "log_likelihood")
        return {"rows": len(X), **scores(self.error, names), "coverage_95": 0.9}

    def predict(self, X, *, level):
        columns = {"mean": np.zeros(len(X))}
        for one in level:
            half = ndtri(0.5 + one / 200)
            columns |= {f"lo-{one}": np.full(len(X), -half), f"hi-{one}": np.full(len(X), half)}
        return pl.DataFrame(columns)

    def save(self, path, overwrite):
        path.write_text("a model")


class Mark(Guess):
    """A reference."""

    kind = "reference"
    errors = (0.55,)
    _fit_observed = property()  # hasattr says no

    def __init__(self, modes=None, time="", value="", *, rank=9):
        super().__init__(rank=rank)


class Breaking(Guess):
    """Breaks."""

    def _fit_observed(self, X, observer):
        raise ZeroDivisionError("by\nzero")

    def fit(self, X):
        raise ZeroDivisionError("by\nzero")


def scores(error, names):
    """The likelihood has its best epoch elsewhere than the error."""
    found = dict.fromkeys(("relative_rmse", "rmse", "mae", "crps"), error)
    found["log_likelihood"] = -abs(error - 0.5)
    return {name: found[name] for name in names}
