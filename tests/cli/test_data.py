"""``nonfat data``: what is listed, fetched and prepared, and how mistakes are told."""

import hashlib
import json

import numpy as np
import polars as pl
import pytest

from nonfat.evaluation.data import download, registry
from nonfat.evaluation.data.checks import Check
from nonfat.evaluation.data.registry import Source, SourceFile

ROWS = np.column_stack([[0, 1, 0], [1, 0, 1], [0.1, 0.2, 0.3], [1.0, -1.0, 0.5]])
LOG = "id,click,hour,banner_pos,site_domain,app_id\n" + "".join(
    f"{n},{n % 2},1410210{n % 3},{n % 4},site{n % 5},app\n" for n in range(90)
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache, and no local copies."""
    monkeypatch.setenv("NONFAT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NONFAT_DATA", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A Beijing of three rows, published as a file on this machine."""
    path = tmp_path / "beijing.npy"
    np.save(path, {"train_folds": [ROWS] * 5, "test_folds": [ROWS] * 5}, allow_pickle=True)
    check = Check("sha256", hashlib.sha256(path.read_bytes()).hexdigest())
    publish(monkeypatch, path, check)
    return path


def publish(monkeypatch, path, check):
    file = SourceFile("beijing.npy", path.as_uri(), check)
    source = Source("beijing", "air", "here", "free", "beijing", (file,))
    monkeypatch.setitem(registry.SOURCES, "beijing", source)
    monkeypatch.setattr(download, "_more", copied)


def copied(address, part, tick):
    """Stands in for a connection: all of it at once."""
    from urllib.request import url2pathname

    with open(url2pathname(address.removeprefix("file://")), "rb") as file:
        part.write_bytes(file.read())
    return True


def test_what_there_is(nonfat):
    done = nonfat("data", "list")
    assert (done.code, done.err) == (0, "")
    assert "beijing: air quality: site × pollutant" in done.out
    assert "no; 'nonfat data fetch beijing' downloads it" in done.out
    assert "comes with a package" in done.out
    assert "'nonfat data prepare dblp RAW', with RAW from https://dblp.org" in done.out
    assert nonfat("data").out == nonfat("data", "--help").out


def test_what_there_is_as_json(nonfat):
    told = json.loads(nonfat("data", "list", "--json").out)
    assert [entry["name"] for entry in told] == list(registry.SOURCES)
    assert told[0]["here"] == []
    assert told[0]["files"][0]["sha256"].startswith("c30862997e2a")
    assert len(told[2]["files"]) == 5


def test_fetched_and_there(nonfat, published, cache):
    done = nonfat("data", "fetch", "beijing")
    folder = cache / "data" / "beijing"
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"beijing: 5 splits written, in {folder}\n--data {folder.parent} reads them\n"
    )
    assert pl.read_parquet(folder / "fold4.parquet").height == 6
    assert str(folder) in nonfat("data", "list").out
    assert "already there" in nonfat("data", "fetch", "beijing").out
    (told,) = (
        e
        for e in json.loads(nonfat("data", "list", "--json", "--data", folder.parent).out)
        if e["name"] == "beijing"
    )
    assert told["here"] == [str(folder)] * 2
    told = json.loads(nonfat("data", "fetch", "beijing", "--json", "--overwrite").out)
    assert (told["downloaded"], len(told["written"])) == ([], 5)
    assert nonfat("data", "fetch", "beijing", "--quiet").out == ""


def test_another_file_than_published(refuses, published, monkeypatch, cache):
    publish(monkeypatch, published, Check("sha256", "0" * 64))
    told = refuses("data", "fetch", "beijing")
    assert "is not the published file: its sha256 is" in told
    assert f"Copy the published file by hand to {cache / 'raw' / 'beijing' / 'beijing.npy'}" in told
    assert not (cache / "raw" / "beijing" / "beijing.npy").exists()


def test_no_network(refuses, published, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("NONFAT_CACHE", str(published.parent / "cache"))
    monkeypatch.setattr(download.time, "sleep", lambda seconds: None)
    file = SourceFile("beijing.npy", "http://127.0.0.1:9/beijing.npy", Check("sha256", "0" * 64))
    source = Source("beijing", "air", "here", "free", "beijing", (file,))
    monkeypatch.setitem(registry.SOURCES, "beijing", source)
    assert "could not be downloaded" in refuses("data", "fetch", "beijing")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["fetch", "bejing"], "no dataset is called 'bejing'; those to fetch are beijing, mobile"),
        (["fetch", "ctr10k"], "there is nothing to fetch: ctr10k is not published as a file"),
        (["fetch"], "Missing argument 'NAME'. See 'nonfat data fetch --help'."),
        (["get", "beijing"], "No such command 'get'. See 'nonfat data --help'."),
        (["prepare", "beijing", "here"], "Missing option '--out'"),
        (["prepare", "weather", "here", "--out", "x"], "'weather' cannot be prepared; the names"),
        (["prepare", "dblp", "nowhere.xml", "--out", "x"], "nowhere.xml does not exist"),
        (["prepare", "beijing", "nowhere", "--out", "x"], "should be a folder that holds PRSA_Dat"),
        (["prepare", "dblp", "x", "--out", "x", "--raw"], "dblp has counts, never rescaled"),
        (["prepare", "dblp", "x", "--out", "x", "--rows", "few"], "--rows: expected a whole numb"),
    ],
)
def test_mistakes(refuses, typed, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert told in refuses("data", *typed)


def test_prepared(nonfat, refuses, tmp_path):
    (tmp_path / "train.csv").write_text(LOG)
    typed = ["data", "prepare", "mobile-ads", tmp_path / "train.csv", "--out", tmp_path / "out"]
    done = nonfat(*typed)
    assert (done.code, done.err) == (0, "")
    first, written, *paths = done.out.splitlines()
    assert first == "mobile-ads: 60 rows of 4 banner_position × 5 site_domain × 1 mobile_app"
    assert written == "Written:"
    assert len(paths) == 7
    assert pl.read_parquet(paths[0].strip())["value"].sum() == 45
    assert "tensor.parquet exists; pass --overwrite to replace it" in refuses(*typed)
    told = json.loads(nonfat(*typed, "--overwrite", "--json", "--rows", 20).out)
    assert told["rows"] == 20
    assert nonfat(*typed, "--overwrite", "--rows", "all", "--quiet").out == ""
