# SPDX-License-Identifier: Apache-2.0
"""The one way to print a table: as wide as the terminal, as wide as it must be anywhere else."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

Cell = str | Text  # a text is shown as it is; Text may be coloured
_UNLIMITED_COLUMNS = 10_000


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    right: Sequence[str] = (),
    title: str = "",
) -> None:
    """`right`: columns of figures, aligned on their right."""
    table = _table(columns, rows, right, title, wraps=sys.stdout.isatty())
    if sys.stdout.isatty():
        Console(highlight=False).print(table)
    else:
        print(_as_text(table))


def table_text(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, right: Sequence[str] = ()
) -> str:
    """Lines without colours and without spaces at their ends."""
    return _as_text(_table(columns, rows, right, "", wraps=False))


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


def _table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    right: Sequence[str],
    title: str,
    *,
    wraps: bool,
) -> Table:
    table = Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), title=title or None, title_justify="left"
    )
    for name in columns:
        table.add_column(
            Text(name), justify="right" if name in right else "left", no_wrap=not wraps
        )
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return table


def _as_text(table: Table) -> str:
    console = Console(width=_UNLIMITED_COLUMNS, no_color=True, highlight=False, file=sys.stdout)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
