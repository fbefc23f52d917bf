"""Papers from ``dblp.xml``: author × conference × keyword → papers per year.

What was decided:

* **Papers.** Articles (their journal is the venue) and papers in proceedings (their book title is).
* **Keywords.** Words of the title, in lower case, three letters or more, without stop words; each
  counts once a paper. They are not stemmed: "network" and "networks" are two.
* **Entities.** The most prolific authors, and the venues and words with most papers, of the years
  chosen; as many as the paper's tensor has. Names that dblp tells apart by a number stay apart.
* **Rows.** One for each author, venue, keyword and year with a paper; there are no zeros.

Two passes: the first counts names, the second papers. The file refers to characters by names that
its DTD declares (``&uuml;``); they are replaced before parsing, so that no DTD is needed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.entities import name2codepoint
from itertools import product
from pathlib import Path
from typing import Any, BinaryIO, cast
from xml.etree import ElementTree

import polars as pl

from nonfat.errors import DataError
from nonfat.evaluation.data.progress import Tick, ignore
from nonfat.evaluation.data.rawfiles import opened
from nonfat.evaluation.data.sampling import Sample, Tally

__all__ = ["LARGEST", "YEARS", "read_dblp"]

LARGEST = (3731, 1935, 169)
"""Authors, venues and keywords of the paper's tensor."""
YEARS = (2011, 2021)

_VENUES = {"article": "journal", "inproceedings": "booktitle"}
_PIECE = 1 << 16
_Events = Iterator[tuple[str, ElementTree.Element]]
_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_XML = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
_LONGEST = 12  # bytes of a reference, more than enough
_WORD = re.compile(r"[^\W\d_]{3,}")
_STOP_WORDS = (
    "about across after all among and any approach are around based been before being between "
    "both but can case does down during each either find for from further get has have her his "
    "how into its itself just less let like make many may more most much need new non not novel "
    "now off one only onto other our out over own per problem same should since some study such "
    "than that the their them then there these they this those three through toward towards two "
    "under until upon use used using very via was ways were what when where whether which while "
    "who whose why will with within without yet you your"
)
_STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True)
class _Paper:
    year: int
    venue: str
    authors: frozenset[str]
    words: frozenset[str]


def read_dblp(
    path: Path,
    rows: int | None = None,
    seed: int = 0,
    tick: Tick = ignore,
    *,
    largest: tuple[int, int, int] = LARGEST,
    years: tuple[int, int] = YEARS,
) -> pl.DataFrame:
    """Read author × conference × keyword → papers per year.

    Memory is that of the rows that are kept and of at most a million names of each kind.

    Args:
        path: of the file, plain or gzipped.
        rows: how many entries to draw at random; None keeps all.
        seed: of the draw.
        tick: is told the bytes that were read, twice the file's.
        largest: how many authors, venues and keywords.
        years: the first and the last.

    Returns:
        Columns ``author``, ``conference``, ``keyword``, ``time`` (the year) and ``value``.

    Raises:
        DataError: the file is no XML that can be understood.
    """
    tallies = (Tally(), Tally(), Tally())
    for paper in _papers(path, years, tick):
        for tally, names in zip(tallies, _names(paper), strict=True):
            tally.update(names)
    kept = [set(tally.commonest(n)) for tally, n in zip(tallies, largest, strict=True)]
    sample = Sample(rows, seed)
    for paper in _papers(path, years, tick):
        known = [names & some for names, some in zip(_names(paper), kept, strict=True)]
        for cell in product(*known):
            sample.add((*cell, paper.year), 1)
    schema: dict[str, Any] = dict.fromkeys(("author", "conference", "keyword"), pl.String)
    schema |= {"time": pl.Int64, "value": pl.Float64}
    found = [(*key, count) for key, count in sample.totals().items()]
    return pl.DataFrame(found, schema, orient="row")


def _names(paper: _Paper) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    return paper.authors, frozenset({paper.venue}), paper.words


def _papers(path: Path, years: tuple[int, int], tick: Tick) -> Iterator[_Paper]:
    """The papers of some years that have a venue."""
    for record in _records(path, tick):
        year = (record.findtext("year") or "").strip()
        venue = record.findtext(_VENUES.get(record.tag, "")) if record.tag in _VENUES else None
        if not venue or not year.isdecimal() or not years[0] <= int(year) <= years[1]:
            continue
        authors = frozenset("".join(author.itertext()) for author in record.iterfind("author"))
        title = record.find("title")
        words = _WORD.findall("" if title is None else "".join(title.itertext()).lower())
        yield _Paper(int(year), venue, authors, frozenset(words) - _STOP)


def _records(path: Path, tick: Tick) -> Iterator[ElementTree.Element]:
    """The children of the root, each forgotten once the next is asked for."""
    parser: ElementTree.XMLPullParser[Any] = ElementTree.XMLPullParser(("start", "end"))
    root: ElementTree.Element | None = None
    depth = 0
    try:
        with opened(path, tick) as file:
            for piece in _pieces(file):
                parser.feed(piece)
                for event, element in cast(_Events, parser.read_events()):
                    depth += 1 if event == "start" else -1
                    if root is None:
                        root = element
                    elif event == "end" and depth == 1:
                        yield element
                        root.clear()  # or it would collect all records
            parser.close()
    except ElementTree.ParseError as error:
        raise DataError(f"{path} is not such XML as dblp.xml is ({error})") from error


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file, with characters by number where they were by name."""
    rest = b""
    while piece := file.read(_PIECE):
        piece = rest + piece
        cut = piece.rfind(b"&", -_LONGEST)
        # A name may go on in the next piece.
        cut = len(piece) if cut < 0 or b";" in piece[cut:] else cut
        yield _ENTITY.sub(_numbered, piece[:cut])
        rest = piece[cut:]
    yield rest


def _numbered(reference: re.Match[bytes]) -> bytes:
    code = name2codepoint.get(reference[1].decode())
    return reference[0] if code is None or reference[1] in _XML else b"&#%d;" % code
