"""The tables of a benchmark: the paper's two in its own layout, and those of other protocols."""

import os
from collections.abc import Sequence
from pathlib import Path

from nonfat.estimators.options import choice
from nonfat.evaluation import sheets
from nonfat.evaluation.entries import differences, entry, label, printed
from nonfat.evaluation.grids import GRIDS, RANKS
from nonfat.evaluation.judge import LEVELS, LOOKED_AT, SCORES
from nonfat.evaluation.layout import Page, Row, Section
from nonfat.evaluation.protocols import PROTOCOLS
from nonfat.evaluation.records import Result, read_all
from nonfat.evaluation.suites import contenders

__all__ = ["IN_PAPER", "pages", "render"]

IN_PAPER = ("relative_rmse", "log_likelihood")
"""The scores of the paper's Tables 1 and 2."""

_TITLES = {
    "relative_rmse": "RMSE, which here as in the paper is relative: RMSE / RMS of the test values",
    "log_likelihood": "mean test log likelihood",
    "rmse": "RMSE, in the units of the values",
    "mae": "mean absolute error, in the units of the values",
    "crps": "continuous ranked probability score, in the units of the values",
    **{f"coverage_{level}": f"share of test values in their {level}% interval" for level in LEVELS},
    **{f"width_{level}": f"mean width of the {level}% intervals" for level in LEVELS},
}
_NAMES = {
    "beijing": "Beijing Air Quality",
    "mobile-ads": "Mobile Ads",
    "dblp": "DBLP",
    "ctr10k": "ctr10k (in place of Mobile Ads)",
}
_NOTES = {
    "beijing": [
        "The five released folds of Beijing are one and the same split, so that any ± is of seeds "
        "alone."
    ],
    "dblp": ["97% of the values of DBLP are 1, so that a constant does well (see GlobalMean)."],
}
_PUBLISHED_NOTES = {
    "beijing": [
        "Of the published rows CPCT and NNCT are no better than predicting zero, which has 1.000, "
        "and GPDTL and GPDTN are what static effects give (see CellMean): they say nothing about "
        "these methods."
    ],
    "dblp": ["The published CPCT is what predicting zero gives."],
    "ctr10k": [
        "ctr10k is a smaller extract of the same click log as the paper's Mobile Ads: the "
        "published rows are of other data and no mark for ours."
    ],
}
_PUBLISHED_SPLIT = ("honest", "paper")


def render(
    folder: str | os.PathLike[str], form: str = "markdown", scores: Sequence[str] = IN_PAPER
) -> str:
    """The tables of a folder of records as text.

    Args:
        folder: that `nonfat.evaluation.run_grid.run_cells` filled.
        form: "markdown", "latex" or "csv".
        scores: a table for each; of `nonfat.evaluation.judge.SCORES`.

    Raises:
        ConfigError: the folder holds no records, or there is no such form or score.
    """
    write = sheets.FORMS[choice("format", form, list(sheets.FORMS))]
    chosen = [choice("score", score, list(SCORES)) for score in scores]
    return write(pages(read_all(Path(folder)), chosen))


def pages(results: Sequence[Result], scores: Sequence[str] = IN_PAPER) -> list[Page]:
    """A table of each score, the paper's protocols first, then the others that were run."""
    titles = {score: _TITLES[score] for score in scores}
    chosen = [result for result in results if result.cell.protocol in _PUBLISHED_SPLIT]
    found = [
        Page(number, title, [_paper_section(chosen, score, name) for name in _datasets(chosen)])
        for number, (score, title) in enumerate(titles.items(), 1)
    ]
    for name, rules in PROTOCOLS.items():
        ran = [result for result in results if result.cell.protocol == name]
        for score, title in titles.items() if ran and name not in _PUBLISHED_SPLIT else ():
            sections = [_other_section(ran, score, dataset, name) for dataset in _datasets(ran)]
            heading = f"{title}; protocol {name}: {rules.meaning}"
            found.append(Page(len(found) + 1, heading, sections))
    return found


def _datasets(results: Sequence[Result]) -> list[str]:
    """Those with records, in the paper's order."""
    order = [*_NAMES, *(result.cell.dataset for result in results)]
    return sorted({result.cell.dataset for result in results}, key=order.index)


def _rows(results: Sequence[Result]) -> tuple[list[str], list[str]]:
    """Rows of methods and of references: those of the paper, then whatever else was run."""
    order = GRIDS["paper"].methods
    rows = contenders(order)
    rows.sort(key=lambda row: order.index(row.name) if row.name in order else len(order))
    methods, references = (
        dict.fromkeys(
            [
                *(row.name for row in rows if row.kind == kind),
                *(label(result) for result in results if result.kind == kind),
            ]
        )
        for kind in ("method", "reference")
    )
    return list(methods), list(references)


def _paper_section(results: Sequence[Result], score: str, dataset: str) -> Section:
    """Methods × R: oracle, honest and published, one below another."""
    mine = [result for result in results if result.cell.dataset == dataset]
    honest = [result for result in mine if result.cell.protocol == "honest"]
    oracle = [result for result in mine if result.cell.protocol == "paper"]
    ranks = sorted({*RANKS, *(result.cell.rank for result in mine if result.cell.rank)})
    methods, references = _rows(mine)
    folds = {result.cell.fold for result in mine}
    rows = []
    for name in methods:
        for which, runs in (("oracle", oracle), ("honest", honest))[score not in LOOKED_AT :]:
            entries = [entry(_of(runs, name, rank), score, which, folds) for rank in ranks]  # type: ignore[arg-type]
            rows.append(Row(name, which, entries))  # type: ignore[arg-type]
        published = [printed(score, dataset, name, rank) for rank in ranks]
        if any(one.state == "done" for one in published):
            rows.append(Row(name, "published", published))
    for name in references:  # they have no R: the same number stands in each column
        rows.append(
            Row(name, "reference", [entry(_of(honest, name), score, folds=folds)] * len(ranks))
        )
    columns = [f"R = {rank}" for rank in ranks]
    title = _NAMES.get(dataset, dataset)
    notes = _NOTES.get(dataset, []) + (
        _PUBLISHED_NOTES.get(dataset, []) if score in IN_PAPER else []
    )
    return Section(score, dataset, title, columns, rows, differences(honest, score), notes)


def _other_section(results: Sequence[Result], score: str, dataset: str, protocol: str) -> Section:
    """Methods and their R × parts; random splits are runs of one and the same thing."""
    mine = [result for result in results if result.cell.dataset == dataset]
    parts = PROTOCOLS[protocol].parts
    columns = {"five splits": parts} if protocol == "resplit" else {one: (one,) for one in parts}
    methods, references = _rows(mine)
    ran = {label(result) for result in mine}
    rows = []
    for name in (*(one for one in methods if one in ran), *references):
        which = "reference" if name in references else "honest"
        ranks = sorted({one.cell.rank for one in mine if label(one) == name}, key=lambda R: R or 0)
        for rank in ranks or [None]:
            runs = _of(mine, name, rank)
            cells = [
                entry([run for run in runs if run.cell.part in chosen], score)
                for chosen in columns.values()
            ]
            rows.append(Row(f"{name}, R = {rank}" if rank else name, which, cells))  # type: ignore[arg-type]
    gaps = differences(mine, score) if protocol == "resplit" else []
    return Section(score, dataset, _NAMES.get(dataset, dataset), [*columns], rows, gaps)


def _of(results: Sequence[Result], name: str, rank: int | None = None) -> list[Result]:
    return [one for one in results if label(one) == name and one.cell.rank == rank]
