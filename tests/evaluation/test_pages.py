"""Tables of made-up records: every entry says something, and the text says what is true."""

import csv
import io

import pytest

from nonfat.errors import ConfigError, DataError
from nonfat.evaluation.entries import differences, entry
from nonfat.evaluation.grids import Cell
from nonfat.evaluation.pages import pages, render
from nonfat.evaluation.records import PACK, Result, read_all, write_pack, write_result
from nonfat.evaluation.sheets import csv_text, latex, markdown


def made(method, value, *, rank=3, seed=0, protocol="honest", fold=0, part="published", **more):
    """A record whose error is a number and whose likelihood is minus that."""
    kind = "reference" if method in ("CellMean", "GlobalMean") else "method"
    cell = Cell("beijing", fold, protocol, part, method, rank if kind == "method" else None, seed)
    if value is None:
        return Result(cell, kind, "failed", error="it broke", **more)
    scores = {"relative_rmse": value, "log_likelihood": -value}
    oracle = {name: {"value": score * 0.9, "epoch": 1} for name, score in scores.items()}
    return Result(cell, kind, "done", scores, oracle=oracle if protocol == "paper" else {}, **more)


RECORDS = [
    made("NONFAT", 0.25, seed=0),
    made("NONFAT", 0.21, seed=1),
    made("NONFAT", 0.22, seed=2),
    made("NONFAT-paper", 0.4, protocol="paper"),
    made("GPCT", None),
    made("CellMean", 0.2),
]
GOLDEN = """\
| method | | R = 2 | R = 3 | R = 5 | R = 7 |
| NONFAT | oracle | not run | not run | not run | not run |
| NONFAT | honest | not run | 0.227 ± 0.012 | not run | not run |
| NONFAT-paper | oracle | not run | **0.360** | not run | not run |
| NONFAT-paper | honest | not run | not run | not run | not run |
| NONFAT-paper | published | **0.340 ± 0.006** | **0.315 ± 0.001** | **0.314 ± 0.001** | \
0.326 ± 0.006 |
| GPCT | honest | not run | failed | not run | not run |
| NNDTL | published | 0.356 ± 0.003 | 0.358 ± 0.005 | 0.333 ± 0.003 | **0.315 ± 0.002** |
| CellMean | reference | **0.200** | **0.200** | **0.200** | **0.200** |
| GlobalMean | reference | not run | not run | not run | not run |
"""


