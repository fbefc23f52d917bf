"""A grid of cells: what is run, what is recorded, and that nothing is run twice."""

import json
import math
import os
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from nonfat.errors import (
    ConfigError,
    DataError,
    StoppedError,
    TrainingInterrupted,
    WorkerError,
)
from nonfat.evaluation.grids import GRIDS, Cell, Grid, cells, grid
from nonfat.evaluation.judge import SCORES
from nonfat.evaluation.records import model_path, read_all, read_result, record_path, write_result
from nonfat.evaluation.run_cell import run_cell
from nonfat.evaluation.run_grid import run_cells

SMALL = Grid(methods=("CPCT", "CellMean"), ranks=(2, 3), seeds=(0, 1))


# --- which cells ------------------------------------------------------------------------------


def test_references_run_once_and_first(guesses):
    keys = [cell.key for cell in cells(SMALL)]
    assert keys[0] == "beijing.fold0.honest.published.CellMean.seed0"
    assert sum("CellMean" in key for key in keys) == 1
    assert len(keys) == len(set(keys)) == 1 + 2 * 2 * 2


def test_protocols_that_pool_rows_run_for_one_fold(guesses):
    chosen = replace(SMALL, folds=(1, 2), protocols=("resplit",), methods=("CPCT",), ranks=(2,))
    assert {(cell.fold, cell.part) for cell in cells(chosen)} == {
        (1, f"random-{number}") for number in range(1, 6)
    }


@pytest.mark.parametrize("name", GRIDS)
def test_every_named_grid_can_be_listed(name):
    found = cells(grid(name))
    assert len({cell.key.casefold() for cell in found}) == len(found)
    assert not [cell for cell in found if (cell.dataset, cell.method) == ("dblp", "MultiOutputGP")]


@pytest.mark.parametrize(
    "mistake",
    [{"ranks": (0,)}, {"datasets": ("peking",)}, {"protocols": ("blind",)}, {"methods": ("X",)},
     {"seeds": (-1,)}, {"epochs": 0}, {"ranks": ()}],
)  # fmt: skip
def test_mistakes_are_told_before_anything_runs(guesses, mistake):
    with pytest.raises(ConfigError):
        cells(replace(SMALL, **mistake))


# --- one cell ---------------------------------------------------------------------------------


def cell(method="CPCT", protocol="honest", seed=0):
    return Cell("beijing", 0, protocol, "published", method, 2, seed)


def test_an_honest_record(guesses, data_folder):
    found = run_cell(cell(), data_folder)
    assert (found.status, found.error, found.kind) == ("done", None, "method")
    assert set(found.scores) == set(SCORES)
    assert found.scores["relative_rmse"] == 0.6
    assert (found.oracle, found.looks) == ({}, [])
    assert (found.train_rows, found.test_rows, found.epochs) == (48, 12, 5)
    assert sum(found.pit) == 12
    assert found.peak_mb is None or found.peak_mb > 10
    assert {"commit", "jax", "cpu", "date"} < set(found.provenance)
    ((rank, seed, held_out, table),) = guesses.fits
    assert (rank, seed, held_out, table.height) == (2, 0, 0.1, 48)


def test_calibration_scores_are_those_of_the_predictive_distribution(guesses, data_folder):
    from nonfat.evaluation.datasets import load_fold

    value = load_fold("beijing", 0, data_folder).test["value"].to_numpy()
    found = run_cell(cell(), data_folder)
    assert found.scores["coverage_80"] == np.mean(np.abs(value) <= 1.2815515655446004)
    assert math.isclose(found.scores["width_95"], 2 * 1.959963984540054)
    from scipy.special import ndtr

    assert found.pit == np.histogram(ndtr(value), bins=10, range=(0, 1))[0].tolist()


def test_an_oracle_is_the_best_epoch_for_each_score_and_never_worse(guesses, data_folder):
    found = run_cell(cell(protocol="paper"), data_folder)
    assert found.oracle["relative_rmse"] == {"value": 0.3, "epoch": 3}
    assert found.oracle["log_likelihood"] == {"value": 0.0, "epoch": 2}
    assert found.oracle["rmse"]["value"] <= found.scores["rmse"]
    assert found.oracle["log_likelihood"]["value"] >= found.scores["log_likelihood"]
    assert [look["epoch"] for look in found.looks] == [1, 2, 3, 4, 5]
    assert guesses.fits[0][2] == 0.0  # the paper learns from all training rows


