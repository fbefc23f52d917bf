"""How far a long read or download has come, told on a terminal."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Tick", "Watched", "byte_bar", "ignore"]

Tick = Callable[[int], None]
"""Is told how many bytes have gone by since the last call."""


def ignore(_count: int) -> None:
    """A `Tick` that shows nothing."""


@contextmanager
def byte_bar(show: bool | None, label: str, total: int | None = None) -> Iterator[Tick]:
    """A function to call with the number of new bytes; it draws a bar, with the time left.

    Args:
        show: True or False; None shows it on a terminal only.
        label: what is being read.
        total: bytes to come, if that is known.

    Example:
        >>> with byte_bar(False, "dblp.xml") as tick:
        ...     tick(1024)
    """
    if show is False or (show is None and not sys.stderr.isatty()):
        yield ignore
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        DownloadColumn(),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda count: bar.advance(task, count)


class Watched(io.FileIO):
    """A file, read in binary, that reports how much of it was read."""

    def __init__(self, path: Any, tick: Tick) -> None:
        super().__init__(path)
        self._tick = tick

    def readinto(self, buffer: Any) -> int | None:
        """Fill a buffer; this is what the buffering layers above call."""
        count = super().readinto(buffer)
        self._tick(count or 0)
        return count

    def readall(self) -> bytes:
        """All that is left at once, which they ask for in another way."""
        content = super().readall()
        self._tick(len(content))
        return content
