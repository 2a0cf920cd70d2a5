# SPDX-License-Identifier: Apache-2.0
"""`thalweg logs import`: runs that exist as one table, and what their sources say differently."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.files.targets import refuse_target
from thalweg.logs.beliefs import believe
from thalweg.logs.columns import COLUMNS, Row
from thalweg.logs.notes import note_lines
from thalweg.logs.sources import is_parquet, read_runs
from thalweg.tables import print_entries, print_table

_SHOWN = (
    ("run", "run"), ("ranks", "ranks"), ("I/O", "io_ranks"), ("restart", "restart_ranks"),
    ("total s", "total_s"), ("output s", "output_s"), ("restart s", "restart_s"),
    ("output GB", "output_bytes"), ("from", "output_bytes_from"), ("MB/s", "output_rate"),
    ("checkpoint MB/s", "checkpoint_rate"),
)  # fmt: skip
Complete = Callable[[Row], None]
_GB = 1e9
_MB = 1e6


def import_logs(
    paths: Sequence[Path], out: Path | None, *, overwrite: bool = False, as_json: bool = False,
    complete: Complete | None = None,
) -> None:  # fmt: skip
    """Raises a sentence for the first path that cannot be read; then nothing is written.

    complete: fills in what the sources of a row do not tell
    """
    if out is not None:
        from thalweg.logs.parquet import write_table  # slow to load

        refuse_target(out, overwrite)
    rows = read_runs(paths)
    if out is not None:
        _refuse_source(out, rows)
    for row in rows:
        if complete is not None:
            complete(row)
        believe(row)
    if out is not None:
        write_table(rows, out)
    if as_json:
        content = {"table": str(out) if out else None, "runs": rows}
        print(json.dumps(content, indent=1, ensure_ascii=False))
        return
    _print(rows)
    if out is not None:
        print(f"'{out}': {len(rows)} run{'s' * (len(rows) != 1)}, {len(COLUMNS)} columns")


def _refuse_source(out: Path, rows: Sequence[Row]) -> None:
    """A table may take the place of one that is in it, and of nothing else that is read."""
    sources = {Path(each).resolve() for row in rows for each in row.texts("sources")}
    if out.exists() and out.resolve() in sources and not is_parquet(out):
        raise ThalwegError(f"'{out}' is what the table is made from; choose another name")


def print_columns(as_json: bool) -> None:
    entries = [vars(column) for column in COLUMNS]
    print_entries(entries, as_json)


def _print(rows: Sequence[Row]) -> None:
    heads = [head for head, _ in _SHOWN]
    right = [head for head in heads if head not in {"run", "from"}]
    print_table(heads, [[_cell(row, name) for _, name in _SHOWN] for row in rows], right=right)
    for line in note_lines(rows):
        print(line)


def _cell(row: Row, name: str) -> str:
    value = row.number(name)
    if value is None:
        return row.text(name)
    if name == "output_bytes":
        return f"{value / _GB:.3f}"
    if name.endswith("_rate"):
        return f"{value / _MB:.0f}"
    return f"{value:.1f}" if name.endswith("_s") else f"{value:.0f}"