def test_a_failure_is_a_record(guesses, data_folder):
    for protocol in ("paper", "honest"):
        found = run_cell(cell("GPCT", protocol), data_folder)
        assert found.failed
        assert "ZeroDivisionError" in found.error
        assert "\n" not in found.error


def test_a_real_method_is_looked_at_without_changing_it(data_folder):
    tiny = Cell("beijing", 0, "paper", "published", "CPCT", 1, 0, epochs=3)
    found = run_cell(tiny, data_folder)
    assert found.error is None
    assert [look["epoch"] for look in found.looks] == [1, 2, 3]
    # Nothing is held out, so the last look is at the model that is kept.
    assert found.looks[-1]["rmse"] == pytest.approx(found.scores["rmse"], rel=1e-6)
    least = min(look["rmse"] for look in found.looks)
    assert found.oracle["rmse"]["value"] == pytest.approx(least, rel=1e-6)
    assert found.oracle["rmse"]["value"] <= found.scores["rmse"]
    assert found.options["validation_fraction"] == 0.0
    assert sum(found.pit) == 12


# --- records ----------------------------------------------------------------------------------


def test_a_record_survives_the_disk(guesses, data_folder, tmp_path):
    found = run_cell(cell(protocol="paper"), data_folder)
    found.scores["log_likelihood"] = -math.inf
    path = write_result(tmp_path, found)
    assert path.name == "beijing.fold0.paper.published.CPCT.R2.seed0.json"
    assert read_result(path) == found
    assert json.loads(path.read_text())["scores"]["log_likelihood"] == "-inf"
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_damaged_record_is_told_and_run_again(guesses, data_folder, tmp_path):
    path = record_path(tmp_path, cell())
    path.parent.mkdir()
    path.write_text("{")
    with pytest.raises(DataError, match="is not the record of a benchmark cell"):
        read_all(tmp_path)
    assert len(run_cells([cell()], tmp_path, folder=data_folder).results) == 1
    assert not read_all(tmp_path)[0].failed


# --- the grid ---------------------------------------------------------------------------------


def test_a_finished_cell_is_never_run_again(guesses, data_folder, tmp_path):
    told = []
    chosen = cells(SMALL)
    first = run_cells(chosen, tmp_path, folder=data_folder, tell=lambda _, *at: told.append(at))
    assert (first.kept, len(first.results), first.failed) == (0, 9, [])
    assert told == [(place, 9) for place in range(1, 10)]
    fits = len(guesses.fits)
    again = run_cells([*chosen, cell(seed=7)], tmp_path, folder=data_folder)
    assert (again.kept, len(again.results)) == (9, 1)
    assert len(guesses.fits) == fits + 1
    assert len(read_all(tmp_path)) == 10


def test_failures_are_kept_until_they_are_asked_for_again(guesses, data_folder, tmp_path):
    chosen = [cell(), cell("GPCT")]
    assert len(run_cells(chosen, tmp_path, folder=data_folder).failed) == 1
    again = run_cells(chosen, tmp_path, folder=data_folder)
    assert (again.kept, len(again.results), len(again.failed)) == (2, 0, 1)
    retried = run_cells(chosen, tmp_path, folder=data_folder, retry=True)
    assert (retried.kept, len(retried.results), len(retried.failed)) == (1, 1, 1)


def test_models_are_kept_if_asked_and_made_if_needed(guesses, data_folder, tmp_path):
    run_cells([cell()], tmp_path, folder=data_folder)
    assert not model_path(tmp_path, cell()).exists()
    assert run_cells([cell()], tmp_path, folder=data_folder, models="keep").kept == 1
    assert run_cells([cell()], tmp_path, folder=data_folder, models="need").kept == 0
    assert model_path(tmp_path, cell()).read_text() == "a model"
    assert run_cells([cell()], tmp_path, folder=data_folder, models="need").kept == 1


