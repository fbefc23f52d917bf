"""The restricted unpickler: genuine files are read, anything that would run code is refused."""

import builtins
import io
import os
import pickle

import numpy as np
import pytest

from nonfat.errors import DataError
from nonfat.evaluation.data.unpickle import read_dictionary

ROWS = np.arange(12.0).reshape(3, 4)
GENUINE = {
    "nvec": np.array([12, 6]),
    "nmod": 2,
    "scalar": np.float64(0.5),
    "train_folds": [ROWS, np.asfortranarray(ROWS)],
    "data": {0: {"tr_ind": ROWS.astype(np.int32), "tr_y": ROWS[:, :1], "te_y": ROWS[::2]}},
    "names": ("site", None, True, b"x"),
}


class Runs:
    """Pickles as a call."""

    def __init__(self, function, *arguments):
        self.call = (function, arguments)

    def __reduce__(self):
        return self.call


@pytest.fixture
def saved(tmp_path):
    """A function that writes a .npy file, of a given protocol and age of NumPy."""

    def save(content, protocol=4, old=False):
        header, write = io.BytesIO(), np.lib.format.write_array_header_1_0
        holder = np.array(content, dtype=object)
        write(header, np.lib.format.header_data_from_array_1_0(holder))
        data = pickle.dumps(holder, protocol)
        if old:  # text opcodes of protocol 0 to 3 have no length that would change
            data = data.replace(b"numpy._core.", b"numpy.core.")
        path = tmp_path / "a.npy"
        path.write_bytes(header.getvalue() + data)
        return path

    return save


def check(found):
    assert found.keys() == GENUINE.keys()
    np.testing.assert_array_equal(found["train_folds"][1], ROWS)
    assert found["data"][0]["tr_ind"].dtype == np.int32
    assert found["scalar"] == 0.5
    assert found["names"] == GENUINE["names"]


@pytest.mark.parametrize(("protocol", "old"), [(3, False), (3, True), (4, False), (5, False)])
def test_genuine_files(saved, protocol, old):
    check(read_dictionary(saved(GENUINE, protocol, old)))


def test_what_numpy_itself_saves(tmp_path):
    np.save(tmp_path / "a.npy", GENUINE, allow_pickle=True)
    check(read_dictionary(tmp_path / "a.npy"))


@pytest.mark.parametrize(
    ("evil", "named"),
    [
        (Runs(os.system, "touch ran"), f"{os.system.__module__}.system"),
        (Runs(builtins.eval, "open('ran', 'w')"), "builtins.eval"),
        (Runs(builtins.getattr, "text", "upper"), "builtins.getattr"),
        (Runs(np.load, "ran"), r"numpy\.load"),
        ({"data": [{0: (ROWS, Runs(builtins.exec, "open('ran', 'w')"))}]}, "builtins.exec"),
    ],
)
@pytest.mark.parametrize("protocol", [0, 2, 3, 4, 5])
def test_nothing_else_is_loaded(saved, evil, named, protocol, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Pickles of protocol 2 and before write the bytes of arrays by a call, which comes first.
    with pytest.raises(DataError, match=rf"a\.npy wants to load ({named}|_codecs\.encode), which"):
        read_dictionary(saved({"a": evil}, protocol))
    assert not (tmp_path / "ran").exists()


def test_a_method_of_something_admitted_is_no_way_in(tmp_path, saved):
    path = saved({})
    start = path.read_bytes().split(b"\n")[0] + b"\n"
    # STACK_GLOBAL with a dotted name would reach an attribute of an attribute.
    path.write_bytes(start + b"\x80\x04\x8c\x05numpy\x8c\x10ndarray.__init__\x93.")
    with pytest.raises(DataError, match=r"wants to load numpy\.ndarray\.__init__"):
        read_dictionary(path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"not a numpy file", "cannot be read as a NumPy file"),
        (b"", "cannot be read as a NumPy file"),
    ],
)
def test_damaged_files(tmp_path, content, told):
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(DataError, match=told):
        read_dictionary(tmp_path / "a.npy")


def test_a_truncated_file(saved):
    path = saved(GENUINE)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match="cannot be read as a NumPy file"):
        read_dictionary(path)


def test_other_content(tmp_path, saved):
    with pytest.raises(DataError, match="should hold a dictionary, got ndarray"):
        read_dictionary(saved([{"a": 1}, {"b": 2}]))
    np.save(tmp_path / "c.npy", ROWS)
    with pytest.raises(DataError, match="should hold a dictionary, got an array of float64"):
        read_dictionary(tmp_path / "c.npy")
