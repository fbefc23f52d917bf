"""The benchmark splits on disk: found, checked, and read as they are."""

import polars as pl
import pytest

from nonfat.errors import ConfigError, DataError
from nonfat.evaluation.datasets import DATASETS, VARIABLE, find_folder, load_fold

ROWS = pl.DataFrame(
    {
        "site": [0, 1, 0],
        "pollutant": [2, 2, 3],
        "time": [0.5, 1.5, 2.5],
        "value": [1.0, -1.0, 0.0],
        "split": ["train", "test", "train"],
    }
)


@pytest.fixture
def write(tmp_path):
    """A function that writes a table as Beijing's fold 1 and gives the data folder."""

    def write(table):
        (tmp_path / "beijing").mkdir()
        table.write_parquet(tmp_path / "beijing" / "fold1.parquet")
        return tmp_path

    return write


def test_a_fold_is_read_as_it_is(write):
    split = load_fold("beijing", 1, write(ROWS))
    assert (split.name, split.fold, split.modes) == ("beijing", 1, ("site", "pollutant"))
    assert split.train.rows() == [(0, 2, 0.5, 1.0), (0, 3, 2.5, 0.0)]
    assert split.test.rows() == [(1, 2, 1.5, -1.0)]
    assert split.test.columns == ["site", "pollutant", "time", "value"]


def test_the_folder_may_be_named_in_the_environment(write, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(write(ROWS)))
    assert load_fold("beijing", 1).train.height == 2


def test_a_given_folder_wins(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "/nowhere")
    assert find_folder(tmp_path) == tmp_path


def test_what_was_fetched_is_found(write, monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("NONFAT_CACHE", str(tmp_path))
    (tmp_path / "data").mkdir()
    (write(ROWS) / "beijing").rename(tmp_path / "data" / "beijing")
    assert load_fold("beijing", 1).train.height == 2


def test_without_a_folder_it_says_how_to_name_one(monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("NONFAT_CACHE", str(tmp_path))
    with pytest.raises(ConfigError, match=r"beijing/fold0.parquet .* --data FOLDER .* NONFAT_DATA"):
        load_fold("beijing")


@pytest.mark.parametrize("fold", [-1, 5, 0.5])
def test_there_are_five_folds(fold, tmp_path):
    with pytest.raises(ConfigError, match="fold must be a whole number from 0 to 4, got"):
        load_fold("beijing", fold, tmp_path)


def test_a_missing_file(tmp_path):
    with pytest.raises(DataError, match=r"fold3\.parquet does not exist"):
        load_fold("dblp", 3, tmp_path)


def test_a_file_of_another_kind(tmp_path):
    (tmp_path / "beijing").mkdir()
    (tmp_path / "beijing" / "fold1.parquet").write_text("site,pollutant")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        load_fold("beijing", 1, tmp_path)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (ROWS.drop("site", "split"), "lacks site, split; expected the columns site, pollutant,"),
        (ROWS.with_columns(split=pl.lit("train")), "both should occur; it says 'train'"),
        (ROWS.with_columns(split=pl.Series(["train", "test", "valid"])), "'test', 'train', 'val"),
        (ROWS.with_columns(split=pl.Series(["train", "test", None])), "it says None, 'test'"),
        (ROWS.with_columns(site=pl.lit("Dongsi")), "site should hold integer codes"),
        (ROWS.with_columns(time=pl.lit("noon")), "time should be numbers, its type is String"),
        (ROWS.with_columns(value=pl.Series([1.0, None, float("nan")])), "not finite in 2 rows"),
    ],
)
def test_tables_that_are_no_split(write, table, told):
    with pytest.raises(DataError, match=told):
        load_fold("beijing", 1, write(table))


@pytest.mark.parametrize("name", list(DATASETS))
def test_the_published_splits(shared_data, name):
    split = load_fold(name, 0, shared_data(name).parent)
    assert split.train.height == 4 * split.test.height
    assert split.train.columns == [*split.modes, "time", "value"]


def test_what_the_notes_under_the_tables_say_of_the_data(shared_data):
    folder = shared_data("beijing").parent
    first, *others = (load_fold("beijing", fold, folder) for fold in range(5))
    assert all(other.train.equals(first.train) for other in others)
    assert all(other.test.equals(first.test) for other in others)
    shared_data("dblp")
    splits = [load_fold("dblp", fold, folder) for fold in range(5)]
    values = pl.concat([part["value"] for split in splits for part in (split.train, split.test)])
    assert round((values == values.mode()[0]).mean(), 2) == 0.97
    assert values.mode()[0] == 1
    assert not splits[0].test.equals(splits[1].test)
