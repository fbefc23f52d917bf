"""Between the commands and the terminal: exit codes, and one plain line for each complaint."""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["complain", "run"]

_GONE, _MISTAKE, _STOPPED = 1, 2, 130


def complain(kind: str, message: object) -> None:
    """Write one line to stderr, whatever line breaks the message has."""
    print(f"nonfat: {kind}: {' '.join(str(message).split())}", file=sys.stderr)


def run(command: Any, arguments: list[str] | None) -> int:
    """Run a typer command and turn what it raises into an exit code and a line.

    Errors that are nobody's mistake but ours keep their traceback.
    """
    kept = "nothing was saved"
    with _plain_warnings():
        try:
            code = command.main(arguments, prog_name="nonfat", standalone_mode=False)
            sys.stdout.flush()
        except KeyboardInterrupt:
            code = _STOPPED
        except BrokenPipeError:
            _forget_stdout()
            return _GONE
        except Exception as error:
            if type(error).__name__ == "Abort":  # how older versions of typer tell of Ctrl-C
                code = _STOPPED
            elif type(error).__name__ == "StoppedError":
                code, kept = _STOPPED, str(error)
            elif (message := _mistake(error)) is None:
                raise
            else:
                complain("error", message)
                return _MISTAKE
    if code == _STOPPED:
        print(f"nonfat: interrupted; {kept}", file=sys.stderr)
    return code if isinstance(code, int) else 0


def _mistake(error: Exception) -> str | None:
    """The message of an error that the user can mend; None for any other."""
    if hasattr(error, "format_message"):  # typer's own errors, and those of the click inside it
        return _usage(error)
    from nonfat.errors import NonfatError

    return str(error) if isinstance(error, NonfatError) else None


def _usage(error: Any) -> str:
    """What was typed wrong, and where to read how it should be."""
    options = getattr(error, "possibilities", None)
    if options:
        message = f"No such option: {error.option_name}. Did you mean {options[0]}?"
    else:
        message = error.format_message()
        message += "" if message.endswith((".", "?")) else "."
    context = getattr(error, "ctx", None)
    return f"{message} See '{context.command_path} --help'." if context else message


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Warnings of ours as one line each; those of others as ever."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            from nonfat.errors import NonfatWarning

            if issubclass(category, NonfatWarning):
                complain("warning", message)
            else:
                usual(message, category, *where, **more)

        warnings.showwarning = show
        yield


def _forget_stdout() -> None:
    """Python flushes stdout once more at exit; let that go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
