"""From published files to splits: the three layouts, and what stands in the way of a bad file."""

import hashlib

import numpy as np
import polars as pl
import pytest

from nonfat.errors import ConfigError, DataError, StoppedError
from nonfat.evaluation.data import fetch as fetching
from nonfat.evaluation.data import registry
from nonfat.evaluation.data.checks import Check
from nonfat.evaluation.data.convert import convert
from nonfat.evaluation.data.fetch import fetch
from nonfat.evaluation.data.registry import Source, SourceFile, find_source, places
from nonfat.evaluation.datasets import DATASETS, load_fold

RNG = np.random.default_rng(0)
IND = RNG.integers(3, size=(8, 3))
TIME = RNG.random(8)
Y = RNG.normal(size=8)


def as_matrix(rows):
    return np.column_stack([IND[rows, :2], TIME[rows], Y[rows]])


def fold(rows, held):
    return {
        "tr_ind": IND[rows],
        "tr_T": TIME[rows],
        "tr_y": Y[rows],
        "te_ind": IND[held],
        "te_T": TIME[held].reshape(-1, 1),
        "te_y": Y[held].reshape(-1, 1),
    }


TRAIN, TEST = slice(0, 6), slice(6, 8)
BEIJING = {
    "nvec": [3, 3],
    "nmod": 2,
    "train_folds": [as_matrix(TRAIN)] * 5,
    "test_folds": [as_matrix(TEST)] * 5,
}
ONE_FILE = {"ndims": np.array([3, 3, 3]), "data": [fold(TRAIN, TEST)] * 5}
PER_FOLD = {
    "ndims": [3, 3, 3],
    "train_ind": IND[TRAIN],
    "train_time": TIME[TRAIN],
    "train_y": Y[TRAIN],
    "test_ind": IND[TEST],
    "test_time": TIME[TEST],
    "test_y": Y[TEST],
    "train_time_ind": [[0], [1, 2]],
}
ABC = ("a", "b", "c")


@pytest.fixture
def save(tmp_path):
    """A function that writes a dictionary as the authors did."""

    def save(content, name="a.npy"):
        np.save(tmp_path / name, content, allow_pickle=True)
        return tmp_path / name

    return save


@pytest.mark.parametrize(
    ("layout", "content", "files", "modes"),
    [
        ("beijing", BEIJING, 1, ABC[:2]),
        ("one file", ONE_FILE, 1, ABC),
        ("one file", ONE_FILE | {"data": dict(enumerate(ONE_FILE["data"]))}, 1, ABC),
        ("file per fold", PER_FOLD, 5, ABC),
    ],
)
def test_each_layout_gives_the_same_rows(save, layout, content, files, modes):
    tables = convert(layout, [save(content)] * files, modes)
    assert len(tables) == 5
    for table in tables:
        assert table.columns == [*modes, "time", "value", "split"]
        np.testing.assert_array_equal(table.select(modes).to_numpy(), IND[:, : len(modes)])
        np.testing.assert_array_equal(table["time"], TIME)
        np.testing.assert_array_equal(table["value"], Y)
        assert table["split"].to_list() == ["train"] * 6 + ["test"] * 2


def test_each_file_is_its_own_fold(save):
    other = PER_FOLD | {"train_y": np.zeros(6)}
    tables = convert("file per fold", [save(PER_FOLD), *[save(other, "b.npy")] * 4], ABC)
    assert tables[0]["value"][0] == Y[0]
    assert tables[4]["value"][0] == 0


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"train_y": None}, r"a\.npy"),
        ({"train_y": Y[:3]}, "expected as many rows of 3 codes as times and values, got"),
        ({"train_y": np.full(6, np.nan)}, "finite"),
        ({"train_ind": IND[TRAIN] - 5}, "codes should be whole numbers from 0"),
        ({"train_ind": IND[TRAIN] + 0.5}, "codes should be whole numbers from 0"),
        ({"train_ind": IND[TRAIN, :2]}, "rows of 3 codes"),
        ({"ndims": [3, 3, 1]}, "codes do not fit the sizes that the file states"),
        ({"test_y": ["a", "b"]}, "could not convert"),
    ],
)
def test_files_that_are_made_in_another_way(save, changed, told):
    with pytest.raises(DataError, match=told):
        convert("file per fold", [save(PER_FOLD | changed)] * 5, ABC)


