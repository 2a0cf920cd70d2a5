# SPDX-License-Identifier: Apache-2.0
"""`thalweg cpmip`: the figures of runs as a table with sources and reasons under it, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from thalweg.cpmip.metrics import Figures, Given, figures_of
from thalweg.cpmip.post_processing import tell_post_processing
from thalweg.cpmip.quantities import QUANTITIES
from thalweg.errors import ThalwegError
from thalweg.files.targets import refuse_target, write_whole
from thalweg.logs.beliefs import believe
from thalweg.logs.columns import Row
from thalweg.logs.notes import names_or_number, note_lines
from thalweg.logs.sources import read_runs
from thalweg.run.metrics import YEAR_DAYS
from thalweg.tables import print_table

_SHOWN = [each for each in QUANTITIES if each.shown]
_NOT_KNOWN = "?"
_ABOUT = ("model", "status", "grid", "nodes", "ranks", "compute_ranks", "io_ranks", "restart_ranks")


def cpmip(
    paths: Sequence[Path],
    given: Given,
    out: Path | None = None,
    *,
    overwrite: bool = False,
    as_json: bool = False,
) -> None:
    """Raises a sentence for the first path that cannot be read; then nothing is written."""
    if out is not None:
        refuse_target(out, overwrite)
    rows = read_runs(paths)
    _refuse_cores_of_others(rows, given)
    told = []
    for row in rows:
        believe(row)
        figures = figures_of(row, given)
        tell_post_processing(figures, row, given)
        told.append(figures)
    content = [_entry(*each, given) for each in zip(rows, told, strict=True)]
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    if out is not None:
        write_whole(out, text + "\n")
    if as_json:
        print(text)
    else:
        _print(rows, told, given)
        if out is not None:
            print(f"'{out}': {len(told)} run{'s' * (len(told) != 1)}")


def _refuse_cores_of_others(rows: Sequence[Row], given: Given) -> None:
    if given.cores is not None and len({row["ranks"] for row in rows}) > 1:
        raise ThalwegError(
            f"--cores {given.cores} cannot hold for runs of different numbers of ranks; give "
            "--cores-per-node, or one run at a time"
        )


def _entry(row: Row, told: Figures, given: Given) -> dict[str, Any]:
    """An object of the JSON: every quantity, null where it is not known."""
    return {
        "run": told.run,
        "paths": list(row.texts("sources")),
        **{name: row[name] for name in _ABOUT},
        "year_days": YEAR_DAYS,
        **{each.name: told.values.get(each.name) for each in QUANTITIES},
        "write_share": given.write_share,
        "sources": told.sources,
        "not_known": told.not_known,
        "notes": list(row.texts("notes")),
    }


def _print(rows: Sequence[Row], told: Sequence[Figures], given: Given) -> None:
    heads = ["run", *(each.head for each in _SHOWN)]
    cells = [[each.run, *(_cell(each, q.name) for q in _SHOWN)] for each in told]
    print_table(heads, cells, right=heads[1:])
    print(f"a year has {YEAR_DAYS} days, a GB 10^9 bytes; ? = not known")
    for line in _lines(told, lambda each: each.sources, "{name}: {text}"):
        print(line)
    print(
        "post-processing: all output of a year is read once, then "
        f"{given.write_share:g} times as many bytes are written, by one process"
    )
    for line in _lines(told, lambda each: each.not_known, "not known: {name}: {text}"):
        print(line)
    for line in note_lines(rows):
        print(line)


def _cell(told: Figures, name: str) -> str:
    value = told.values.get(name)
    if value is None:
        return _NOT_KNOWN
    if value >= 1000.0 or value == int(value):
        return f"{value:.0f}" if value < 1e9 else f"{value:.4g}"
    return f"{value:.4g}"


def _lines(
    told: Sequence[Figures], of: Callable[[Figures], dict[str, str]], form: str
) -> list[str]:
    """One line for each text, with the quantities and the runs that it is true of, unless all."""
    runs: dict[tuple[str, str], list[str]] = {}
    for quantity in QUANTITIES:
        for each in told:
            if text := of(each).get(quantity.name):
                runs.setdefault((quantity.head, text), []).append(each.run)
    heads: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (head, text), names in runs.items():
        heads.setdefault((text, tuple(names)), []).append(head)
    return [
        form.format(name=", ".join(each), text=text) + _which(names, len(told))
        for (text, names), each in heads.items()
    ]


def _which(names: Sequence[str], all_runs: int) -> str:
    if len(names) == all_runs:
        return ""
    return f" ({names_or_number(names)})"
