"""Tables of results as Markdown, LaTeX and CSV."""

import csv
import io
from collections.abc import Callable, Sequence

from nonfat.evaluation.entries import Difference, Entry
from nonfat.evaluation.layout import Page, Row, Section

__all__ = ["FORMS", "csv_text", "latex", "markdown"]

_LEGEND = (
    "Mean ± standard error over runs (folds and seeds); without ±, a single run; the CSV form has "
    "their number. *oracle*: the best test epoch, chosen for "
    "each score by itself, as the paper does, learning from all training rows; *honest*: every "
    "choice is made on a validation part of the training rows, and the test rows are looked at "
    "once; *published*: the paper's number. Bold is the best of its column among its kind: "
    "oracles, published numbers, or honest ones and references; what was run on fewer folds than "
    "the rest says so and does not compete. References have no R. “—”: the method has no such "
    "score."
)
_LEVEL = 0.05
_GAPS = ("method", "R", "reference", "difference", "pairs", "paired t")


def _text(entry: Entry, plus: str = " ± ") -> str:
    """An entry without emphasis; never blank."""
    if entry.state != "done" or entry.mean is None:
        return "—" if entry.state == "none" else entry.state
    error = "" if entry.error is None else f"{plus}{entry.error:.3f}"
    less = [f"{entry.failures} failed"] if entry.failures else []
    less += [entry.partial] if entry.partial else []
    aside = f" ({', '.join(less)})" if less else ""
    return f"{entry.mean:.3f}{error}{aside}"


def _gap(one: Difference, plus: str = " ± ") -> list[str]:
    error = "" if one.error is None else f"{plus}{one.error:.3f}"
    rank = "" if one.rank is None else str(one.rank)
    return [one.row, rank, one.reference, f"{one.mean:+.3f}{error}", str(one.pairs), _verdict(one)]


def _verdict(one: Difference) -> str:
    """What the paired test says, in words."""
    way = "better" if one.better else "worse"
    if one.pairs < 3:
        return f"{way}; too few pairs for a test"
    if one.p is None:
        return f"{way}; all pairs differ by the same"
    sure = "significantly " if one.p < _LEVEL else "not significantly "
    return f"{sure}{way} (p = {one.p:.2g})"


def markdown(pages: Sequence[Page]) -> str:
    """Tables for a page that people read."""
    parts = [_LEGEND]
    for page in pages:
        parts.append(f"## Table {page.number}: {page.title}")
        for section in page.sections:
            parts += [f"### {section.title}", _markdown_section(section)]
            parts += [f"> {remark}" for remark in section.remarks()]
            if section.differences:
                rows = [_gap(one) for one in section.differences]
                parts.append("Paired differences to the best reference (method minus reference):")
                parts.append(_grid([list(_GAPS), *rows]))
    return "\n\n".join(parts) + "\n"


def _markdown_section(section: Section) -> str:
    rows = [["method", "", *section.columns]]
    for row in section.rows:
        cells = [
            f"**{_text(entry)}**" if section.is_best(row, column) else _text(entry)
            for column, entry in enumerate(row.entries)
        ]
        rows.append([row.name, row.which, *cells])
    return _grid(rows)


def _grid(rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def latex(pages: Sequence[Page]) -> str:
    """Tables for a paper, with booktabs."""
    return "\n".join(_latex_page(page) for page in pages)


def _latex_page(page: Page) -> str:
    widest = max((len(section.columns) for section in page.sections), default=0)
    lines = [
        r"\begin{table*}[t]",
        r"\centering\small",
        rf"\begin{{tabular}}{{ll{'c' * widest}}}",
        r"\toprule",
    ]
    for place, section in enumerate(page.sections):
        lines += [r"\midrule"] if place else []
        heading = [rf"\textit{{{_escaped(section.title)}}}", "", *map(_escaped, section.columns)]
        lines += [" & ".join(heading) + r" \\", r"\midrule"]
        lines += [_latex_row(section, row) for row in section.rows]
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{_escaped(page.title)}."]
    for section in page.sections:
        said = [*section.remarks(), *(_told(one) for one in section.differences)]
        lines += [_escaped(f"{section.title}: {' '.join(said)}")] if said else []
    return "\n".join([*lines, "}", r"\end{table*}", ""])


def _latex_row(section: Section, row: Row) -> str:
    cells = []
    for column, entry in enumerate(row.entries):
        text = _text(entry, r" \pm ")
        if entry.state == "done":
            number, lost, rest = text.partition(" (")
            bold = section.is_best(row, column)
            text = (rf"$\mathbf{{{number}}}$" if bold else f"${number}$") + lost + rest
        cells.append(text.replace("—", "---"))
    return " & ".join([_escaped(row.name), row.which, *cells]) + r" \\"


def _told(one: Difference) -> str:
    name, rank, reference, gap, pairs, verdict = _gap(one)
    at = f" at R = {rank}" if rank else ""
    return f"{name}{at} minus {reference}: {gap} over {pairs} pairs, {verdict}."


def _escaped(text: str) -> str:
    for sign in "&%_#":
        text = text.replace(sign, "\\" + sign)
    return text.replace("±", r"$\pm$").replace("“", "``").replace("”", "''")


_HEADING = (
    "table", "score", "dataset", "method", "which", "column", "state", "mean", "standard_error",
    "runs", "failures", "partial", "best", "reference", "p",
)  # fmt: skip


def csv_text(pages: Sequence[Page]) -> str:
    """All entries and paired differences, one a line, for other programs."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_HEADING)
    for page in pages:
        for section in page.sections:
            of = [page.number, section.score, section.dataset]
            for row in section.rows:
                for column, one in enumerate(row.entries):
                    numbers = [one.state, one.mean, one.error, one.runs, one.failures, one.partial]
                    best = int(section.is_best(row, column))
                    heading = section.columns[column]
                    writer.writerow([*of, row.name, row.which, heading, *numbers, best, "", ""])
            for gap in section.differences:
                of_gap = [gap.row, "difference", "" if gap.rank is None else f"R = {gap.rank}"]
                numbers = ["done", gap.mean, gap.error, gap.pairs, 0, ""]
                writer.writerow([*of, *of_gap, *numbers, "", gap.reference, gap.p])
    return file.getvalue()


FORMS: dict[str, Callable[[Sequence[Page]], str]] = {
    "markdown": markdown,
    "latex": latex,
    "csv": csv_text,
}
"""Ways to write tables by name."""
