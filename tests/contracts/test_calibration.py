"""Data that an estimator's own model drew: the bands of a new fit cover them."""

import numpy as np
import polars as pl

from contracts.support import MODES, TIME, VALUE

SITES, POLLUTANTS, TIMES = ["a", "b", "c"], ["x", "y"], 40


def cells():
    """Each cell at forty times of the training range, in random order."""
    site, pollutant, when = (index.ravel() for index in np.indices((3, 2, TIMES)))
    frame = pl.DataFrame(
        {
            MODES[0]: np.array(SITES)[site],
            MODES[1]: np.array(POLLUTANTS)[pollutant],
            TIME: 7.0 * when / (TIMES - 1),
        }
    )
    return frame[np.random.default_rng(0).permutation(frame.height)]


def test_bands_cover_what_such_a_model_draws(new, continuous):
    """Sixty held-out rows: a share of 95% errs by 3% itself; training that finds the noise, too."""
    drawn = continuous.sample(cells(), seed=1).rename({"draw": VALUE}).drop("sample")
    training, held_out = drawn[:180], drawn[180:]
    model = new(epochs=600, learning_rate=0.05).fit(training)
    answer = model.predict(held_out, level=95)
    inside = (answer["lo-95"] <= held_out[VALUE]) & (held_out[VALUE] <= answer["hi-95"])
    assert 0.8 <= inside.mean() <= 1.0
    spread = held_out[VALUE].std()
    assert answer["std"].mean() < 1.5 * spread  # a band may not be wide without need
