"""Where downloads are kept, and how far a read has come."""

import gzip
import sys
from pathlib import Path

import pytest

from nonfat.evaluation.data.cache import VARIABLE, cache_folder
from nonfat.evaluation.data.progress import byte_bar
from nonfat.evaluation.data.rawfiles import opened


def test_a_given_cache_wins(monkeypatch):
    monkeypatch.setenv(VARIABLE, "named")
    assert cache_folder("given") == Path("given")
    assert cache_folder() == Path("named")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="they have other customs")
def test_the_usual_cache(monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "nonfat"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "nonfat"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_every_byte_of_the_file_is_told(tmp_path, pack):
    path = tmp_path / "a"
    path.write_bytes(pack(bytes(range(256)) * 1000))
    counts = []
    with opened(path, counts.append) as file:
        assert len(file.read()) == 256_000
    assert sum(counts) == path.stat().st_size


def test_the_bar_is_drawn_on_stderr(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as if it were a terminal
    with byte_bar(True, "a file", 10) as tick:
        tick(5)
    out, err = capsys.readouterr()
    assert out == ""
    assert "a file" in err


def test_no_bar_where_there_is_no_terminal(capsys):
    with byte_bar(None, "a file", 10) as tick:
        tick(5)
    assert capsys.readouterr() == ("", "")
