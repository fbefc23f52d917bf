"""Every error and warning that nonfat raises on purpose.

An error says what was expected, what came, and what to do about it. All errors derive from
`NonfatError`, so one ``except`` clause is enough; most also derive from the built-in or
scikit-learn class that a caller would expect.
"""

from sklearn.exceptions import NotFittedError as _SklearnNotFittedError

__all__ = [
    "ChoiceWarning",
    "ConfigError",
    "DataError",
    "DataWarning",
    "ModelFileError",
    "NonfatError",
    "NonfatWarning",
    "NotFittedError",
    "StoppedError",
    "TrainingError",
    "TrainingInterrupted",
    "TrainingWarning",
    "WorkerError",
]


class NonfatError(Exception):
    """Base class of every error that nonfat raises on purpose."""


class DataError(NonfatError, ValueError):
    """The table cannot be used as it is: a column, a row or a file needs mending."""


class ConfigError(NonfatError, ValueError):
    """An option has a value that makes no sense, or options contradict each other."""


class NotFittedError(NonfatError, _SklearnNotFittedError):
    """A method that needs a fitted model was called before ``fit``."""


class ModelFileError(NonfatError, ValueError):
    """A saved model is truncated, altered, foreign, or newer than this library."""


class TrainingError(NonfatError, RuntimeError):
    """Training could not go on (the numbers stopped being finite, for example)."""


class StoppedError(NonfatError, RuntimeError):
    """Ctrl-C stopped a benchmark or a download; the text says what was kept."""


class WorkerError(NonfatError, RuntimeError):
    """A process that ran cells of a benchmark was ended from outside; the text says what to do."""


class NonfatWarning(UserWarning):
    """Base class of every warning that nonfat issues."""


class DataWarning(NonfatWarning):
    """Rows were dropped, or the table is unusual in a way worth knowing."""


class ChoiceWarning(NonfatWarning):
    """Something was chosen for you, as you asked; the text says what, why, and how to choose."""


class TrainingWarning(NonfatWarning):
    """Training ended well enough to use, with something worth knowing."""


class TrainingInterrupted(TrainingWarning):
    """Training was stopped by Ctrl-C; the best model so far was kept."""
