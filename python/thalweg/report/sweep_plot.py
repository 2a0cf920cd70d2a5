# SPDX-License-Identifier: Apache-2.0
"""The picture of a sweep: four figures against the number of I/O ranks, one line per mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thalweg.report.style import INK, LINE, PICTURE_STYLE, SOFT, is_narrow
from thalweg.report.sweep_data import METRICS, Metric, Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008) again; a mode keeps its colour and mark in all pictures of a page.
_LOOKS = (
    ("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"),
    ("#56B4E9", "P"), (INK, "X"),
)  # fmt: skip


def draw_sweep(points: list[Point], modes: list[str], width_inches: float) -> Figure:
    """Medians over repetitions; bars from the smallest to the largest."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    narrow = is_narrow(width_inches)
    rows, columns = (4, 1) if narrow else (2, 2)
    with rc_context(PICTURE_STYLE):
        figure = Figure(figsize=(width_inches, 2.5 * rows + 1.6), layout="constrained")
        panels = list(figure.subplots(rows, columns, sharex=True).flat)
        for panel, metric in zip(panels, METRICS, strict=True):
            _draw_panel(panel, metric, points, modes)
        for panel in panels[-columns:]:
            panel.set_xlabel("I/O ranks (0: compute ranks write)")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=2 if narrow else len(labels),
            frameon=False,
        )  # fmt: skip
    return figure


def _draw_panel(panel: Axes, metric: Metric, points: list[Point], modes: list[str]) -> None:
    highest = 0.0
    for number, mode in enumerate(modes):
        chosen = sorted((p for p in points if p.mode == mode), key=lambda p: p.io_ranks)
        found = [
            (p.io_ranks, s) for p in chosen if (s := p.median_and_range(metric.key)) is not None
        ]
        colour, mark = _LOOKS[number % len(_LOOKS)]
        ranks = [n for n, _ in found]
        middle = [s[0] for _, s in found]
        below = [s[0] - s[1] for _, s in found]
        above = [s[2] - s[0] for _, s in found]
        shift = 0.04 * (number - (len(modes) - 1) / 2)  # bars of two modes do not hide each other
        panel.errorbar(
            [n + shift for n in ranks], middle, yerr=[below, above], label=mode, color=colour,
            marker=mark, markersize=7, linewidth=1.8, capsize=3, elinewidth=1.0,
        )  # fmt: skip
        if ranks == [0]:  # without I/O ranks: a level to compare with
            panel.axhline(middle[0], color=colour, linewidth=1.0, linestyle=":")
        highest = max([highest, *(s[2] for _, s in found)])
    panel.set_title(metric.label)
    panel.set_ylabel(f"[{metric.unit}]")
    panel.set_ylim(0.0, 1.08 * highest if highest > 0.0 else 1.0)
    panel.grid(axis="y", color=LINE, linewidth=0.8)
    panel.set_axisbelow(True)
    ticks = sorted({point.io_ranks for point in points})
    panel.set_xticks(ticks, [str(tick) for tick in ticks])
    panel.set_xlim(ticks[0] - 0.25, ticks[-1] + 0.25)
    if highest == 0.0:
        panel.text(0.5, 0.5, "not measured", transform=panel.transAxes, ha="center",
                   color=SOFT)  # fmt: skip
