# SPDX-License-Identifier: Apache-2.0
"""The table of kernels and targets: on the terminal, and in docs/targets.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from thalweg.config.checkout import ROOT
from thalweg.kernels.compare import COMPARED, Compared
from thalweg.tables import print_table

PAGE_PATH = ROOT / "docs" / "targets.md"
BEGIN, END = "<!-- thalweg kernels compare --markdown -->\n", "<!-- end -->\n"
HEADS = ("kernel", *COMPARED)


def print_rows(rows: Sequence[Compared], as_json: bool) -> None:
    """Below the table, why there is no code of a kernel for a target."""
    if as_json:
        print(json.dumps([asdict(each) for each in rows], indent=1))
        return
    print_table(HEADS, [cells(each) for each in rows])
    for sentence in dict.fromkeys(why for each in rows for why in each.refused.values()):
        print(sentence)


def cells(row: Compared) -> list[str]:
    return [row.kernel, *(row.found[target] for target in COMPARED)]


def write_page(rows: Sequence[Compared]) -> None:
    """The page's other parts stay as they are."""
    replace_table(BEGIN, [HEADS, *map(cells, rows)])


def replace_table(begin: str, lines: Sequence[Sequence[str]]) -> None:
    """The table of the page that begins so; `lines`: heads, then rows."""
    heads, *rows = lines
    whole = [heads, ["---"] * len(heads), *rows]
    made = "".join(f"| {' | '.join(each)} |\n" for each in whole)
    page = PAGE_PATH.read_text(encoding="utf-8")
    before, _, rest = page.partition(begin)
    PAGE_PATH.write_text(f"{before}{begin}{made}{END}{rest.partition(END)[2]}", encoding="utf-8")
