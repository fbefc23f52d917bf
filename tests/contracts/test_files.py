"""Saved models: the same answers in another process, and errors that say what is wrong."""

import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import nonfat as nf
from contracts.support import numbers
from nonfat import persist

READER = """
import sys, polars as pl, nonfat as nf
for line in sys.stdin:
    model, queries, answers = line.rstrip("\\n").split("|")
    nf.load(model).predict(pl.read_parquet(queries), level=80).write_parquet(answers)
    print("done", flush=True)
"""


@pytest.fixture(scope="session")
def elsewhere():
    """A function that has another process answer; it is started once for all estimators."""
    environment = {**os.environ, "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}  # as in this suite
    reader = subprocess.Popen(
        [sys.executable, "-c", READER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )

    def answer(*paths):
        reader.stdin.write("|".join(map(str, paths)) + "\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == "done\n"

    with reader:
        yield answer
        reader.stdin.close()


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "air.nonfat"
    model.save(path)
    return path


def test_another_process_gives_the_same_bits(model, table, saved, tmp_path, elsewhere):
    table.write_parquet(tmp_path / "queries.parquet")
    elsewhere(saved, tmp_path / "queries.parquet", tmp_path / "answers.parquet")
    answers = pl.read_parquet(tmp_path / "answers.parquet")
    assert answers.equals(model.predict(table, level=80))


def test_everything_but_the_history_comes_back(model, table, saved):
    loaded = nf.load(saved)
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    assert isinstance(loaded.modes, list)
    assert loaded.summary() == model.summary()
    assert loaded.n_features_in_ == model.n_features_in_
    assert loaded.evaluate(table) == model.evaluate(table)
    assert loaded.sample(table, 2, seed=3).equals(model.sample(table, 2, seed=3))


@pytest.mark.trajectories
def test_trajectories_come_back_too(model, saved):
    again = nf.load(saved).trajectories("site", times=[1])
    assert again.equals(model.trajectories("site", times=[1]))


def test_a_loaded_model_can_be_saved_and_fitted_again(model, table, saved, tmp_path):
    loaded = nf.load(saved)
    loaded.save(tmp_path / "again.nonfat")
    assert (tmp_path / "again.nonfat").read_bytes() == saved.read_bytes()
    assert np.array_equal(numbers(loaded.fit(table).predict(table)), numbers(model.predict(table)))


@pytest.mark.once
def test_a_file_is_replaced_only_on_demand(model, saved):
    before = saved.read_bytes()
    with pytest.raises(nf.ModelFileError, match="exists; pass overwrite=True to replace it"):
        model.save(saved)
    assert saved.read_bytes() == before
    model.save(str(saved), overwrite=True)
    assert saved.read_bytes() == before


@pytest.mark.once
def test_saving_into_a_missing_folder_is_refused(model, tmp_path):
    with pytest.raises(nf.ModelFileError, match="does not exist; create it"):
        model.save(tmp_path / "nowhere" / "air.nonfat")


@pytest.mark.once
def test_what_is_no_model_file_is_refused(table, tmp_path):
    table.write_csv(tmp_path / "table.csv")
    (tmp_path / "empty.nonfat").touch()
    for path in (tmp_path / "table.csv", tmp_path / "empty.nonfat", tmp_path, tmp_path / "none"):
        with pytest.raises(nf.ModelFileError, match=path.name):
            nf.load(path)


@pytest.mark.once
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_file_is_refused(saved, tmp_path, share):
    content = saved.read_bytes()
    (tmp_path / "part.nonfat").write_bytes(content[: int(share * len(content))])
    with pytest.raises(nf.ModelFileError, match=r"part\.nonfat"):
        nf.load(tmp_path / "part.nonfat")


def test_a_flipped_bit_is_noticed(saved, tmp_path):
    content = bytearray(saved.read_bytes())
    content[-3] ^= 1
    (tmp_path / "flipped.nonfat").write_bytes(content)
    with pytest.raises(nf.ModelFileError, match="SHA-256"):
        nf.load(tmp_path / "flipped.nonfat")


@pytest.mark.once
def test_a_newer_format_is_refused_with_its_number(model, tmp_path, monkeypatch):
    monkeypatch.setattr(persist, "FORMAT_VERSION", 99)
    model.save(tmp_path / "new.nonfat")
    with pytest.raises(nf.ModelFileError, match=r"\(format 99\).*upgrade with pip install"):
        nf.load(tmp_path / "new.nonfat")


def _altered(saved, tmp_path, change):
    manifest, arrays = persist.read(saved)
    change(manifest, arrays)
    persist.write(tmp_path / "odd.nonfat", manifest, arrays)
    return tmp_path / "odd.nonfat"


def once(*values):
    return pytest.param(*values, marks=pytest.mark.once)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        once(lambda m, a: m.update(estimator="TUCKER"), "unknown kind of model, 'TUCKER'"),
        once(lambda m, a: m["params"].update(depth=3), "its settings are not those of"),
        once(lambda m, a: m["params"].update(dtype="bfloat16"), "its settings are not those of"),
        once(lambda m, a: m.pop("schema"), "its settings are not those of"),
        (lambda m, a: a.pop(next(iter(a))), "the file's arrays do not fit its own settings"),
        (lambda m, a: a.update(extra=np.zeros(2)), "the file's arrays do not fit"),
        (lambda m, a: a.update({k: v.astype("i2") for k, v in a.items()}), "expected (float|int)"),
    ],
)
def test_a_file_of_another_kind_of_model_is_refused_by_name(saved, tmp_path, change, text):
    with pytest.raises(nf.ModelFileError, match=rf"odd\.nonfat: .*{text}"):
        nf.load(_altered(saved, tmp_path, change))


def test_saving_leaves_no_code_in_the_file(saved):
    content = saved.read_bytes()
    assert content[8:9] == b"{"  # safetensors: the length of a JSON header, then the header
    for opcode in (b"\x80\x04", b"cnonfat", b"numpy.core"):
        assert opcode not in content[:4096]


@pytest.mark.once
@pytest.mark.parametrize(
    "modes", [("site", "pollutant"), np.array(["site", "pollutant"])], ids=["tuple", "array"]
)
def test_modes_come_back_as_a_list(new, table, tmp_path, modes):
    new(modes=modes).fit(table).save(tmp_path / "modes.nonfat")
    assert nf.load(tmp_path / "modes.nonfat").modes == ["site", "pollutant"]


@pytest.mark.trained
def test_sizes_that_were_changed_after_fit_do_not_spoil_the_file(new, model, table, tmp_path):
    changed = new().fit(table).set_params(batch_size=7, seed=0)
    if "rank" in changed.get_params():
        changed.set_params(rank=4)
    changed.save(tmp_path / "changed.nonfat")
    answer = nf.load(tmp_path / "changed.nonfat").predict(table)
    assert np.array_equal(numbers(answer), numbers(model.predict(table)))


@pytest.mark.trained
def test_a_dtype_that_was_changed_after_fit_cannot_be_saved(new, table, tmp_path):
    changed = new().fit(table).set_params(dtype="float64")
    with pytest.raises(nf.ConfigError, match="changed after fit; fit again, or set them back"):
        changed.save(tmp_path / "changed.nonfat")
    assert not list(tmp_path.iterdir())


@pytest.mark.once
def test_labels_that_no_file_can_hold_are_refused_by_type(new, table, tmp_path):
    ids = {"x": frozenset("x"), "y": frozenset("y")}
    frame = table.to_pandas()
    frame["pollutant"] = [ids[entry] for entry in table["pollutant"]]
    model = new().fit(frame)
    with pytest.raises(nf.DataError, match="of type frozenset, which cannot be saved"):
        model.save(tmp_path / "sets.nonfat")
