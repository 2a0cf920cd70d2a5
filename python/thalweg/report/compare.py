# SPDX-License-Identifier: Apache-2.0
"""Several runs side by side: a table with the best in bold, and the sentence about run times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from thalweg.report.metrics import METRICS, Metric, facts, measure
from thalweg.report.rundata import RunData
from thalweg.report.style import number_text

SAME = 1e-3  # relative difference below which two figures are equally good
# Equal runs on a shared machine scatter by this much: a smaller difference is none.
RUN_SCATTER = 0.05


@dataclass(frozen=True)
class Row:
    """One line of the comparison; cells: (text, is it the best)."""

    label: str
    meaning: str
    cells: list[tuple[str, bool]]


def best_runs(metric: Metric, values: list[float]) -> list[int]:
    """Indices of the best values; empty if the metric rates nothing or all are the same."""
    known = [value for value in values if not math.isnan(value)]
    if not metric.better or len(known) < 2:
        return []
    best = min(known) if metric.better == "less" else max(known)
    tolerance = SAME * abs(best) + 1e-12
    if max(known) - min(known) <= tolerance:
        return []
    return [n for n, value in enumerate(values) if abs(value - best) <= tolerance]


def comparison_rows(runs: list[RunData]) -> list[Row]:
    """Rows are metrics, columns are runs; facts that differ come first."""
    rows = []
    known = [dict(facts(run)) for run in runs]
    for name in dict.fromkeys(name for its_facts in known for name in its_facts):
        texts = [its_facts.get(name, "\u2013") for its_facts in known]
        if len(set(texts)) > 1:
            rows.append(Row(name, "", [(text, False) for text in texts]))
    figures = [measure(run) for run in runs]
    for metric in METRICS:
        values = [its_figures[metric.key] for its_figures in figures]
        if all(math.isnan(value) for value in values):
            continue
        best = best_runs(metric, values)
        cells = [(metric_text(metric, value), n in best) for n, value in enumerate(values)]
        label = metric.label + (f" [{metric.unit}]" if metric.unit else "")
        rows.append(Row(label, metric.meaning, cells))
    return rows


def metric_text(metric: Metric, value: float) -> str:
    """A metric's value without its unit."""
    if metric.key == "bytes_written":
        return number_text(value / 1e9)
    if metric.key == "files":
        return number_text(value, 9).split(".")[0]
    return number_text(value)


def run_time_sentence(runs: list[tuple[str, dict[str, float]]]) -> str:
    """Which run was faster, and how long each waited for output; '' if nothing can be said.

    runs  (name, metrics); one run each is no measurement: differences within the scatter are none.
    """
    known = [(name, its) for name, its in runs if _known(its, "run_time_s", "wait_percent")]
    if len(known) < 2:
        return ""
    (fast_name, fast), (slow_name, slow) = (
        choose(known, key=lambda entry: entry[1]["run_time_s"]) for choose in (min, max)
    )
    ratio = slow["run_time_s"] / fast["run_time_s"] if fast["run_time_s"] > 0.0 else math.inf
    fast_s, slow_s = (number_text(each["run_time_s"]) for each in (fast, slow))
    if ratio < 1.0 + RUN_SCATTER:
        names = " and ".join(f"'{name}'" for name, _ in known)
        head = f"{names} took the same time within the scatter, {fast_s} to {slow_s} s"
    else:
        head = (
            f"'{slow_name}' took {slow_s} s, {number_text(ratio)} times as long as "
            f"'{fast_name}' with {fast_s} s"
        )
    waits = ", ".join(f"{number_text(its['wait_percent'], 2)} % in '{name}'" for name, its in known)
    return f"{head}. Compute ranks waited for output {waits}."


def cores_sentence(name: str, summary: dict[str, Any]) -> str:
    """Why I/O ranks may cost run time here: they take cores from those that compute; '' if not."""
    ranks, cores = int(summary.get("ranks", 0)), int(summary.get("machine", {}).get("cores", 0))
    if ranks <= cores or cores == 0 or "I/O rank" not in summary.get("output", ""):
        return ""
    return (
        f"The {ranks} ranks of '{name}' shared {cores} cores: I/O ranks take time from those that "
        "compute. On a machine with cores to spare they do not."
    )


def _known(figures: dict[str, float], *keys: str) -> bool:
    return all(math.isfinite(figures.get(key, math.nan)) for key in keys)
