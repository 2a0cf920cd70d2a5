# SPDX-License-Identifier: Apache-2.0
"""The top of a page: what limited the run, the figures asked for first, and what was run."""

from __future__ import annotations

import math
from html import escape

from thalweg.config.durations import short_duration
from thalweg.report.compare import waiting_sentence
from thalweg.report.metrics import METRICS, facts, measure, simulated_s, title, what_limited
from thalweg.report.rundata import RunData
from thalweg.report.style import bytes_text, number_text

LOG_LINES = 12


def header(runs: list[RunData]) -> str:
    """The sentence everything else on the page explains, and what was run."""
    if len(runs) == 1:
        run = runs[0]
        failed = f"This run failed: {failure(run)}" if run.failed else ""
        heading = failed or what_limited(run) or "What limited this run is not known."
        lead = title(run)
        duration = simulated_s(run)
        if not math.isnan(duration):
            lead += f", {short_duration(duration)} simulated"
        lead += f" \u00b7 {run.name}"
    else:
        heading = waiting_sentence(runs) or f"{len(runs)} runs side by side"
        lead = " \u00b7 ".join(f"{run.name}: {title(run)}" for run in runs)
    return (
        '<header><p class="product">Thalweg \u00b7 run report</p>'
        f'<h1>{escape(heading)}</h1><p class="lead">{escape(lead)}</p></header>'
    )


def tiles(run: RunData) -> str:
    """The figures one asks for first, in large letters."""
    figures = measure(run)
    size, unit = bytes_text(figures["bytes_written"])
    intensity, intensity_unit = bytes_text(figures["data_intensity"] * 1e9)
    by_key = {metric.key: metric for metric in METRICS}
    entries = [
        (number_text(figures["run_time_s"]), "s", "run time", "run_time_s"),
        (number_text(figures["sypd"]), "SYPD", "simulated years per day", "sypd"),
        (number_text(figures["chsy"]), "CHSY", "core hours per simulated year", "chsy"),
        (number_text(figures["wait_s"]), "s", f"waiting for output per compute rank, "
         f"{number_text(figures['wait_percent'], 2)} %", "wait_s"),
        (number_text(figures["output_cost"]), "\u00d7", "data output cost", "output_cost"),
        (size, unit, f"in {figures['files']:.0f} file{'s' * (figures['files'] != 1)}",
         "bytes_written"),
        (intensity, intensity_unit, "per core hour: data intensity", "data_intensity"),
    ]  # fmt: skip
    tiles = "".join(
        f'<div class="tile" title="{escape(by_key[key].meaning)}">'
        f"<b>{value} <small>{unit}</small></b><span>{escape(label)}</span></div>"
        for value, unit, label, key in entries
        if math.isfinite(figures[key])
    )
    return f'<div class="tiles">{tiles}</div>'


def fact_list(run: RunData) -> str:
    """Case, grid, ranks, output: what describes the run."""
    entries = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts(run)
    )
    return f'<dl class="facts">{entries}</dl>' if entries else ""


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
    return "<pre>" + escape("\n".join(lines[-LOG_LINES:])) + "</pre>" if lines else ""
