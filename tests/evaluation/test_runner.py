"""A benchmark: what methods get to see, what is recorded, and what failures come to."""

import json
import math
import warnings
from dataclasses import replace

import pytest

from nonfat.errors import ConfigError, TrainingInterrupted
from nonfat.evaluation.runner import Record, run_suite
from nonfat.evaluation.suites import suite
from nonfat.evaluation.tables import as_tree, cells, remarks

QUICK = suite("beijing-quick")


def test_each_method_learns_from_training_rows_and_sees_the_test_rows_once(fakes, data_folder):
    bench = run_suite(replace(QUICK, methods=("CPCT",)), folder=data_folder, seed=4)
    (fitted, learnt), (judged, held_out) = fakes.seen
    assert (fitted, judged) == ("fit", "evaluate")
    assert (learnt.height, held_out.height) == (bench.train_rows, bench.test_rows) == (48, 12)
    assert learnt.columns == ["site", "pollutant", "time", "value"]
    assert learnt.join(held_out, on=["site", "pollutant", "time"]).is_empty()


def test_a_record_says_all_there_is_to_say(fakes, data_folder):
    bench = run_suite(replace(QUICK, rank=7), folder=data_folder, seed=4)
    method, broken, reference = bench.records
    assert method.seconds >= 0
    assert replace(method, seconds=None) == Record(
        *("CPCT", "method", "guess × luck", 7, 4, 12, 0.5, 1.0, 0.5, 0.0), error=None
    )
    assert (reference.kind, reference.rank, reference.relative_rmse) == ("reference", None, 0.75)
    assert broken.error == "ZeroDivisionError: by zero"
    assert broken.relative_rmse is None
    assert bench.failed == [broken]


def test_references_keep_their_own_rank(fakes, data_folder, monkeypatch):
    monkeypatch.setattr(fakes, "kind", "reference", raising=False)
    bench = run_suite(replace(QUICK, methods=("CPCT",), rank=7), folder=data_folder)
    assert bench.records[0].rank == 3


def test_progress_is_told_after_each_method(fakes, data_folder):
    told = []
    run_suite(QUICK, folder=data_folder, tell=lambda row, *at: told.append((row.method, *at)))
    assert told == [("CPCT", 1, 3), ("GPCT", 2, 3), ("CellMean", 3, 3)]


@pytest.mark.parametrize("mistake", [{"rank": 0}, {"methods": ("CPTC",)}, {"dataset": "peking"}])
def test_a_mistake_of_the_users_is_not_a_failure_of_the_methods(fakes, data_folder, mistake):
    with pytest.raises(ConfigError):
        run_suite(replace(QUICK, **mistake), folder=data_folder)
    with pytest.raises(ConfigError, match="epochs must be"):
        run_suite(QUICK, folder=data_folder, epochs=0)
    assert fakes.seen == []


def test_ctrl_c_ends_the_benchmark(fakes, data_folder, monkeypatch):
    def stopped(self, X):
        warnings.warn("the best model so far was kept", TrainingInterrupted, stacklevel=2)

    monkeypatch.setattr(fakes, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        run_suite(QUICK, folder=data_folder)


def test_a_real_method_on_a_tiny_table(data_folder):
    chosen = replace(QUICK, methods=("NONFAT", "NONFAT-paper"), rank=1)
    bench = run_suite(chosen, folder=data_folder, epochs=2)
    assert not bench.failed
    assert [record.method for record in bench.records] == ["NONFAT", "NONFAT-paper"]
    for record in bench.records:
        assert (record.rank, record.epochs, record.rows) == (1, 2, 12)
        assert math.isfinite(record.relative_rmse)
        assert math.isfinite(record.log_likelihood)
    first, second = bench.records
    assert first.rmse != second.rmse  # the preset is in effect


# --- tables -----------------------------------------------------------------------------------


def test_a_tree_is_json_with_provenance_at_the_top(fakes, data_folder):
    tree = as_tree(run_suite(QUICK, folder=data_folder))
    assert json.loads(json.dumps(tree)) == tree
    known = {"nonfat", "commit", "python", "jax", "numpy", "cpu", "cpus", "command", "date"}
    assert known < set(tree)
    assert [record["method"] for record in tree["records"]] == ["CPCT", "GPCT", "CellMean"]
    assert tree["remarks"] == remarks(run_suite(QUICK, folder=data_folder))


def test_the_best_of_each_column_has_a_star(fakes, data_folder):
    rows = {row[0].strip(): row for row in cells(run_suite(QUICK, folder=data_folder).records)}
    assert list(rows) == ["method", "CPCT", "GPCT", "references", "CellMean"]
    assert rows["CPCT"][3:6] == ["0.500*", "0.500*", "+0.000*"]
    assert rows["CellMean"][3:6] == ["0.750 ", "0.750 ", ""]
    assert rows["GPCT"][1] == "failed"
    assert len({len(row) for row in rows.values()}) == 1


def test_it_says_so_where_nothing_beats_the_references(fakes, data_folder, monkeypatch):
    bench = run_suite(QUICK, folder=data_folder)
    told = " ".join(remarks(bench))
    assert "GPCT failed: ZeroDivisionError: by zero" in told
    assert "one and the same split" in told
    assert "No method beats" not in told
    monkeypatch.setattr(fakes, "scores", (0.9, 0.0))
    (sentence, _) = remarks(run_suite(QUICK, folder=data_folder))[-2:]
    assert sentence == (
        "No method beats the references on relative RMSE: CellMean has 0.750, "
        "the best method, CPCT, 0.900."
    )


def test_it_says_so_where_there_are_no_references(fakes, data_folder):
    bench = run_suite(replace(QUICK, methods=("CPCT",)), folder=data_folder)
    assert remarks(bench)[-1].startswith("No reference was run")
