"""The file format of a saved model: one safetensors file that holds a JSON manifest and arrays.

The file knows nothing of estimators. Its safetensors metadata has one entry, ``nonfat``, with this
envelope as compact JSON::

    {"format": "nonfat", "format_version": 1, "library_version": "0.1.0",
     "manifest": {...}, "arrays_sha256": "...", "sha256": "..."}

``arrays_sha256`` covers names, dtypes, shapes and bytes of the arrays; ``sha256`` covers the rest
of the envelope. The first three keys keep their place and meaning in every later format, so an
old library can always say why it cannot read a newer file.
"""

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from nonfat import _container
from nonfat.errors import ModelFileError

__all__ = ["FORMAT_VERSION", "Arrays", "Manifest", "read", "write"]

Manifest = dict[str, Any]
"""What JSON can hold: dictionaries with string keys, lists, strings, finite numbers, None."""

Arrays = dict[str, np.ndarray]
"""Arrays by name, in any of the plain numeric dtypes."""

FORMAT_VERSION = 1
"""The format that `write` writes."""


def write(
    path: str | os.PathLike[str],
    manifest: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    *,
    overwrite: bool = False,
) -> None:
    """Write a manifest and arrays to one file, all or nothing.

    The new file appears under its name only once it is complete and on disk; until then an
    existing file stays as it was.

    Args:
        path: The file to write. Its folder must exist.
        manifest: JSON data. Long lists (labels of a million entities) belong in ``arrays``: the
            manifest must stay under about 100 MB.
        arrays: Arrays of plain numbers or booleans, by name.
        overwrite: Whether to replace an existing file.

    Raises:
        ModelFileError: The file exists, the folder does not, the disk refuses, or the manifest or
            an array holds something that the format cannot.

    Examples:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "air.nonfat"
        >>> write(path, {"modes": ["site"]}, {"mean": np.zeros(3)})
        >>> manifest, arrays = read(path)
        >>> manifest, arrays["mean"].shape
        ({'modes': ['site']}, (3,))
    """
    target = Path(os.path.realpath(_checked(path)))  # write through a link instead of replacing it
    _check_target(target, overwrite)
    _check_json(manifest, "manifest")
    plain = {name: _plain_array(name, array) for name, array in arrays.items()}
    _container.replace(target, plain, _seal(dict(manifest), _digest_arrays(plain)))


def read(path: str | os.PathLike[str]) -> tuple[Manifest, Arrays]:
    """Read back what `write` wrote, bit by bit, or say why it cannot be trusted.

    Args:
        path: A file written by `write`.

    Returns:
        The manifest and the arrays by name.

    Raises:
        ModelFileError: The file is missing, a folder, empty, truncated, altered, foreign, or
            written in a newer format.

    Examples:
        >>> read("nowhere.nonfat")
        Traceback (most recent call last):
        nonfat.errors.ModelFileError: nowhere.nonfat: no such file; check the path
    """
    path = Path(_checked(path))
    try:
        envelope, text = _read_envelope(path)
        version = envelope.get("format_version")
        if not isinstance(version, int) or version < 1:
            raise _container.damaged(path, f"{_container.ALTERED}: it claims format {version!r}")
        if version not in _READERS:
            raise _newer(path, envelope)
        return _READERS[version](path, envelope, text)
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read ({error.strerror or error})") from error


# --- writing ----------------------------------------------------------------------------------


def _check_target(target: Path, overwrite: bool) -> None:
    if not target.parent.is_dir():
        raise ModelFileError(f"{target}: the folder {target.parent} does not exist; create it")
    if target.is_dir():
        raise ModelFileError(f"{target}: is a folder; give the name of a file inside it")
    if target.exists() and not overwrite:
        raise ModelFileError(f"{target} exists; pass overwrite=True to replace it")


