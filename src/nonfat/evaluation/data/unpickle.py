"""Read a dictionary out of a ``.npy`` file without running what else the file may hold.

The authors published their tensors as dictionaries inside NumPy object arrays, and those are
pickles: programs that may call anything importable. This is the only use of pickle in the library,
and it exists for those files alone. Two fences stand around it: the file's hash is checked before
it gets here, and the unpickler looks up nothing but what NumPy needs to rebuild arrays, dtypes and
scalars. Dictionaries, lists, numbers and text need no lookup at all.
"""

import pickle
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from nonfat.errors import DataError

__all__ = ["read_dictionary"]

_MODULES = ("numpy.core", "numpy._core")  # before NumPy 2, and since
_NAMES = ("multiarray._reconstruct", "multiarray.scalar", "numeric._frombuffer")
_ADMITTED = {("numpy", "ndarray"), ("numpy", "dtype")} | {
    (f"{package}.{name.split('.')[0]}", name.split(".")[1])
    for package in _MODULES
    for name in _NAMES
}


class _ForeignError(Exception):
    """A pickle asks for something that no table needs."""


class _Unpickler(pickle.Unpickler):
    """Knows how NumPy writes arrays, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ADMITTED:
            raise _ForeignError(f"{module}.{name}")
        # Older names lead to where NumPy 2 keeps these, without its warning about them.
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def read_dictionary(path: str | Path) -> dict[Any, Any]:
    """Read the dictionary that ``numpy.save`` put into a file.

    Args:
        path: of a ``.npy`` file with a single object, a dictionary of arrays, lists and numbers.

    Raises:
        DataError: the file holds something else, is damaged, or asks to load anything that is not
            NumPy's.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     np.save(f"{folder}/a.npy", {"nvec": [12, 6]}, allow_pickle=True)
        ...     read_dictionary(f"{folder}/a.npy")
        {'nvec': [12, 6]}
    """
    try:
        with open(path, "rb") as file:
            _skip_header(file, path)
            found = _Unpickler(file).load()
    except _ForeignError as error:
        raise DataError(
            f"{path} wants to load {error}, which no table needs; it was not read. Remove the file "
            "and get it again from its authors"
        ) from None
    except DataError:
        raise
    except Exception as error:  # a damaged pickle can fail in any way
        told = f"{type(error).__name__}: {error}"
        raise DataError(f"{path} cannot be read as a NumPy file ({told})") from error
    content = found.item() if isinstance(found, np.ndarray) and found.size == 1 else found
    if not isinstance(content, dict):
        raise DataError(f"{path} should hold a dictionary, got {type(content).__name__}")
    return content


def _skip_header(file: BinaryIO, path: str | Path) -> None:
    """Go to where the pickle starts."""
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise DataError(f"{path} is of version {version} of NumPy's format; expected 1.0 or 2.0")
    _, _, dtype = read(file)
    if not dtype.hasobject:
        raise DataError(f"{path} should hold a dictionary, got an array of {dtype}")