def test_ctrl_c_keeps_what_is_done(guesses, data_folder, tmp_path, monkeypatch):
    whole = guesses.fit

    def fit(self, X):
        if self.seed == 1:
            warnings.warn("the best model so far was kept", TrainingInterrupted, stacklevel=2)
        return whole(self, X)

    monkeypatch.setattr(guesses, "fit", fit)
    chosen = [cell(), cell(seed=1), cell(seed=2)]
    with pytest.raises(StoppedError, match="1 of 3 cells were run and are kept"):
        run_cells(chosen, tmp_path, folder=data_folder)
    monkeypatch.setattr(guesses, "fit", whole)
    assert run_cells(chosen, tmp_path, folder=data_folder).kept == 1


def test_mistakes_of_the_users_are_no_failures(guesses, data_folder, tmp_path):
    with pytest.raises(DataError, match="dblp"):
        run_cells([replace(cell(), dataset="dblp")], tmp_path, folder=data_folder)
    with pytest.raises(ConfigError, match="backend must be one of"):
        run_cells([cell()], tmp_path, folder=data_folder, backend="lokky")
    with pytest.raises(ConfigError, match="jobs must be"):
        run_cells([cell()], tmp_path, folder=data_folder, jobs=0)
    assert not (tmp_path / "cells").exists()


KILLED = """
import os, sys, time
from nonfat.estimators.references import GlobalMean
from nonfat.evaluation.grids import Grid, cells
from nonfat.evaluation.run_grid import run_cells

def slow(self, *_, whole=GlobalMean._fit_rule):
    time.sleep(600)

GlobalMean._fit_rule = slow
chosen = cells(Grid(methods=("GlobalMean", "CellMean", "LastValue")))
chosen.sort(key=lambda cell: cell.method == "GlobalMean")
run_cells(chosen, sys.argv[1], folder=sys.argv[2])
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL there")
def test_a_killed_run_goes_on_where_it_was(data_folder, tmp_path):
    typed = [sys.executable, "-c", KILLED, str(tmp_path), str(data_folder)]
    process = subprocess.Popen(typed)
    deadline = time.monotonic() + 120
    while len(list(tmp_path.glob("cells/[!.]*.json"))) < 2 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    chosen = cells(Grid(methods=("GlobalMean", "CellMean", "LastValue")))
    ran = run_cells(chosen, tmp_path, folder=data_folder)
    assert ran.kept == 2
    assert [result.cell.method for result in ran.results] == ["GlobalMean"]
    assert not ran.failed


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL there")
def test_a_worker_that_is_killed_takes_no_record_with_it(data_folder, tmp_path):
    plain = ("GlobalMean", "CellMean", "LastValue", "Interpolation", "AdditiveEffects")
    chosen = cells(Grid(methods=plain))

    def kill(result, done, total):
        if done == 1:
            os.kill(result.provenance["pid"], signal.SIGKILL)

    with pytest.raises(WorkerError, match="the same command goes on from there, and fewer jobs"):
        run_cells(chosen, tmp_path, folder=data_folder, jobs=2, tell=kill)
    assert run_cells(chosen, tmp_path, folder=data_folder).kept >= 1


REFERENCES = Grid(methods=("GlobalMean", "CellMean"))


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_cells_in_parallel(data_folder, tmp_path, backend):
    before = dict(os.environ)
    ran = run_cells(cells(REFERENCES), tmp_path, folder=data_folder, jobs=2, backend=backend)
    assert not ran.failed
    assert len(read_all(tmp_path)) == 2
    assert dict(os.environ) == before  # the settings of workers stay theirs
    assert not any("loky" in one.provenance["command"] for one in ran.results)
    here = {one.provenance["pid"] == os.getpid() for one in ran.results}
    assert here == {backend == "threading"}


@pytest.mark.skipif(not find_spec("distributed"), reason="dask's distributed is not installed")
def test_cells_on_a_local_dask_cluster(data_folder, tmp_path):
    ran = run_cells(cells(REFERENCES), tmp_path, folder=data_folder, jobs=2, backend="dask")
    assert not ran.failed
    assert len(read_all(tmp_path)) == 2
    assert os.getpid() not in {one.provenance["pid"] for one in ran.results}


@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_cluster_that_is_not_installed(data_folder, tmp_path, backend):
    if find_spec({"dask": "distributed"}.get(backend, backend)):
        pytest.skip(f"{backend} is installed")
    with pytest.raises(ConfigError, match=f"backend '{backend}' cannot be used here"):
        run_cells(cells(REFERENCES), tmp_path, folder=data_folder, backend=backend)
