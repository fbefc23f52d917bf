"""The container of a saved model: one complete safetensors file with one line of metadata.

Writing is all or nothing. Reading says in plain words what is wrong with a file that is missing,
empty, cut short or of another kind, which safetensors alone reports in terms of its own format.
"""

import json
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from nonfat.errors import ModelFileError

__all__ = ["ALTERED", "damaged", "foreign", "parse_object", "read_arrays", "read_text", "replace"]

ALTERED = "altered since it was saved"

_KEY = "nonfat"
# safetensors refuses to open a file with a longer header, but does not refuse to write one.
_MAX_HEADER = 100_000_000


def replace(target: Path, arrays: dict[str, np.ndarray], text: str) -> None:
    """Write beside the target, then rename: readers see the old file or the new, never a part.

    Examples:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "air.nonfat"
        >>> replace(path, {"mean": np.zeros(3)}, "anything")
        >>> read_text(path), read_arrays(path)["mean"]
        ('anything', array([0., 0., 0.]))
    """
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        _write(temporary, arrays, text)
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except OSError as error:
        raise ModelFileError(
            f"{target}: could not be written ({error.strerror or error}); nothing was changed"
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def _write(temporary: Path, arrays: dict[str, np.ndarray], text: str) -> None:
    with temporary.open("xb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)  # what the user's umask grants
    try:
        save_file(arrays, temporary, metadata={_KEY: text})
    except SafetensorError as error:  # a full disk, for instance
        raise OSError(str(error)) from error
    temporary.chmod(mode)  # some versions of safetensors make the file private to its owner
    with temporary.open("rb+") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > _MAX_HEADER:
            raise ModelFileError(
                f"the manifest takes {length / 1e6:.0f} MB of at most {_MAX_HEADER / 1e6:.0f} MB; "
                "store long lists as arrays"
            )
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_text(path: Path) -> str:
    """The line of metadata, once the file is known to be of our kind and complete."""
    header, start = _read_header(path)
    metadata = header.pop("__metadata__", None)
    text = metadata.get(_KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise foreign(path, "a safetensors file from another program")
    _check_size(path, start, header)
    return text


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """All arrays of the file by name, as writable copies."""
    try:
        with safe_open(path, framework="numpy") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise damaged(path, f"{ALTERED}: safetensors says: {error}") from error


def _read_header(path: Path) -> tuple[dict[str, Any], int]:
    """The safetensors header, JSON after 8 bytes of length, and where the arrays start."""
    if not path.exists():
        raise ModelFileError(f"{path}: no such file; check the path")
    if path.is_dir():
        raise ModelFileError(f"{path}: is a folder; give the path of one model file")
    size = path.stat().st_size
    if size == 0:
        raise damaged(path, "the file is empty")
    with path.open("rb") as file:
        length, first = int.from_bytes(file.read(8), "little"), file.read(1)
        if first != b"{" or not 2 <= length <= _MAX_HEADER:
            raise foreign(path, "some other kind of file")
        if size < 8 + length:
            raise damaged(path, f"truncated: {size} of at least {8 + length} bytes are there")
        text = first + file.read(length - 1)
    if not text.rstrip(b" ").endswith(b"}"):
        raise damaged(path, f"{ALTERED}: its header does not end as it should")
    return parse_object(path, text), 8 + length


def _check_size(path: Path, start: int, header: dict[str, Any]) -> None:
    try:
        ends = [entry["data_offsets"][1] for entry in header.values()]
        expected = start + max(ends, default=0)
    except (KeyError, IndexError, TypeError) as error:
        raise damaged(path, f"{ALTERED}: its header does not list arrays") from error
    size = path.stat().st_size
    if size < expected:
        raise damaged(path, f"truncated: {size} of {expected} bytes are there")
    if size > expected:
        raise damaged(path, f"{ALTERED}: it has {size - expected} bytes too many")


def parse_object(path: Path, text: str | bytes) -> dict[str, Any]:
    """A JSON object."""
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise damaged(path, f"{ALTERED}: its header is not valid JSON") from error
    if not isinstance(parsed, dict):
        raise foreign(path, "some other kind of file")
    return parsed


def foreign(path: Path, what: str) -> ModelFileError:
    """The error for a file that was never ours."""
    return ModelFileError(f"{path}: not a nonfat model but {what}; expected a file from save()")


def damaged(path: Path, what: str) -> ModelFileError:
    """The error for a file that was ours and is not what it was."""
    return ModelFileError(f"{path}: {what}; copy it again from its source")
