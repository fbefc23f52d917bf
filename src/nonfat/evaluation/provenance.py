"""Where a number comes from: versions, commit, machine, command, date."""

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["provenance"]

_PACKAGES = ("jax", "jaxlib", "numpy", "polars")


def provenance() -> dict[str, Any]:
    """What has to be known to get the same numbers again.

    Returns:
        ``nonfat``, ``commit`` (None outside of a checkout; ``-dirty`` at its end stands for changes
        that are not committed), ``python``, versions of ``jax``, ``jaxlib``, ``numpy`` and
        ``polars``, ``platform``, ``cpu``, ``cpus``, ``device``, ``command`` and ``date`` (UTC).

    Example:
        >>> found = provenance()
        >>> found["cpus"] >= 1, found["date"][:2]
        (True, '20')
    """
    import jax

    import nonfat

    return {
        "nonfat": nonfat.__version__,
        "commit": _commit(Path(__file__).resolve().parents[3]),
        "python": platform.python_version(),
        **{package: metadata.version(package) for package in _PACKAGES},
        "platform": platform.platform(),
        "cpu": _cpu(),
        "cpus": os.cpu_count(),
        "device": jax.devices()[0].device_kind,
        "command": " ".join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _commit(root: Path) -> str | None:
    """The commit of a checkout; an installed package may lie in a repository of someone else's."""
    if not (root / ".git").exists():
        return None
    try:
        commit = _git(root, "rev-parse", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{commit}-dirty" if changed else commit


def _git(root: Path, *words: str) -> str:
    typed = ["git", "-C", str(root), *words]
    done = subprocess.run(typed, capture_output=True, text=True, timeout=10, check=True)
    return done.stdout.strip()


def _cpu() -> str:
    """The model of the processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
