"""Download a file and believe it only if its hash is right.

What has come goes to a ``.part`` file, which a later call continues (an HTTP Range request). Only
a complete file with the right hash takes its name, in one step.
"""

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nonfat.errors import DataError
from nonfat.evaluation.data.checks import Check
from nonfat.evaluation.data.progress import Tick, ignore

__all__ = ["download"]

_PIECE = 1 << 16
_PATIENCE = 30.0  # seconds without a byte
_TRIES = 4  # in a row without a new byte
_FAULTS = (OSError, http.client.HTTPException)  # URLError and time-outs are OSErrors
_NO_HOPE = (400, 401, 403, 404, 410, 451)  # asking again would be answered alike
_LOCAL = "use a folder that holds the splits (--data FOLDER, or NONFAT_DATA)"


class _GoneError(Exception):
    """The server has answered, and will not give the file."""


def download(
    address: str,
    path: Path,
    check: Check,
    tick: Tick = ignore,
    *,
    pause: Callable[[float], None] | None = None,
) -> None:
    """Get a file; where it was broken off before, go on.

    Args:
        address: its URL.
        path: where it should be; nothing may be there yet.
        check: the hash that it should have.
        tick: is told the bytes as they come.
        pause: waits for some seconds between two tries; by default it really does.

    Raises:
        DataError: it cannot be had, or is not the published file. The message says what to do.
    """
    pause = pause or time.sleep
    part = path.with_name(f"{path.name}.part")
    resumed = part.exists()
    tick(_size(part))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _collect(address, part, tick, pause)
        if resumed and not check.matches(part):  # the beginning may be that of an older version
            part.unlink()
            _collect(address, part, tick, pause)
    except (*_FAULTS, _GoneError) as error:
        raise DataError(_sorry(address, path, part, error)) from error
    found = check.of(part)
    if found != check.digest:
        part.unlink()
        raise DataError(
            f"{address} is not the published file: its {check.kind} is {found}, expected "
            f"{check.digest}; nothing was kept. Copy the published file by hand to {path}, or "
            f"{_LOCAL}"
        )
    part.replace(path)


def _collect(address: str, part: Path, tick: Tick, pause: Callable[[float], None]) -> None:
    """Fill the part to its end, over as many connections as that takes."""
    failures, reached = 0, 0
    while True:
        try:
            if _more(address, part, tick):
                return
            fault: Exception = ConnectionError("the connection broke off")
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in _NO_HOPE:
                raise _GoneError(f"the server says {error.code} {error.reason}") from error
            fault = error
        except _FAULTS as error:
            fault = error
        size = _size(part)
        failures = 1 if size > reached else failures + 1
        reached = max(size, reached)
        if failures >= _TRIES or isinstance(fault, PermissionError):
            raise fault
        pause(0.25 * 2**failures)


def _more(address: str, part: Path, tick: Tick) -> bool:
    """Add what one connection gives; whether the file is complete now."""
    have = _size(part)
    request = urllib.request.Request(address, headers={"User-Agent": "nonfat"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        response = urllib.request.urlopen(request, timeout=_PATIENCE)
    except urllib.error.HTTPError as error:
        if error.code == 416 and have:  # there is nothing beyond what we have: the hash will tell
            error.close()
            return True
        raise
    with response:
        goes_on = response.status == 206 and _starts_at(response, have)
        if response.status == 206 and not goes_on:
            part.unlink()  # an answer to some other question
            return False
        return _append(response, part, tick, have if goes_on else 0)


def _append(response: Any, part: Path, tick: Tick, have: int) -> bool:
    """Write a response behind the first `have` bytes; whether it came to its announced end."""
    announced = response.headers.get("Content-Length")
    count = 0
    with part.open("ab" if have else "wb") as file:
        while piece := response.read(_PIECE):
            file.write(piece)
            count += len(piece)
            tick(len(piece))
    return announced is None or count == int(announced)


def _starts_at(response: Any, start: int) -> bool:
    return str(response.headers.get("Content-Range", "")).startswith(f"bytes {start}-")


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _sorry(address: str, path: Path, part: Path, error: Exception) -> str:
    """What went wrong, and the ways out."""
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
    kept = _size(part)
    again = f"The {kept:,} bytes that came are kept: run the command again to go on. Or c"
    return (
        f"{address} could not be downloaded ({reason}). {again if kept else 'C'}opy the file by "
        f"hand to {path}, or {_LOCAL}"
    )
