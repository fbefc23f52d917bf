"""The published numbers, against the source of the paper where it is at hand."""

import re

import pytest

from nonfat.evaluation.published import PUBLISHED, STANDS_FOR, published

NAMES = {"Beijing Air Quality": "beijing", "Mobile Ads": "mobile-ads", "DBLP": "dblp"}
SCORES = {"tb:rmse": "relative_rmse", "tb:ll": "log_likelihood"}
NUMBER = re.compile(r"(-?\d\.\d+)\s*\\pm\s*(\d\.\d+)")


def printed(source):
    """Every number of both tables, from LaTeX."""
    found = {}
    for table in re.findall(r"\\begin\{table\*\}.*?\\end\{table\*\}", source, re.S):
        (score,) = (score for label, score in SCORES.items() if f"label{{{label}}}" in table)
        dataset = None
        for line in table.splitlines():
            if heading := re.search(r"\\textit\{([^}]*)\}", line):
                dataset = NAMES[heading[1]]
            for place, pair in enumerate(NUMBER.findall(line)):
                method = line.split("&")[0].strip()
                found[score, dataset, method, (2, 3, 5, 7)[place]] = tuple(map(float, pair))
    return found


def test_every_number_is_the_papers(shared_data):
    path = shared_data("beijing").parents[1] / "paper" / "nonfat-icml2022.tex"
    if not path.exists():
        pytest.skip("needs the source of the paper")
    ours = {key: (number.mean, number.error) for key, number in PUBLISHED.items()}
    assert printed(path.read_text(encoding="utf-8")) == ours


def test_both_tables_are_whole():
    assert len([key for key in PUBLISHED if key[0] == "relative_rmse"]) == 3 * 8 * 4
    assert len([key for key in PUBLISHED if key[0] == "log_likelihood"]) == 3 * 4 * 4


def test_a_row_of_ours_finds_its_number():
    assert published("relative_rmse", "beijing", "NONFAT-paper", 7).mean == 0.326
    assert published("log_likelihood", "ctr10k", "GPCT", 2).error == 0.002
    assert STANDS_FOR["ctr10k"] == "mobile-ads"
    assert published("log_likelihood", "beijing", "NNCT", 2) is None
    assert published("relative_rmse", "beijing", "NONFAT", 3) is None
    assert published("relative_rmse", "beijing", "CellMean", None) is None
