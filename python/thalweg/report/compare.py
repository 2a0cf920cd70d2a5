# SPDX-License-Identifier: Apache-2.0
"""Several runs side by side: a table with the best in bold, and where the time of each went."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from thalweg.report.metrics import METRICS, Metric, facts, measure, time_shares
from thalweg.report.rundata import RunData
from thalweg.report.style import (
    KIND_COLOURS,
    OTHER_COLOUR,
    PICTURE_STYLE,
    WIDTH_INCHES,
    number_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHARE_COLOURS = {
    "computing": KIND_COLOURS["compute"],
    "waiting for output": KIND_COLOURS["wait"],
    "copying": KIND_COLOURS["copy"],
    "getting": KIND_COLOURS["get"],
    "reordering": KIND_COLOURS["reorder"],
    "writing": KIND_COLOURS["write"],
    "idle": KIND_COLOURS["idle"],
    "other": OTHER_COLOUR,
}
SAME = 1e-3  # relative difference below which two figures are equally good


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


def comparison_table(runs: list[RunData]) -> str:
    """Rows are metrics, columns are runs; facts that differ come first."""
    head = "".join(f'<th class="number">{escape(run.name)}</th>' for run in runs)
    lines = [f'<div class="scroll"><table><thead><tr><th></th>{head}</tr></thead><tbody>']
    known = [dict(facts(run)) for run in runs]
    for name in dict.fromkeys(name for its_facts in known for name in its_facts):
        texts = [its_facts.get(name, "\u2013") for its_facts in known]
        if len(set(texts)) > 1:
            cells = "".join(f'<td class="number">{escape(text)}</td>' for text in texts)
            lines.append(f"<tr><th>{escape(name)}</th>{cells}</tr>")
    figures = [measure(run) for run in runs]
    for metric in METRICS:
        values = [its_figures[metric.key] for its_figures in figures]
        if all(math.isnan(value) for value in values):
            continue
        best = best_runs(metric, values)
        cells = "".join(
            f'<td class="number{" best" if n in best else ""}">{metric_text(metric, value)}</td>'
            for n, value in enumerate(values)
        )
        label = metric.label + (f" [{metric.unit}]" if metric.unit else "")
        lines.append(f'<tr title="{escape(metric.meaning)}"><th>{escape(label)}</th>{cells}</tr>')
    return "\n".join(lines) + "</tbody></table></div>"


def metric_text(metric: Metric, value: float) -> str:
    """A metric's value without its unit."""
    if metric.key == "bytes_written":
        return number_text(value / 1e9)
    if metric.key == "files":
        return number_text(value, 9).split(".")[0]
    return number_text(value)


def waiting_sentence(runs: list[RunData]) -> str:
    """Which run waits least for output, in one sentence; '' if nothing can be said."""
    waits = []
    for run in runs:
        figures = measure(run)
        if not math.isnan(figures["wait_s"]):
            waits.append((figures["wait_s"] + figures["closing_s"], run.name))
    if len(waits) < 2:
        return ""
    least, most = min(waits), max(waits)
    sentence = (
        f"A compute rank waited {number_text(most[0])} s for output in '{most[1]}' "
        f"and {number_text(least[0])} s in '{least[1]}'"
    )
    ratio = most[0] / least[0] if least[0] > 0.0 else math.inf
    if 1.2 <= ratio < 1000.0:
        sentence += f", {number_text(ratio, 2)} times less"
    return sentence + ", the wait for complete files at the end included."


def draw_shares(runs: list[RunData]) -> Figure | None:
    """Stacked bars of mean seconds per rank, one bar per run and role; None without timers."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    roles = [
        (role, name, [(run.name, time_shares(run, role)) for run in runs if time_shares(run, role)])
        for role, name in (("compute", "compute ranks"), ("io", "I/O ranks"))
    ]
    roles = [entry for entry in roles if entry[2]]
    if not roles:
        return None
    longest = max(sum(shares.values()) for _, _, bars in roles for _, shares in bars)
    heights = [0.5 + 0.55 * len(bars) for _, _, bars in roles]
    with rc_context(PICTURE_STYLE):
        figure = Figure(figsize=(WIDTH_INCHES, sum(heights) + 0.4), layout="constrained")
        panels = figure.subplots(len(roles), 1, squeeze=False, sharex=True, height_ratios=heights)
        for panel, (_, name, bars) in zip(panels[:, 0], roles, strict=True):
            _draw_bars(panel, bars, longest)
            panel.set_title(name)
        panels[-1, 0].set_xlabel("mean time per rank [s]")
    return figure


def _draw_bars(panel: Axes, bars: list[tuple[str, dict[str, float]]], longest: float) -> None:
    for row, (_, shares) in enumerate(bars):
        left = 0.0
        for share, seconds in shares.items():
            seconds = max(0.0, seconds)
            colour = SHARE_COLOURS[share]
            panel.barh(row, seconds, left=left, height=0.66, color=colour, edgecolor="white",
                       linewidth=0.5, label=share if row == 0 else None)  # fmt: skip
            if seconds > 0.05 * longest:
                dark = colour in (KIND_COLOURS["compute"], KIND_COLOURS["wait"],
                                  KIND_COLOURS["write"])  # fmt: skip
                panel.text(
                    left + seconds / 2, row, f"{number_text(seconds, 2)} s", ha="center",
                    va="center", fontsize=9.5, color="white" if dark else "#1b1f24",
                )  # fmt: skip
            left += seconds
    panel.set_yticks(range(len(bars)), [name for name, _ in bars])
    panel.invert_yaxis()
    panel.tick_params(axis="y", length=0)
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.05), frameon=False, fontsize=9.5)
