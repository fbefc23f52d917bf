"""The file format: what goes in comes out, and nothing else is ever taken for it."""

import os
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import load_file, save_file

from nonfat import _container, persist
from nonfat.errors import ModelFileError

MANIFEST = {"modes": ["site", "Überlauf"], "rank": 5, "scale": 0.1, "none": None, "big": 1e300}
ARRAYS = {
    "mean": np.linspace(0.0, 1.0, 7),
    "scalar": np.array(np.nan),
    "empty": np.empty((0, 3), np.int32),
    "flags": np.array([[True, False]]),
    "codes": np.arange(6, dtype=np.int64).reshape(2, 3),
    "small": np.arange(3, dtype=np.float32),
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False,
                                                                      allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
dtypes = st.sampled_from([np.bool_, np.int32, np.int64, np.float32, np.float64, np.uint8])
arrays_by_name = st.dictionaries(
    st.text("abc/. é_", min_size=1, max_size=8),
    dtypes.flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0))),
    max_size=4,
)
quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "air.nonfat"
    persist.write(path, MANIFEST, ARRAYS)
    return path


def assert_same_arrays(left: dict, right: dict) -> None:
    assert left.keys() == right.keys()
    for name, array in left.items():
        assert array.dtype == right[name].dtype
        assert array.shape == right[name].shape
        assert array.tobytes() == right[name].tobytes()


def rewrite_envelope(path: Path, **changes: object) -> None:
    """Seal another envelope around the same arrays, as another version of nonfat would."""
    envelope = _container.parse_object(path, _container.read_text(path)) | changes
    _container.replace(path, _container.read_arrays(path), persist._canonical(envelope))


# --- what goes in comes out -------------------------------------------------------------------


@quick
@given(st.dictionaries(st.text(), json_values, max_size=4), arrays_by_name)
def test_round_trip(tmp_path, manifest, arrays):
    path = tmp_path / "m.nonfat"
    persist.write(path, manifest, arrays, overwrite=True)
    manifest_back, arrays_back = persist.read(path)
    assert manifest_back == manifest
    assert list(manifest_back) == list(manifest)
    assert_same_arrays(arrays, arrays_back)


def test_strided_arrays_keep_their_values(tmp_path):
    strided = {"t": np.arange(6).reshape(2, 3).T, "r": np.arange(9.0)[::-2]}
    persist.write(tmp_path / "m", {}, strided)
    _, back = persist.read(tmp_path / "m")
    np.testing.assert_array_equal(back["t"], strided["t"])
    np.testing.assert_array_equal(back["r"], strided["r"])


def test_arrays_come_back_writable(saved):
    persist.read(saved)[1]["mean"][0] = 1.0


def test_other_programs_can_read_the_arrays(saved):
    assert_same_arrays(ARRAYS, load_file(saved))


def test_the_file_obeys_the_umask(saved):
    ordinary = saved.with_name("ordinary")
    ordinary.touch()
    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)


def test_writing_through_a_link_keeps_the_link(saved):
    link = saved.with_name("latest.nonfat")
    link.symlink_to(saved)
    persist.write(link, {"new": True}, {}, overwrite=True)
    assert link.is_symlink()
    assert persist.read(saved)[0] == {"new": True}


# --- writing: refusals and safety -------------------------------------------------------------


def test_an_existing_file_is_not_replaced_unasked(saved):
    before = saved.read_bytes()
    with pytest.raises(ModelFileError, match=r"air\.nonfat exists; pass overwrite=True"):
        persist.write(saved, {}, {})
    assert saved.read_bytes() == before
    persist.write(saved, {"n": 1}, {}, overwrite=True)
    assert persist.read(saved) == ({"n": 1}, {})


def test_the_folder_must_exist(tmp_path):
    with pytest.raises(ModelFileError, match=r"folder .*nowhere does not exist; create it"):
        persist.write(tmp_path / "nowhere" / "m", {}, {})


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(ModelFileError, match="give the name of a file inside it"):
        persist.write(tmp_path, {}, {}, overwrite=True)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (
            {"a": [1.0, float("nan")]},
            r"manifest\['a'\]\[1\] is nan, which JSON cannot hold; store None or an array",
        ),
        ({"a": {"b": float("inf")}}, r"manifest\['a'\]\['b'\] is inf"),
        ({"a": {1: "one"}}, r"manifest\['a'\]: expected string keys, got 1"),
        ({"a": np.int64(3)}, "expected JSON data, got int64; convert it to a plain number, str"),
        ({"a": {1, 2}}, "expected JSON data, got set"),
    ],
)
def test_a_manifest_that_json_would_change_is_refused(tmp_path, manifest, message):
    with pytest.raises(ModelFileError, match=message):
        persist.write(tmp_path / "m", manifest, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "array",
    [np.array(["text"]), np.array([None]), np.zeros(2, ">f8"), np.zeros(2, complex)],
)
def test_an_array_of_another_kind_is_refused(tmp_path, array):
    text = (
        r"array 'x' has dtype '.*'; expected booleans, or native integers or floats of up to 64 "
        r"bits: convert it with \.astype"
    )
    with pytest.raises(ModelFileError, match=text):
        persist.write(tmp_path / "m", {}, {"x": array})


@pytest.mark.parametrize("name", ["", "__metadata__", "a\nb", "\ud800"])
def test_a_name_that_safetensors_cannot_hold_is_refused(tmp_path, name):
    with pytest.raises(ModelFileError, match="use plain printable text"):
        persist.write(tmp_path / "m", {}, {name: np.zeros(1)})


