# SPDX-License-Identifier: Apache-2.0
"""The top of a page: what limited the run, the figures asked for first, and what was run."""

from __future__ import annotations

import math
from typing import Any

from thalweg.config.durations import short_duration
from thalweg.report.compare import cores_sentence, run_time_sentence
from thalweg.report.metrics import METRICS, began_s, measure, simulated_s, title, what_limited
from thalweg.report.rundata import RunData
from thalweg.report.style import bytes_text, number_text

LOG_LINES = 12


def header(runs: list[RunData]) -> dict[str, Any]:
    """The sentence everything else on the page explains, and what was run."""
    if len(runs) == 1:
        run = runs[0]
        failed = f"This run failed: {failure(run)}" if run.failed else ""
        heading = failed or what_limited(run) or "What limited this run is not known."
        lead = title(run)
        duration = simulated_s(run)
        if not math.isnan(duration):
            lead += f", {short_duration(duration)} simulated"
        if began_s(run) > 0:
            lead += f", from {short_duration(began_s(run))} on"
        leads = [f"{lead} \u00b7 {run.name}"]
        name = title(run)
    else:
        heading = run_time_sentence([(run.name, measure(run)) for run in runs])
        heading = heading or f"{len(runs)} runs side by side"
        leads = [f"{run.name}: {title(run)}" for run in runs]
        leads += [said for run in runs if (said := cores_sentence(run.name, run.summary))]
        name = ", ".join(run.name for run in runs)
    return {
        "title": f"Thalweg report: {name}",
        "product": "run report",
        "heading": heading,
        "leads": leads,
    }


def tiles(run: RunData) -> list[dict[str, str]]:
    """The figures one asks for first, in large letters."""
    figures = measure(run)
    size, unit = bytes_text(figures["bytes_written"])
    intensity, intensity_unit = bytes_text(figures["data_intensity"] * 1e9)
    meanings = {metric.key: metric.meaning for metric in METRICS}
    entries = [
        (number_text(figures["run_time_s"]), "s", "run time", "run_time_s"),
        (number_text(figures["wait_percent"], 2), "%", "of it compute ranks waited for output",
         "wait_s"),
        (number_text(figures["sypd"]), "SYPD", "simulated years per day", "sypd"),
        (number_text(figures["chsy"]), "CHSY", "core hours per simulated year, one core a rank",
         "chsy"),
        (number_text(figures["output_cost"]), "\u00d7", "data output cost", "output_cost"),
        (size, unit, f"in {figures['files']:.0f} file{'s' * (figures['files'] != 1)}",
         "bytes_written"),
        (intensity, intensity_unit, "per core hour: data intensity", "data_intensity"),
    ]  # fmt: skip
    return [
        {"value": value, "unit": unit, "label": label, "meaning": meanings[key]}
        for value, unit, label, key in entries
        if math.isfinite(figures[key])
    ]


def failure(run: RunData) -> str:
    """Why the run failed."""
    status = run.summary.get("status", "")
    return str(run.summary.get("error") or f"'run.json' says '{status}' and no reason")


def log_end(run: RunData) -> str:
    """The last lines of log.txt, as they are."""
    try:
        lines = (run.path / "log.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return "\n".join(lines[-LOG_LINES:])
