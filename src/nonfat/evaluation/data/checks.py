"""Is a file the one that was published? Its hash tells, before anything in it is read."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = ["Check"]

_PIECE = 1 << 20


@dataclass(frozen=True)
class Check:
    """The hash that a file should have.

    Attributes:
        kind: ``"sha256"``, or ``"git blob"`` for the name that git gives to a file's content.
        digest: in hexadecimal.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile() as empty:
        ...     Check("git blob", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391").matches(empty.name)
        True
    """

    kind: Literal["sha256", "git blob"]
    digest: str

    def of(self, path: str | Path) -> str:
        """The hash of this kind that a file has."""
        if self.kind == "sha256":
            state = hashlib.sha256()
        else:
            state = hashlib.sha1(usedforsecurity=False)
            # A blob is its size and its content; git hashes both.
            state.update(b"blob %d\0" % Path(path).stat().st_size)
        with open(path, "rb") as file:
            while piece := file.read(_PIECE):
                state.update(piece)
        return state.hexdigest()

    def matches(self, path: str | Path) -> bool:
        """Whether a file is the published one."""
        return self.of(path) == self.digest
