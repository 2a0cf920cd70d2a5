# SPDX-License-Identifier: Apache-2.0
"""The page about a sweep: the best combination, pictures against I/O ranks, every figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thalweg.report.pictures import Pictures
from thalweg.report.render import cannot_write, start_pictures, write_page
from thalweg.report.style import number_text
from thalweg.report.sweep_data import METRICS, Point, SweepData, is_sweep, read_sweep
from thalweg.report.sweep_plot import draw_sweep

__all__ = ["is_sweep", "write_sweep_report"]

MOST_PICTURES = 12
_CAPTION = "Medians; bars from the smallest to the largest repetition."


def write_sweep_report(path: Path, out: Path) -> Path:
    """Writes one self-contained HTML file, its pictures beside it; returns its path."""
    data = read_sweep(path)
    pictures = start_pictures(out)
    try:
        shown, hidden = _pictures(data, pictures)
        content = {
            **_header(data),
            "pictures": shown,
            "hidden": hidden,
            **_table(data),
            "lost": data.lost,
            "source_rows": _source_rows(data),
        }
        return write_page("sweep.html", out, pictures, content)
    except OSError as error:
        raise cannot_write(out, error) from error


def _time_s(point: Point) -> float:
    found = point.median_and_range("run_time_s")
    return found[0] if found else float("inf")


def _words(point: Point) -> str:
    ranks = f" with {point.io_ranks} I/O rank{'s' * (point.io_ranks != 1)}"
    return (
        point.mode + (ranks if point.io_ranks else "") + (f", {point.rest}" if point.rest else "")
    )


def _header(data: SweepData) -> dict[str, Any]:
    best = min(data.points, key=_time_s)
    worst = max(data.points, key=_time_s)
    heading = f"Fastest: {_words(best)}, {number_text(_time_s(best))} s"
    if worst is not best:
        heading += f"; slowest: {_words(worst)}, {number_text(_time_s(worst))} s"
    trials = sum(len(point.trials) for point in data.points)
    name = data.path.resolve().name
    return {
        "title": f"Thalweg sweep: {name}",
        "product": "sweep report",
        "heading": heading,
        "leads": [f"{len(data.points)} combinations, {trials} trials \u00b7 {name}"],
    }


def _pictures(data: SweepData, pictures: Pictures) -> tuple[list[tuple[str, str]], int]:
    """(heading, picture) of each group of other settings, and how many groups have none."""
    modes = list(dict.fromkeys(point.mode for point in data.points))
    groups = data.groups()
    shown: list[tuple[str, str]] = []
    for rest, points in list(groups.items())[:MOST_PICTURES]:

        def draw(width: float, points: list[Point] = points) -> Any:
            return draw_sweep(points, modes, width)

        caption = f"{_CAPTION} {rest}".strip()
        shown.append((rest, pictures.add(draw, "sweep", f"Sweep {rest}", caption)))
    return shown, len(groups) - len(shown)


def _table(data: SweepData) -> dict[str, Any]:
    names = list(dict.fromkeys(key for point in data.points for key in point.settings))
    best = min(data.points, key=_time_s)
    rows = []
    for point in sorted(data.points, key=_time_s):
        cells = []
        for metric in METRICS:
            found = point.median_and_range(metric.key)
            cells.append({
                "text": number_text(found[0]) if found else "\u2013",
                "spread": f"{number_text(found[1])} to {number_text(found[2])}" if found else "",
                "best": point is best and metric.key == "run_time_s",
            })  # fmt: skip
        settings = [str(point.settings.get(name, "")) for name in names]
        rows.append({"settings": settings, "trials": len(point.trials), "cells": cells})
    return {"settings": names, "metrics": METRICS, "rows": rows}


def _source_rows(data: SweepData) -> list[tuple[str, str]]:
    first = data.first
    machine = ", ".join(f"{k} {v}" for k, v in dict(first.get("machine", {})).items())
    return [
        ("machine", machine),
        ("commit", str(first.get("commit", ""))),
        ("command", " ".join(map(str, first.get("command", [])))),
        ("sweep file", str(first.get("sweep", ""))),
        ("base", str(first.get("base", ""))),
        ("directory", str(data.path.resolve())),
    ]
