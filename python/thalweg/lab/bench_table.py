# SPDX-License-Identifier: Apache-2.0
"""Benchmark results for people: a table of methods, a table of bars, how far it is."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Literal

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from thalweg.lab.bars import Verdict
from thalweg.lab.results import Line

_LINE_EVERY_S = 10.0
_FILE_COLUMNS = 160
_TEXTS = ("method", "times the speed of")


class BenchProgress:
    """On standard error: a bar on a terminal, a line now and then without one."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._last_line_s = time.monotonic()
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TimeElapsedColumn(), console=Console(stderr=True), transient=True,
            disable=not sys.stderr.isatty(),
        )  # fmt: skip
        self._task = self._bar.add_task(title, total=None)

    def __enter__(self) -> BenchProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, done: int, trials: int, method: str) -> None:
        self._bar.update(self._task, completed=done, total=trials,
                         description=f"{self._title}: {method}")  # fmt: skip
        now_s = time.monotonic()
        if self._bar.disable and now_s - self._last_line_s >= _LINE_EVERY_S:
            self._last_line_s = now_s
            text = f"{self._title}: {done} of {trials} trials, {method}"
            print(text, file=sys.stderr, flush=True)


def print_results(lines: Sequence[Line]) -> None:
    """One row per method and MPI-IO layer; beside it medians of paired ratios."""
    console = _console()
    for bench in dict.fromkeys(line["bench"] for line in lines):
        chosen = [line for line in lines if line["bench"] == bench]
        table = Table(title=f"{bench}", title_justify="left")
        rows = [_cells(line) for line in chosen]
        used = [name for name in rows[0] if any(row[name] for row in rows)]
        for name in used:
            side: Literal["left", "right"] = "left" if name in _TEXTS else "right"
            table.add_column(name, justify=side, no_wrap=True)
        for row in rows:
            table.add_row(*(row[name] for name in used))
        console.print(table)
        for line in chosen:
            if "skipped" in line:
                layer = f" ({line['layer']})" if line.get("layer") else ""
                console.print(f"skipped {line['method']}{layer}: {line['skipped']}", markup=False)


def print_verdicts(verdicts: Sequence[Verdict]) -> None:
    table = Table(title="bars", title_justify="left")
    table.add_column("bar")
    table.add_column("layer")
    table.add_column("figure", justify="right", no_wrap=True)
    table.add_column("demanded", justify="right")
    table.add_column("verdict", no_wrap=True)
    for verdict in verdicts:
        figure = verdict.reason if verdict.value is None else f"{verdict.value:.4g}"
        style = "green" if verdict.met else "bold red"
        word = "met" if verdict.met else "missed"
        table.add_row(verdict.bar.name, verdict.layer, figure, verdict.bar.demand,
                      f"[{style}]{word}[/]")  # fmt: skip
    _console().print(table)


def _console() -> Console:
    """In a file or a pipe a table is as wide as it must be."""
    return Console() if sys.stdout.isatty() else Console(width=_FILE_COLUMNS)


def _cells(line: Line) -> dict[str, str]:
    """One row: {heading: text}."""
    measured = "median" in line
    spread = (
        f"{line.get('p05', line['median']):.4g} to {line.get('p95', line['median']):.4g}"
        if measured
        else "\u2013"
    )
    ratios = [
        f"{ratio['median']:.3g} {rival.replace('|', ' or ')}"
        for rival, ratio in line.get("paired_ratio", {}).items()
    ]
    return {
        "method": str(line.get("method", "")),
        "layer": str(line.get("layer", "")),
        "n": str(line.get("n", "")) if measured else "0",
        "median": f"{line['median']:.4g}" if measured else "\u2013",
        "5 to 95 %": spread,
        "unit": str(line.get("unit", "")) if measured else "",
        "CPU s": f"{line['cpu_s']:.3g}" if line.get("cpu_s") is not None else "",
        "times the speed of": "\n".join(ratios),
    }
