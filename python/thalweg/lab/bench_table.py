# SPDX-License-Identifier: Apache-2.0
"""Benchmark results for people: a table of methods, a table of bars, how far it is."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from thalweg.lab.bars import Verdict
from thalweg.lab.results import Line

_LINE_EVERY_S = 10.0


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
    console = Console()
    for bench in dict.fromkeys(line["bench"] for line in lines):
        chosen = [line for line in lines if line["bench"] == bench]
        table = Table(title=f"{bench}", title_justify="left")
        table.add_column("method", no_wrap=True)
        for heading in ("layer", "n", "median", "5 to 95 %", "unit", "CPU s"):
            table.add_column(heading, justify="right", no_wrap=True)
        if any("paired_ratio" in line for line in chosen):
            table.add_column("times the speed of", no_wrap=True)
        for line in chosen:
            table.add_row(*_cells(line))
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
    Console().print(table)


def _cells(line: Line) -> list[str]:
    head = [str(line.get("method", "")), str(line.get("layer", ""))]
    if "median" not in line:
        return [*head, "0", "\u2013", "\u2013"]
    spread = f"{line.get('p05', line['median']):.4g} to {line.get('p95', line['median']):.4g}"
    cpu_s = line.get("cpu_s")
    ratios = [
        f"{ratio['median']:.3g} {rival.replace('|', ' or ')}"
        for rival, ratio in line.get("paired_ratio", {}).items()
    ]
    return [
        *head, str(line.get("n", "")), f"{line['median']:.4g}", spread, str(line.get("unit", "")),
        "" if cpu_s is None else f"{cpu_s:.3g}", *(["\n".join(ratios)] if ratios else []),
    ]  # fmt: skip
