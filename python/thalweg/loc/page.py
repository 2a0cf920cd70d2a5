# SPDX-License-Identifier: Apache-2.0
"""The tables of counts: on the terminal, and in docs/loc.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from thalweg.config.checkout import ROOT
from thalweg.dsl.configuration import TARGETS
from thalweg.loc.cocomo import MODES, Estimate
from thalweg.loc.counts import Counts, total
from thalweg.loc.measure import Compared, Row, by_model, share_of
from thalweg.tables import table_text

PAGE_PATH = ROOT / "docs" / "loc.md"
BEGIN, END = "<!-- thalweg loc --markdown -->\n", "<!-- end -->\n"
NONE = "-"  # a target that a kernel is not translated for


@dataclass(frozen=True)
class Table:
    """Words in its first column, figures in the others. last: words in the last one, too."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    last: bool = False

    @property
    def figures(self) -> Sequence[str]:
        return self.heads[1 : len(self.heads) - self.last]

    def as_text(self) -> str:
        return table_text(self.heads, self.rows, right=self.figures)

    def as_markdown(self) -> str:
        lines = ["---:" if head in self.figures else "---" for head in self.heads]
        return "".join(f"| {' | '.join(row)} |\n" for row in (self.heads, lines, *self.rows))


def code_table(rows: Sequence[Row]) -> Table:
    """Lines/statements/characters; how many lines of code for one written."""
    heads = ["kernel", "written", *TARGETS, "lines for one"]
    cells = [
        [row.name, str(row.written), *(_cell(row.code, each) for each in TARGETS), _growth(row)]
        for row in rows
    ]
    return Table(heads, cells)


def _cell(code: Mapping[str, Counts], target: str) -> str:
    return str(code[target]) if target in code else NONE


def _growth(row: Row) -> str:
    return "{:.1f} to {:.1f}".format(*row.growth) if row.growth else NONE


def originals_table(compared: Sequence[Compared]) -> Table:
    """Lines; heads: lines of ours that are decorators, names and arguments of kernels."""
    heads = ["original", "its lines", "ours", "heads", "statements", "ours/its", "our kernels"]
    cells = [
        [each.original.name, *_figures([each]), ", ".join(each.original.kernels)]
        for each in compared
    ]
    cells += [[model, *_figures(each), ""] for model, each in by_model(compared).items()]
    cells.append(["all", *_figures(compared), ""])
    return Table(heads, cells, last=True)


def _figures(compared: Sequence[Compared]) -> list[str]:
    written = total(each.written for each in compared)
    return [
        str(sum(each.original.lines for each in compared)),
        str(written.lines),
        str(sum(each.head for each in compared)),
        str(written.statements),
        f"{share_of(compared):.2f}",
    ]


def cost_table(estimates: Sequence[Estimate]) -> Table:
    heads = ["model", "lines left", "KLOC"]
    heads += [f"{mode.name}, {unit}" for mode in MODES for unit in ("person-months", "M euros")]
    cells = []
    for each in estimates:
        cells.append([each.name, f"{100.0 * each.share:.0f} %", f"{each.kloc:.0f}"])
        for mode in MODES:
            cells[-1] += [f"{each.months(mode):.0f}", f"{each.million_euros(mode):.1f}"]
    return Table(heads, cells)


def made_part(
    rows: Sequence[Row], compared: Sequence[Compared], estimates: Sequence[Estimate]
) -> str:
    """What stands in docs/loc.md between BEGIN and END."""
    parts = {
        "Kernels": code_table(rows),
        "Originals": originals_table(compared),
        "Cost": cost_table(estimates),
    }
    return "\n".join(f"### {name}\n\n{table.as_markdown()}" for name, table in parts.items())


def made_part_of(page: str) -> str:
    return page.partition(BEGIN)[2].partition(END)[0]


def write_page(made: str) -> str:
    """The path of the page, whose other parts stay as they are."""
    page = PAGE_PATH.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE_PATH.write_text(f"{before}{BEGIN}{made}{END}{after}", encoding="utf-8")
    return str(PAGE_PATH)
