# SPDX-License-Identifier: Apache-2.0
"""Benchmark results for people: a table of methods, a table of bars, how far it is."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from thalweg.lab.bars import Verdict
from thalweg.lab.results import Line
from thalweg.tables import Cell, print_table

_TEXTS = ("method", "times the speed of")


def print_results(lines: Sequence[Line]) -> None:
    """One row per method and MPI-IO layer; beside it medians of paired ratios."""
    for bench in dict.fromkeys(str(line["bench"]) for line in lines):
        chosen = [line for line in lines if line["bench"] == bench]
        rows = [_cells(line) for line in chosen]
        used = [name for name in rows[0] if any(row[name] for row in rows)]
        print_table(
            used,
            [[row[name] for name in used] for row in rows],
            right=[name for name in used if name not in _TEXTS],
            title=bench,
        )
        for line in chosen:
            if "skipped" in line:
                layer = f" ({line['layer']})" if line.get("layer") else ""
                print(f"skipped {line['method']}{layer}: {line['skipped']}")


def print_verdicts(verdicts: Sequence[Verdict]) -> None:
    rows: list[list[Cell]] = [
        [
            verdict.bar.name,
            verdict.layer,
            verdict.reason if verdict.value is None else f"{verdict.value:.4g}",
            verdict.bar.demand,
            Text("met", "green") if verdict.met else Text("missed", "bold red"),
        ]
        for verdict in verdicts
    ]
    columns = ("bar", "layer", "figure", "demanded", "verdict")
    print_table(columns, rows, right=("figure", "demanded"), title="bars")


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