def test_a_missing_key_is_told(save):
    with pytest.raises(DataError, match=r"not made as expected, at fold 0 \(KeyError: 'data'\)"):
        convert("one file", [save(BEIJING)], ABC)
    with pytest.raises(DataError, match="expected 5 columns, got an array of shape"):
        convert("beijing", [save(BEIJING)], ABC)


@pytest.fixture
def published(save, monkeypatch, tmp_path):
    """A Beijing whose address is a file on this machine; gives the path of that file."""
    path = save(BEIJING, "published.npy")
    check = Check("sha256", hashlib.sha256(path.read_bytes()).hexdigest())
    file = SourceFile("beijing.npy", path.as_uri(), check)
    source = Source("beijing", "air", "here", "free", "beijing", (file,))
    monkeypatch.setitem(registry.SOURCES, "beijing", source)
    monkeypatch.setenv("NONFAT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NONFAT_DATA", raising=False)

    def copy(address, path, check, tick):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((tmp_path / "published.npy").read_bytes())

    monkeypatch.setattr(fetching, "download", copy)
    return path


def test_what_is_fetched_can_be_loaded(published, tmp_path):
    assert places("beijing") == []
    done = fetch("beijing")
    assert done.folder == tmp_path / "cache" / "data" / "beijing"
    assert [path.name for path in done.downloaded] == ["beijing.npy"]
    assert len(done.written) == 5
    assert places("beijing") == [done.folder]
    split = load_fold("beijing", 4)
    assert (split.train.height, split.test.height) == (6, 2)


def test_nothing_is_done_twice(published):
    first = fetch("beijing")
    (first.folder / "fold3.parquet").write_text("mine")
    assert fetch("beijing").written == ()
    (first.folder / "fold1.parquet").unlink()
    again = fetch("beijing")
    assert again.downloaded == ()
    assert [path.name for path in again.written] == ["fold1.parquet"]
    assert (first.folder / "fold3.parquet").read_text() == "mine"
    assert len(fetch("beijing", overwrite=True).written) == 5
    assert pl.read_parquet(first.folder / "fold3.parquet").height == 8


def test_a_copy_made_by_hand_is_taken(published, tmp_path, monkeypatch):
    raw = tmp_path / "cache" / "raw" / "beijing"
    raw.mkdir(parents=True)
    (raw / "beijing.npy").write_bytes(published.read_bytes())
    monkeypatch.setattr(fetching, "download", None)
    assert fetch("beijing").downloaded == ()


def test_another_file_is_not_even_opened(published, tmp_path, monkeypatch):
    raw = tmp_path / "cache" / "raw" / "beijing"
    raw.mkdir(parents=True)
    (raw / "beijing.npy").write_bytes(b"x")
    monkeypatch.setattr(fetching, "convert", None)
    with pytest.raises(DataError, match=r"beijing\.npy is not the published file: its sha256 sho"):
        fetch("beijing")


def test_ctrl_c_says_that_the_download_goes_on(published, tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(fetching, "download", stopped)
    with pytest.raises(StoppedError, match=r"kept in .*; the same command goes on from there"):
        fetch("beijing", tmp_path / "cache")


def test_a_cache_that_is_a_file(published, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "data").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        fetch("beijing")


def test_every_source_has_modes_and_hashes():
    for source in registry.SOURCES.values():
        if source.layout is None:
            with pytest.raises(ConfigError, match="there is nothing to fetch"):
                find_source(source.name)
            continue
        assert source.name in DATASETS
        assert len(source.files) == (5 if source.layout == "file per fold" else 1)
        for file in source.files:
            assert file.address.startswith("https://raw.githubusercontent.com/")
            assert len(file.check.digest) == {"sha256": 64, "git blob": 40}[file.check.kind]
