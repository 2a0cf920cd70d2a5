# SPDX-License-Identifier: Apache-2.0
"""The page about kernels: their share of what memory gives, layouts and numberings, every line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thalweg.lab.results import Line
from thalweg.report.kernel_data import KernelData, is_kernel_lines, originals, read_kernels
from thalweg.report.kernel_plot import draw_kernels
from thalweg.report.render import cannot_write, start_pictures, write_page
from thalweg.report.style import number_text

__all__ = ["is_kernel_lines", "write_kernel_report"]

_NUMBERINGS = ("rows", "random", "Hilbert", "curve")


def write_kernel_report(path: Path, out: Path) -> Path:
    """Writes one self-contained HTML file, its picture beside it; returns its path."""
    data = read_kernels(path)
    pictures = start_pictures(out)

    def draw(width: float) -> Any:
        return draw_kernels(data, width)

    try:
        caption = f"Medians, bars from the 5th to the 95th percentile. Crosses: {originals()[1]}."
        content = {
            **_header(data),
            "picture": pictures.add(draw, "kernels", "Share of triad of each kernel", caption),
            "layouts": _layouts(data),
            "numberings": _NUMBERINGS,
            "compared": [_compared(line) for line in data.compared],
            "rows": [_row(line) for line in data.ways],
            "lost": data.lost,
            "source_rows": _source_rows(data),
        }
        return write_page("kernels.html", out, pictures, content)
    except OSError as error:
        raise cannot_write(out, error) from error


def _header(data: KernelData) -> dict[str, Any]:
    shares = sorted(float(line["median"]) for line in data.best)
    middle = shares[len(shares) // 2] if shares else 0.0
    return {
        "title": "Thalweg kernels",
        "product": "kernel report",
        "heading": f"{len(data.best)} kernels; the one in the middle runs at "
        f"{number_text(middle, 2)} of STREAM triad on one core",
        "leads": [
            "One core unless it is said otherwise, arrays larger than the caches, each counted "
            "once; triad is measured just before each run, values are compared before the first."
        ],
    }


def _way(line: Line) -> str:
    return str(line["method"]).partition(": ")[2]


def _figure(line: Line) -> dict[str, str]:
    low, high = (number_text(float(line[key]), 2) for key in ("p05", "p95"))
    return {"text": number_text(float(line["median"]), 2), "spread": f"{low} to {high}"}


def _layouts(data: KernelData) -> list[dict[str, Any]]:
    """A row for each kernel and layout, a cell for each numbering; the best of a kernel marked."""
    rows: dict[tuple[str, str], dict[str, Line]] = {}
    for line in data.laid_out:
        way = _way(line).replace(" curve", "")  # the order found is a column
        rows.setdefault((str(line["kernel"]), way), {})[str(line["numbering"])] = line
    best: dict[str, float] = {}
    for line in data.laid_out:
        kernel = str(line["kernel"])
        best[kernel] = max(best.get(kernel, 0.0), float(line["median"]))
    return [
        {
            "kernel": kernel.replace("_", " "),
            "way": way,
            "cells": [_cell(lines.get(name), best[kernel]) for name in _NUMBERINGS],
        }
        for (kernel, way), lines in rows.items()
    ]


def _cell(line: Line | None, best: float) -> dict[str, Any]:
    if line is None:
        return {"text": "\u2013", "spread": "", "best": False}
    return {**_figure(line), "best": float(line["median"]) == best}


def _compared(line: Line) -> dict[str, str]:
    gains = line.get("triad_gains")
    ways = dict(line["ways"])
    return {
        "name": str(line["method"]).replace("_", " "),
        "n": str(line["n"]),
        **_figure(line),
        "triad": number_text(float(gains), 3) if gains is not None else "",
        "ways": "; ".join(f"{name}: {way}" for name, way in ways.items()),
    }


def _row(line: Line) -> dict[str, str]:
    return {
        "kernel": str(line["kernel"]).replace("_", " "),
        "where": str(line["where"]),
        "way": _way(line),
        "n": str(line["n"]),
        **_figure(line),
        "gb_s": number_text(float(line["gb_s"])),
        "triad_gb_s": number_text(float(line["triad_gb_s"])),
        "ms": number_text(1e3 * float(line["wall_s"])),
        "cpu_ms": number_text(1e3 * float(line["cpu_s"])),
    }


def _source_rows(data: KernelData) -> list[tuple[str, str]]:
    machine = ", ".join(f"{k} {v}" for k, v in dict(data.first.get("machine", {})).items())
    return [
        ("machine", machine),
        ("commit", str(data.first.get("commit", ""))),
        ("command", " ".join(map(str, data.first.get("command", [])))),
        ("lines", str(data.path.resolve())),
    ]
