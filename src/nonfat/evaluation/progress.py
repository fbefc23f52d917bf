"""A progress bar over the cells of a benchmark."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from nonfat.evaluation.records import Result
from nonfat.evaluation.run_grid import Tell

__all__ = ["cell_bar"]


@contextmanager
def cell_bar(show: bool | None) -> Iterator[Tell | None]:
    """A callback for `run_cells` that shows cells done, time left and failures on stderr.

    Args:
        show: True or False; None shows it on a terminal only.

    Example:
        >>> with cell_bar(False) as tell:
        ...     print(tell)
        None
    """
    if show is False or (show is None and not sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (
        TextColumn("cells"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        Remaining(),
        TextColumn("{task.description}", markup=False),
    )
    # Cells differ a thousandfold in length: an estimate from the last half minute says nothing.
    bar = Progress(*columns, console=Console(stderr=True), speed_estimate_period=1e6)
    with bar:
        task = bar.add_task("", total=None)

        def tell(result: Result, done: int, count: int) -> None:
            bar.update(task, completed=done, total=count, description=result.cell.key)
            if result.failed:
                bar.console.print(f"{result.cell.key} failed: {result.error}", markup=False)

        yield tell
