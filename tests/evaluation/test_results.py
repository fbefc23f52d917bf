"""The committed results: tables are what the records say, and the text says what tables say."""

import re
from pathlib import Path

import pytest

from nonfat.evaluation.pages import IN_PAPER, render
from nonfat.evaluation.records import read_all

RESULTS = Path(__file__).parents[2] / "docs" / "results"
SPREAD = ("crps", "mae", "coverage_50", "coverage_80", "coverage_95", "width_95")
TABLES = {
    "tables.md": ("markdown", IN_PAPER),
    "tables.tex": ("latex", IN_PAPER),
    "tables.csv": ("csv", IN_PAPER),
    "spread.md": ("markdown", SPREAD),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_rendered_from_the_records(name):
    assert (RESULTS / name).read_text(encoding="utf-8") == render(RESULTS, *TABLES[name])


def test_every_number_of_the_text_stands_in_a_table():
    said = (RESULTS / "README.md").read_text(encoding="utf-8")
    known = "".join((RESULTS / name).read_text(encoding="utf-8") for name in TABLES)
    numbers = set(re.findall(r"(?<![\d.])\d\.\d{3}(?!\d)", said))
    assert numbers
    assert not [number for number in sorted(numbers) if number not in known]


def test_every_record_says_where_it_comes_from():
    for result in read_all(RESULTS):
        assert not result.failed or result.error
        assert {"commit", "jax", "cpu", "command", "date"} <= set(result.provenance)
        assert "dirty" not in (result.provenance["commit"] or "dirty")


def test_pictures_that_the_page_shows_are_there():
    said = (RESULTS / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"\]\(([^)#:]+)\)", said)
    assert shown
    assert not [name for name in shown if not (RESULTS / name).exists()]