def test_a_manifest_too_long_to_read_back_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(_container, "_MAX_HEADER", 1000)
    with pytest.raises(ModelFileError, match="store long lists as arrays"):
        persist.write(tmp_path / "m", {"labels": ["x" * 1000]}, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["replace", "fsync"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_no_litter(saved, monkeypatch, step, failure):
    def fail(*_args, **_kwargs):
        raise failure

    before = saved.read_bytes()
    monkeypatch.setattr(os, step, fail)
    expected = ModelFileError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        persist.write(saved, {"new": True}, {}, overwrite=True)
    if expected is ModelFileError:
        assert "No space left on device); nothing was changed" in str(caught.value)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


# --- reading: nothing else is taken for a model -------------------------------------------------


def write_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "text")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.touch(), "the file is empty"),
        (lambda path: path.write_text("x"), "some other kind of file"),
        (lambda path: path.write_text("site,when,level\na,1,2.0\n"), "some other kind of file"),
        (lambda path: path.write_text('{"a": 1, "b": 2}'), "some other kind of file"),
        (write_zip, "some other kind of file; expected a file from save\\(\\)"),
        (lambda path: save_file({"w": np.zeros(2)}, path), "from another program"),
        (lambda path: save_file({}, path, {"nonfat": '{"a":1}'}), "metadata of another kind"),
    ],
)
def test_what_is_not_a_model_is_named(tmp_path, make, message):
    path = tmp_path / "m.nonfat"
    make(path)
    with pytest.raises(ModelFileError, match=rf"m\.nonfat: .*{message}"):
        persist.read(path)


@pytest.mark.parametrize("path", [None, 5, b"m", ["m"]])
def test_a_path_is_a_path(path):
    text = r"expected the path of a model file, got .*; write it as text or a pathlib\.Path"
    with pytest.raises(ModelFileError, match=text):
        persist.read(path)
    with pytest.raises(ModelFileError, match=text):
        persist.write(path, {}, {})


@quick
@given(st.data())
def test_a_truncated_file_is_refused(tmp_path, data):
    path = tmp_path / "m"
    persist.write(path, MANIFEST, ARRAYS, overwrite=True)
    content = path.read_bytes()
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(ModelFileError, match=r"truncated|empty|some other kind"):
        persist.read(path)


def test_a_truncated_file_says_so(saved):
    content = saved.read_bytes()
    for end in (100, len(content) - 1):
        saved.write_bytes(content[:end])
        with pytest.raises(ModelFileError, match=rf"truncated: {end} of .*copy it again"):
            persist.read(saved)


@settings(quick, max_examples=300)
@given(st.data())
def test_any_altered_byte_is_noticed(tmp_path, data):
    path = tmp_path / "m"
    persist.write(path, MANIFEST, ARRAYS, overwrite=True)
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    with pytest.raises(ModelFileError):
        persist.read(path)


def test_altered_arrays_and_appended_bytes_say_so(saved):
    content = saved.read_bytes()
    saved.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ModelFileError, match=r"altered .* arrays do not match"):
        persist.read(saved)
    saved.write_bytes(content + b"more")
    with pytest.raises(ModelFileError, match=r"altered .* 4 bytes too many"):
        persist.read(saved)


def with_header(path: Path, header: bytes, body: bytes = b"") -> None:
    path.write_bytes(len(header).to_bytes(8, "little") + header + body)


def test_an_altered_header_says_so(saved):
    def said(words):
        with pytest.raises(ModelFileError, match=words):
            persist.read(saved)

    with_header(saved, b'{"a": 1')
    said(r"altered since it was saved: its header does not end as it should; copy it again")
    with_header(saved, b'{"a" 1}')
    said("altered since it was saved: its header is not valid JSON; copy it again")
    with_header(saved, b'{"__metadata__": {"nonfat": "{}"}, "mean": {"dtype": "F64"}}')
    said("altered since it was saved: its header does not list arrays; copy it again")


def test_metadata_that_is_no_object_is_of_another_kind(saved):
    with_header(saved, b'{"__metadata__": {"nonfat": "[1]"}}')
    with pytest.raises(ModelFileError, match="not a nonfat model but some other kind of file"):
        persist.read(saved)


def test_arrays_that_safetensors_refuses_say_what_it_says(saved):
    content = saved.read_bytes()
    saved.write_bytes(content.replace(b'"dtype":"F64"', b'"dtype":"F99"', 1))
    with pytest.raises(ModelFileError, match=r"altered since it was saved: safetensors says: .+; "):
        persist.read(saved)


def test_an_altered_manifest_says_so(saved):
    rewrite_envelope(saved, manifest={"rank": 6})
    with pytest.raises(ModelFileError, match=r"altered .* manifest does not match"):
        persist.read(saved)


def test_a_newer_format_asks_for_an_upgrade(saved):
    rewrite_envelope(saved, format_version=9, library_version="4.2.0")
    message = r"written by nonfat 4\.2\.0 \(format 9\); this is nonfat \S+, which reads format 1"
    with pytest.raises(ModelFileError, match=message + ": upgrade with pip install -U nonfat"):
        persist.read(saved)


@pytest.mark.parametrize("version", [0, -1, "1", None])
def test_a_senseless_format_version_is_refused(saved, version):
    rewrite_envelope(saved, format_version=version)
    with pytest.raises(ModelFileError, match="it claims format"):
        persist.read(saved)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_says_so(saved):
    saved.chmod(0)
    with pytest.raises(ModelFileError, match="cannot be read"):
        persist.read(saved)
