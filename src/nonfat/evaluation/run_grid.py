"""Runs a grid of benchmark cells: in parallel, resumable, each record written as it comes."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from nonfat.errors import ConfigError, DataError, StoppedError, WorkerError
from nonfat.estimators.options import choice, whole
from nonfat.evaluation.datasets import load_fold
from nonfat.evaluation.grids import Cell
from nonfat.evaluation.records import (
    Result,
    model_path,
    read_result,
    record_path,
    write_result,
)
from nonfat.evaluation.run_cell import run_cell
from nonfat.evaluation.runner import whole_fits

__all__ = ["BACKENDS", "Models", "Ran", "Tell", "run_cells"]

BACKENDS = ("loky", "threading", "dask", "ray")
"""Of joblib: processes of this machine, threads, or a cluster."""

Models = Literal["drop", "keep", "need"]
"""What becomes of fitted models; under "need" a finished cell without one is run again."""

Tell = Callable[[Result, int, int], None]
_ONE_THREAD = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "NPROC": "1"}


@dataclass(frozen=True)
class Ran:
    """What a run came to.

    Attributes:
        kept: cells that had a record already.
        results: of the cells that were run now.
        failed: of all cells of the run, those without scores.
    """

    kept: int
    results: list[Result]
    failed: list[Result]


def run_cells(
    cells: Sequence[Cell],
    out: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    jobs: int | None = 1,
    backend: str = "loky",
    retry: bool = False,
    models: Models = "drop",
    tell: Tell | None = None,
) -> Ran:
    """Run the cells that have no record yet.

    Args:
        cells: what to run, as `nonfat.evaluation.grids.cells` lists it.
        out: the folder of records; of a cluster, one that all machines see.
        folder: of the data, as `nonfat.evaluation.datasets.find_folder` takes it.
        jobs: cells at a time, None for as many as there are cores; with 1 all of them run in this
            process.
        backend: one of `BACKENDS`.
        retry: whether cells that failed before are run again.
        models: whether fitted models are kept beside the records.
        tell: called after each cell with its record, how many are done, and of how many.

    Raises:
        ConfigError: an option makes no sense.
        DataError: data is missing or cannot be used.
        StoppedError: Ctrl-C; the records so far are kept, and the same call goes on from there.
        WorkerError: a process was ended from outside; likewise.
    """
    out = Path(out)
    jobs = _cores() if jobs is None else whole("jobs", jobs)
    choice("backend", backend, list(BACKENDS))
    waiting = [cell for cell in cells if not _finished(out, cell, retry, models)]
    for dataset, fold in dict.fromkeys((cell.dataset, cell.fold) for cell in waiting):
        load_fold(dataset, fold, folder)  # a missing file is a mistake, not each cell's failure
    _make(out)
    data = None if folder is None else os.path.abspath(folder)
    task = _Task(out.absolute(), data, models != "drop", _command(), os.getpid())
    results: list[Result] = []
    try:
        with whole_fits(), _mapped(task, waiting, jobs, backend) as found:
            for result in found:
                results.append(result)
                if tell:
                    tell(result, len(results), len(waiting))
    except KeyboardInterrupt as stopped:
        raise StoppedError(
            f"{len(results)} of {len(waiting)} cells were run and are kept in {out}; "
            "the same command goes on from there"
        ) from stopped
    except BrokenExecutor as broken:
        raise WorkerError(
            f"a process that ran a cell was ended from outside; often the system does so when "
            f"memory runs out. {len(results)} of {len(waiting)} cells were run and are kept in "
            f"{out}; the same command goes on from there, and fewer jobs (now {jobs}) need less"
        ) from broken
    # Cells that this run left alone may have failed before.
    failed = [one for cell in cells if (one := read_result(record_path(out, cell))).failed]
    return Ran(len(cells) - len(waiting), results, failed)


@dataclass(frozen=True)
class _Task:
    """What a worker needs to run a cell; it goes to other processes and machines."""

    out: Path
    folder: str | None
    keep: bool
    command: str
    home: int

    def __call__(self, cell: Cell) -> Result:
        if os.getpid() == self.home:
            return self._run(cell)
        # A process of our own: one cell, one core. The caller's process is left as it is.
        os.environ.update(_ONE_THREAD)
        try:
            with whole_fits():
                return self._run(cell)
        finally:
            _forget_programs()

    def _run(self, cell: Cell) -> Result:
        model = model_path(self.out, cell) if self.keep else None
        result = run_cell(cell, self.folder, model)
        # A worker's own command says nothing.
        origin = {**result.provenance, "command": self.command, "pid": os.getpid()}
        result = replace(result, provenance=origin)
        write_result(self.out, result)
        return result


@contextmanager
def _mapped(
    task: _Task, cells: Sequence[Cell], jobs: int, backend: str
) -> Iterator[Iterator[Result]]:
    """The results as they come, from joblib."""
    from joblib import Parallel, delayed, parallel_config

    with ExitStack() as stack:
        try:
            options = _prepared(backend, jobs, stack)
            stack.enter_context(parallel_config(backend=backend, **options))
            run = Parallel(return_as="generator_unordered", batch_size=1)
        except (ImportError, ValueError) as error:
            raise ConfigError(
                f"backend {backend!r} cannot be used here ({_line(error)}); install it, or use loky"
            ) from error
        stack.enter_context(warnings.catch_warnings())
        # That it replaces a process which has grown is joblib's own business.
        warnings.filterwarnings("ignore", message="A worker stopped while", category=UserWarning)
        found = run(delayed(task)(cell) for cell in cells)
        try:
            yield found
        finally:
            found.close()


def _prepared(backend: str, jobs: int, stack: ExitStack) -> dict[str, Any]:
    """What a backend needs before it can be named, and its options."""
    if backend == "dask":
        stack.enter_context(_dask_cluster(jobs))
        return {"n_jobs": -1}
    if backend == "ray":
        from ray.util.joblib import register_ray

        register_ray()
        return {"n_jobs": -1}
    # Only processes that joblib starts itself can be given a number of threads to begin with.
    threads = {"inner_max_num_threads": 1} if backend == "loky" and jobs > 1 else {}
    return {"n_jobs": jobs, **threads}


@contextmanager
def _dask_cluster(jobs: int) -> Iterator[None]:
    """The cluster that the caller or DASK_SCHEDULER_ADDRESS names, else one of this machine."""
    import dask
    from distributed import Client, default_client

    try:
        default_client()
    except ValueError:
        address = dask.config.get("scheduler-address", None)
        local = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
        with Client(address) if address else Client(**local):
            yield
    else:
        yield


def _finished(out: Path, cell: Cell, retry: bool, models: Models) -> bool:
    path = record_path(out, cell)
    if not path.is_file():
        return False
    try:
        result = read_result(path)
    except DataError:
        return False  # of another version, or cut short by a full disk
    if result.failed:
        return not retry
    return models != "need" or model_path(out, cell).is_file()


def _make(out: Path) -> None:
    try:
        (out / "cells").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{out} cannot be a folder ({error.strerror or error})") from error


def _cores() -> int:
    from joblib import cpu_count

    return int(cpu_count())


def _forget_programs() -> None:
    """A system gives a process so many maps of memory, and compiled programs use them up."""
    import jax

    jax.clear_caches()


def _command() -> str:
    return " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
