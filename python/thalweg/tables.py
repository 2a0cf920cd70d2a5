# SPDX-License-Identifier: Apache-2.0
"""The one way to print a table: prose wraps to fit a terminal, and nothing is ever cut."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

Cell = str | Text  # a text is shown as it is; Text may be coloured
_UNLIMITED_COLUMNS = 10_000
_GAP = 2  # spaces between two columns


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    right: Sequence[str] = (),
    title: str = "",
) -> None:
    """`right`: columns of figures, aligned on their right.

    A terminal that is too narrow for whole words, figures and paths breaks the lines itself.
    """
    console = Console(highlight=False)
    widths = _fitting_widths(columns, rows, right, console.width) if sys.stdout.isatty() else None
    table = _table(columns, rows, right, title, widths)
    if widths:
        console.print(table)
    else:
        print(_as_text(table))


def table_text(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, right: Sequence[str] = ()
) -> str:
    """Lines without colours and without spaces at their ends."""
    return _as_text(_table(columns, rows, right, "", None))


def print_entries(
    entries: Sequence[Mapping[str, object]],
    as_json: bool,
    *,
    columns: Sequence[str] = (),
    title: str = "",
) -> None:
    """Objects as JSON, or as rows of the columns named (none: all keys of the first)."""
    if as_json:
        print(json.dumps(entries, indent=1, ensure_ascii=False))
        return
    names = list(columns or (entries[0] if entries else ()))
    rows = [[_word(entry[name]) for name in names] for entry in entries]
    print_table([name.replace("_", " ") for name in names], rows, title=title)


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _fitting_widths(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], right: Sequence[str], limit: int
) -> list[int] | None:
    """Characters of each column, in all and with gaps at most `limit`; None where words are longer.

    Words stay whole, and figures on their line. The widest column gives way first.
    """
    widths, least = [], []
    for i, name in enumerate(columns):
        texts = [str(row[i]) for row in rows]
        lines = [line for text in texts for line in text.split("\n")]
        whole = max(map(cell_len, lines), default=0)
        shortest = whole if name in right else _longest_word(texts)
        widths.append(max(whole, cell_len(name)))
        least.append(max(shortest, _longest_word([name])))
    while sum(widths) + _GAP * (len(widths) - 1) > limit:
        able = [i for i in range(len(widths)) if widths[i] > least[i]]
        if not able:
            return None
        widths[max(able, key=lambda i: widths[i])] -= 1
    return widths


def _longest_word(texts: Sequence[str]) -> int:
    return max((cell_len(word) for text in texts for word in text.split()), default=0)


def _table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    right: Sequence[str],
    title: str,
    widths: Sequence[int] | None,
) -> Table:
    """widths: in characters, of each column; None = each as wide as it must be."""
    table = Table(
        box=None, pad_edge=False, padding=(0, _GAP, 0, 0), title=title or None,
        title_justify="left",
    )  # fmt: skip
    for i, name in enumerate(columns):
        table.add_column(
            Text(name), justify="right" if name in right else "left", overflow="fold",
            no_wrap=widths is None, width=widths[i] if widths else None,
        )  # fmt: skip
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return table


def _as_text(table: Table) -> str:
    console = Console(width=_UNLIMITED_COLUMNS, no_color=True, highlight=False, file=sys.stdout)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
