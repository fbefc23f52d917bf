"""The most memory that a process has held."""

import contextlib
import sys
from pathlib import Path

__all__ = ["peak_mb", "restart_peak"]


def peak_mb() -> float | None:
    """Megabytes at the peak, since `restart_peak` where the system lets it, else since the start.

    Returns:
        None where the system does not tell (Windows).

    Example:
        >>> (peak_mb() or 1) > 0
        True
    """
    try:
        import resource
    except ImportError:
        return None
    held = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return held / (2**20 if sys.platform == "darwin" else 2**10)


def restart_peak() -> None:
    """Forget the peak so far: a worker runs several cells (Linux only; silently not elsewhere)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
