# SPDX-License-Identifier: Apache-2.0
"""Bytes written and bytes received over rank and time, as rates in MB/s."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg.report.binning import group_ranks, integrate, row_label, row_of_rank
from thalweg.report.rundata import FloatArray, RunData
from thalweg.report.style import PICTURE_STYLE, bytes_text, is_narrow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUM_COLOUR = "#5B8DB8"
SHORTEST_S = 1e-6  # an event that took no time on the clock still moved its bytes
PANELS = (
    ("written to files", ("write", "close")),
    ("received from ranks", ("get",)),  # a "send" is the other side of the same bytes
)


def bytes_in_bins(
    run: RunData, kinds: tuple[str, ...], rows: list[list[int]], edges: FloatArray
) -> FloatArray:
    """Bytes of these kinds in every time bin, summed over the ranks of a row: [rows, bins].

    The bytes of an event count as spread evenly over its time.
    """
    events = run.events
    row = row_of_rank(rows, len(run.roles))
    chosen = events.of_kinds(*kinds) & (events.size_bytes > 0) & (row[events.rank] >= 0)
    begin = events.begin_s[chosen]
    end = np.maximum(events.end_s[chosen], begin + SHORTEST_S)
    density = events.size_bytes[chosen] / (end - begin)
    return integrate(row[events.rank[chosen]], begin, end, density, len(rows), edges)


def has_bytes(run: RunData) -> bool:
    """Did any event move bytes?"""
    return any(_active_rows(run, kinds) for _, kinds in PANELS)


def draw_heatmap(run: RunData, width_inches: float) -> Figure:
    """Heat maps of bytes, of a run that has some; above each the sum over all ranks."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    bins = 120 if is_narrow(width_inches) else 240
    edges = np.linspace(0.0, float(run.events.end_s.max()) + SHORTEST_S, bins + 1)
    width_s = edges[1] - edges[0]
    panels = []
    for name, kinds in PANELS:
        rows = _active_rows(run, kinds)
        if rows:
            panels.append((name, rows, bytes_in_bins(run, kinds, rows, edges)))
    heights: list[float] = []
    for _, rows, _ in panels:
        heights += [0.75, float(np.clip(0.34 * len(rows), 0.45, 6.0))]
    with rc_context(PICTURE_STYLE):
        figure = Figure(
            figsize=(width_inches, sum(heights) + 0.5 * len(panels) + 0.4), layout="constrained"
        )
        axes = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
        for number, (name, rows, size_bytes) in enumerate(panels):
            above, map_axes = axes[2 * number], axes[2 * number + 1]
            rate = size_bytes / width_s / 1e6
            total, unit = bytes_text(float(size_bytes.sum()))
            most = f"{rate.sum(axis=0).max():,.0f}".replace(",", "\u202f")
            above.set_title(f"{total} {unit} {name}, at most {most} MB/s",
                            fontsize=9.5 if is_narrow(width_inches) else 11)  # fmt: skip
            above.stairs(rate.sum(axis=0), edges, fill=True, color=SUM_COLOUR)
            above.set_ylabel("all ranks\n[MB/s]")
            above.set_ylim(bottom=0)
            image = map_axes.imshow(
                np.ma.masked_equal(rate, 0.0), aspect="auto", interpolation="nearest",
                cmap="plasma", vmin=0.0, extent=(0.0, edges[-1], len(rows), 0.0),
            )  # fmt: skip
            map_axes.set_yticks(
                np.arange(len(rows)) + 0.5, [row_label(members, run.roles) for members in rows]
            )
            map_axes.tick_params(axis="y", length=0)
            map_axes.set_ylabel("rank")
            figure.colorbar(image, ax=[above, map_axes], label="MB/s", pad=0.01, fraction=0.04)
        axes[-1].set_xlabel("time since start [s]")
    return figure


def _active_rows(run: RunData, kinds: tuple[str, ...]) -> list[list[int]]:
    """Rows of the ranks that moved bytes in this way; the others would only be white."""
    events = run.events
    chosen = events.of_kinds(*kinds) & (events.size_bytes > 0)
    active = np.unique(events.rank[chosen])
    if not len(active):
        return []
    rows = group_ranks([run.roles[rank] for rank in active])
    return [[int(active[member]) for member in members] for members in rows]
