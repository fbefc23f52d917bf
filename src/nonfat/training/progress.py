"""A progress bar on the terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from nonfat.training.callbacks import Callback, EpochReport

__all__ = ["progress_bar"]


def _text(report: EpochReport) -> str:
    elbo = "ELBO not finite" if report.elbo is None else f"ELBO {report.elbo:+.3f}"
    score = "" if report.best is None else f" · validation {report.best:+.3f}"
    rate = report.epoch / max(report.seconds, 1e-9)
    return f"{elbo}{score} · {rate:.1f} epochs/s"


def _ignore(report: EpochReport) -> None:
    pass


@contextmanager
def progress_bar(show: bool | None, label: str) -> Iterator[Callback]:
    """A callback that draws epoch, ELBO, best validation score, rate and time left.

    Args:
        show: True or False; None shows it on a terminal only.
        label: what is being trained.

    Example:
        >>> with progress_bar(False, "NONFAT") as tick:
        ...     tick(EpochReport(1, 10, -0.5, None, None, 0.1))
    """
    if show is False or (show is None and not sys.stderr.isatty()):
        yield _ignore
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[text]}"),
        Remaining(compact=True),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None, text="compiling")
        yield lambda report: bar.update(
            task, completed=report.epoch, total=report.epochs, text=_text(report)
        )