def lines(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def test_table_one_has_the_papers_layout():
    found = lines(markdown(pages(RECORDS)))
    assert [line for line in found if line.startswith("## ")] == [
        "## Table 1: RMSE, which here as in the paper is relative: RMSE / RMS of the test values",
        "## Table 2: mean test log likelihood",
    ]
    first = found[: found.index("## Table 2: mean test log likelihood")]
    assert not set(lines(GOLDEN)) - set(first)
    told = [line for line in first if line.startswith("|")]
    published = [line.split()[1] for line in told if "| published |" in line]
    order = "NONFAT-paper CPCT GPCT NNCT GPDTL NNDTL GPDTN NNDTN"
    assert " ".join(published) == order  # the paper's
    assert not [line for line in told[2:] if "| |" in line]  # nothing is blank


def test_it_says_so_where_no_method_beats_the_references():
    found = lines(markdown(pages(RECORDS)))
    assert (
        "> No method beats the references at R = 3 (honest): CellMean has 0.200, the best method, "
        "NONFAT, 0.227." in found
    )
    assert not any("at R = 2" in line for line in found)
    better = [made("NONFAT", 0.1), made("CellMean", 0.2)]
    assert "No method beats" not in markdown(pages(better))


def test_paired_differences():
    (gap,) = differences(RECORDS[:3] + RECORDS[-1:], "relative_rmse")
    assert (gap.row, gap.rank, gap.reference, gap.pairs) == ("NONFAT", 3, "CellMean", 3)
    assert gap.mean == pytest.approx(0.08 / 3)
    assert not gap.better
    from scipy.stats import ttest_1samp

    assert gap.p == pytest.approx(ttest_1samp([0.05, 0.01, 0.02], 0.0).pvalue)
    found = lines(markdown(pages(RECORDS)))
    assert (
        "| NONFAT | 3 | CellMean | +0.027 ± 0.012 | 3 | not significantly worse (p = 0.16) |"
        in (found)
    )


def test_pairs_are_of_the_same_rows():
    runs = [made("NONFAT", 0.1 * fold, fold=fold) for fold in (1, 2, 3)]
    marks = [made("CellMean", 0.1 * fold + 0.01, fold=fold) for fold in (1, 2, 4)]
    (gap,) = differences([*runs, *marks], "relative_rmse")
    assert (gap.pairs, gap.better, gap.p) == (2, True, None)
    assert gap.mean == pytest.approx(-0.01)


def test_failed_runs_beside_good_ones_are_counted():
    found = entry([made("NONFAT", 0.2), made("NONFAT", None, seed=1)], "relative_rmse")
    assert (found.mean, found.runs, found.failures, found.error) == (0.2, 1, 1, None)
    both = [made("NONFAT", 0.2), made("NONFAT", None, seed=1)]
    assert "0.200 (1 failed)" in markdown(pages(both))


def test_other_protocols_have_tables_of_their_own():
    runs = [
        made(method, value + number / 100, protocol="resplit", part=f"random-{number}")
        for method, value in (("NONFAT", 0.1), ("CellMean", 0.2))
        for number in (1, 2, 3)
    ]
    late = [made("NONFAT", 0.3, protocol="forecast", part="last-10%")]
    found = lines(markdown(pages(runs + late)))
    assert "| NONFAT, R = 3 | honest | **0.120 ± 0.006** |" in found
    assert "| NONFAT, R = 3 | honest | **0.300** | not run |" in found
    assert any("protocol forecast: the last part of the time held out" in line for line in found)


def test_latex_and_csv_say_the_same():
    text = latex(pages(RECORDS))
    assert r"NONFAT & honest & not run & $0.227 \pm 0.012$ & not run & not run \\" in text
    assert r"CellMean & reference & $\mathbf{0.200}$" in text
    assert text.count(r"\begin{table*}") == text.count(r"\end{table*}") == 2
    assert "No method beats the references" in text
    rows = list(csv.DictReader(io.StringIO(csv_text(pages(RECORDS)))))
    (row,) = (
        row for row in rows
        if (row["table"], row["method"], row["which"], row["column"])
        == ("1", "NONFAT", "honest", "R = 3")
    )  # fmt: skip
    assert float(row["mean"]) == pytest.approx(0.68 / 3)
    assert (row["runs"], row["state"], row["best"]) == ("3", "done", "0")
    assert {row["state"] for row in rows} == {"done", "failed", "not run"}


def test_a_folder_becomes_text(tmp_path):
    for record in RECORDS:
        write_result(tmp_path, record)
    assert render(tmp_path) == markdown(pages(RECORDS))
    with pytest.raises(ConfigError, match="format must be one of"):
        render(tmp_path, "word")
    with pytest.raises(ConfigError, match="holds no benchmark records"):
        render(tmp_path / "nowhere")


def test_any_score_of_the_records_can_be_a_table():
    one = made("NONFAT", 0.2)
    one.scores.update(crps=0.1, coverage_80=0.75)
    two = made("CellMean", 0.3)
    two.scores.update(crps=0.05, coverage_80=0.81)
    found = lines(markdown(pages([one, two], ["crps", "coverage_80"])))
    crps, coverage = (found.index(line) for line in found if line.startswith("## "))
    assert found[crps] == (
        "## Table 1: continuous ranked probability score, in the units of the values"
    )
    assert "| NONFAT | honest | not run | 0.100 | not run | not run |" in found[crps:coverage]
    assert "| CellMean | reference | **0.050** | **0.050** | **0.050** | **0.050** |" in found
    # a coverage should hit its mark: neither more nor less is better
    assert "| NONFAT | honest | not run | 0.750 | not run | not run |" in found[coverage:]
    assert "| CellMean | reference | 0.810 | 0.810 | 0.810 | 0.810 |" in found[coverage:]
    assert not any("Paired" in line or "No method" in line for line in found[coverage:])
    assert not any(
        "oracle" in line for line in found[2:] if line.startswith("|")
    )  # never looked at


def test_a_score_that_is_none(tmp_path):
    write_result(tmp_path, RECORDS[0])
    with pytest.raises(ConfigError, match="did you mean 'crps'"):
        render(tmp_path, scores=["crsp"])


def test_a_pack_of_records_stands_for_them(tmp_path):
    origin = {"command": f"nonfat bench run --data {tmp_path}", "commit": "abc"}
    looked = made(
        "NONFAT", float("inf"), protocol="paper", seed=9, looks=[{"epoch": 1}], provenance=origin
    )
    for record in (*RECORDS, looked):
        write_result(tmp_path / "apart", record)
    together = tmp_path / "together"
    together.mkdir()
    write_pack(together / PACK, read_all(tmp_path / "apart"))
    assert render(together) == render(tmp_path / "apart")
    assert not any(record.looks for record in read_all(together))  # the most of them
    told = [record.provenance for record in read_all(together) if record.cell.seed == 9]
    assert told == [{"command": f"nonfat bench run --data {tmp_path.name}", "commit": "abc"}]
    write_result(together, made("CellMean", 0.3))  # run again since: it counts, once
    assert len(read_all(together)) == len(RECORDS) + 1
    assert "| **0.300** |" in render(together)
    with (together / PACK).open("a") as file:
        file.write('{"format": 1}')
    with pytest.raises(DataError, match=r"records.jsonl does not hold records .* pack them again"):
        render(together)


def test_what_was_run_on_fewer_folds_is_no_match_for_the_rest():
    whole = [made("CellMean", 0.3, fold=fold) for fold in range(2)]
    whole += [made("NNCT", 0.25, fold=fold) for fold in range(2)]
    easy = [made("NONFAT", 0.1, fold=1), made("GlobalMean", 0.05, fold=1)]
    found = lines(markdown(pages([*whole, *easy])))
    assert "| NONFAT | honest | not run | 0.100 (fold 1 only) | not run | not run |" in found
    assert "| NNCT | honest | not run | **0.250 ± 0.000** | not run | not run |" in found
    paired = [line for line in found if line.startswith("| NNCT | 3 | CellMean | -0.050")]
    assert paired  # not GlobalMean, which met the easier fold alone
    (row,) = [
        row
        for row in csv.DictReader(io.StringIO(csv_text(pages([*whole, *easy]))))
        if (row["method"], row["which"], row["column"], row["table"])
        == ("NONFAT", "honest", "R = 3", "1")
    ]
    assert row["partial"] == "fold 1 only"
    assert "$0.100$ (fold 1 only)" in latex(pages([*whole, *easy]))
