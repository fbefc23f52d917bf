"""Model files of every format still load, and answer as they did when they were written."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import nonfat as nf
from nonfat import persist

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.nonfat"))


def test_there_is_a_file_of_every_format():
    assert [path.stem for path in FILES] == [
        f"format-{version}" for version in range(1, persist.FORMAT_VERSION + 1)
    ]
    assert all(path.stat().st_size < 100_000 for path in FILES)


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def kept(request):
    answers = pl.read_csv(request.param.with_suffix(".csv"), try_parse_dates=True)
    return nf.load(request.param), answers


def test_the_answers_are_those_of_the_day_it_was_written(kept):
    model, answers = kept
    again = model.predict(answers.select("site", "pollutant", "when"), level=[80, 95])
    assert again.columns == answers.columns
    flags = ["unseen", "beyond"]
    assert again.select(flags).equals(answers.select(flags))
    for column in ("mean", "std", "latent_std", "lo-80", "hi-80", "lo-95", "hi-95"):
        assert np.allclose(again[column], answers[column], rtol=1e-5, atol=1e-5), column


def test_the_answers_mean_something(kept):
    """Guards the comparison itself: known cells, newcomers and later times all differ."""
    _, answers = kept
    known = answers.filter(~pl.col("unseen") & ~pl.col("beyond"))
    assert known["mean"].std() > 3
    assert answers.filter("unseen")["std"].mean() > 1.2 * known["std"].mean()
    assert answers["beyond"].sum() == 4


def test_new_defaults_do_not_change_an_old_file(kept, monkeypatch):
    """A file says itself how large its parts are, and which constants they have."""
    from nonfat.estimators import nonfat as module
    from nonfat.times import SpectralBasis

    model, answers = kept
    queries = answers.select("site", "pollutant", "when")
    create = SpectralBasis.create.__func__

    def other(cls, R, C, dtype, **options):
        return create(cls, R, C + 6, dtype, period=2.5, nu=2.5)

    monkeypatch.setattr(SpectralBasis, "create", classmethod(other))
    defaults = vars(module._PRESETS["default"]) | {"pseudo_inputs": 11}
    monkeypatch.setitem(module._PRESETS, "default", module._Defaults(**defaults))
    path = HERE / "format-1.nonfat"
    assert nf.load(path).predict(queries).equals(model.predict(queries))


def test_its_trajectories_and_draws_can_be_had(kept):
    model, answers = kept
    frame = model.trajectories("site")
    assert len(frame) == 3 * 2 * 200
    assert np.isfinite(frame["mean"].to_numpy()).all()
    queries = answers.select("site", "pollutant", "when")
    assert np.isfinite(model.sample(queries, 2)["draw"].to_numpy()).all()