def _check_json(value: Any, where: str) -> None:
    """Refuse what JSON would change or drop without a word, naming the place."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise ModelFileError(f"{where}: expected string keys, got {key!r}; use str(key)")
            _check_json(item, f"{where}[{key!r}]")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _check_json(item, f"{where}[{index}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ModelFileError(f"{where} is {value}, which JSON cannot hold; store None or an array")
    elif not (value is None or isinstance(value, str | int | float)):
        raise ModelFileError(
            f"{where}: expected JSON data, got {type(value).__name__}; "
            "convert it to a plain number, string or list, or store it as an array"
        )


def _plain_array(name: str, array: np.ndarray) -> np.ndarray:
    """The array in C order: safetensors writes raw memory and ignores strides."""
    if not name or name == "__metadata__" or not name.isprintable():
        raise ModelFileError(f"array name {name!r} is not allowed; use plain printable text")
    dtype = np.asarray(array).dtype
    if dtype.kind not in "biuf" or dtype.itemsize > 8 or not dtype.isnative:
        raise ModelFileError(
            f"array {name!r} has dtype {dtype.str!r}; expected booleans, or native integers or "
            "floats of up to 64 bits: convert it with .astype"
        )
    return np.asarray(array, order="C")  # unlike ascontiguousarray, this keeps 0-d as it is


def _seal(manifest: Manifest, arrays_sha256: str) -> str:
    """The envelope as text, its own digest last."""
    envelope = {
        "format": "nonfat",
        "format_version": FORMAT_VERSION,
        "library_version": _library_version(),
        "manifest": manifest,
        "arrays_sha256": arrays_sha256,
    }
    return _canonical({**envelope, "sha256": _digest(envelope)})


# --- reading ----------------------------------------------------------------------------------


def _read_envelope(path: Path) -> tuple[dict[str, Any], str]:
    text = _container.read_text(path)
    envelope = _container.parse_object(path, text)
    if envelope.get("format") != "nonfat":
        raise _container.foreign(path, "a safetensors file with metadata of another kind")
    return envelope, text


def _read_format_1(path: Path, envelope: dict[str, Any], text: str) -> tuple[Manifest, Arrays]:
    rest = {key: item for key, item in envelope.items() if key != "sha256"}
    # Comparing the text too leaves no room for another spelling of the same JSON.
    if envelope.get("sha256") != _digest(rest) or text != _canonical(envelope):
        raise _container.damaged(
            path, f"{_container.ALTERED}: its manifest does not match its SHA-256 digest"
        )
    arrays = _container.read_arrays(path)
    if envelope.get("arrays_sha256") != _digest_arrays(arrays):
        raise _container.damaged(
            path, f"{_container.ALTERED}: its arrays do not match their SHA-256 digest"
        )
    return envelope["manifest"], arrays


_READERS: dict[int, Callable[[Path, dict[str, Any], str], tuple[Manifest, Arrays]]] = {
    1: _read_format_1,
}
"""One reader per format version; a later format adds a line and keeps the older ones."""


# --- what both sides share --------------------------------------------------------------------


def _checked(path: Any) -> str | os.PathLike[str]:
    if not isinstance(path, str | os.PathLike):
        raise ModelFileError(
            f"expected the path of a model file, got {path!r}; write it as text or a pathlib.Path"
        )
    return path


def _canonical(value: Any) -> str:
    """One spelling per value: compact ASCII, keys in the order they came."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _digest(value: Any) -> str:
    return hashlib.sha256(_canonical(value).encode()).hexdigest()


def _digest_arrays(arrays: Arrays) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(_canonical([name, array.dtype.name, array.shape]).encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _library_version() -> str:
    try:
        return metadata.version("nonfat")
    except metadata.PackageNotFoundError:  # a bare checkout on the path
        return "0+unknown"


def _newer(path: Path, envelope: dict[str, Any]) -> ModelFileError:
    return ModelFileError(
        f"{path}: written by nonfat {envelope.get('library_version')} "
        f"(format {envelope['format_version']}); this is nonfat {_library_version()}, which reads "
        f"format {', '.join(map(str, _READERS))}: upgrade with pip install -U nonfat"
    )
