# SPDX-License-Identifier: Apache-2.0
"""What every rank did when, as a picture whose coloured area is exactly the recorded time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thalweg.report.binning import flatten, group_ranks, integrate, row_label, row_of_rank
from thalweg.report.rundata import FloatArray, RunData
from thalweg.report.style import (
    INK,
    KIND_COLOURS,
    KIND_WORDS,
    PICTURE_STYLE,
    is_narrow,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS, NARROW_BINS = 1300, 450  # about one per pixel
ROW_PIXELS = 30  # vertical steps within a row, for bins that hold several kinds
GAP_PIXELS = 6
SPARE_COLOUR = "#40E0D0"  # of a kind that only another version of the library knows


def coverage(run: RunData, rows: list[list[int]], edges: FloatArray) -> FloatArray:
    """Seconds of every kind in every bin, summed over the ranks of a row: [kinds, rows, bins]."""
    events = flatten(run.events)
    row = row_of_rank(rows, len(run.roles))
    result = np.zeros((len(events.kinds), len(rows), len(edges) - 1))
    for kind in range(len(events.kinds)):
        chosen = (events.kind == kind) & (row[events.rank] >= 0)
        result[kind] = integrate(
            row[events.rank[chosen]],
            events.begin_s[chosen],
            events.end_s[chosen],
            np.ones(int(chosen.sum())),
            len(rows),
            edges,
        )
    return result


def stack_pixels(seconds: FloatArray, capacity_s: FloatArray) -> NDArray[np.int64]:
    """Kind of every pixel, the kinds of one bin stacked: [rows, ROW_PIXELS, bins]; beyond the last
    kind: nothing recorded.

    seconds [kinds, rows, bins]; capacity_s [rows] = bin width x ranks of the row
    """
    top = np.cumsum(seconds / capacity_s[:, None], axis=0)
    level = (np.arange(ROW_PIXELS) + 0.5) / ROW_PIXELS
    index = np.zeros((seconds.shape[1], ROW_PIXELS, seconds.shape[2]), np.int64)
    for kind in range(len(seconds)):
        index += top[kind][:, None, :] <= level[None, :, None]
    return index


def draw_timeline(runs: list[RunData], width_inches: float) -> Figure:
    """One panel per run, on the same time axis. Runs without events have none."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    runs = [run for run in runs if len(run.events)]
    narrow = is_narrow(width_inches)
    end_s = max(float(run.events.end_s.max()) for run in runs) or 1e-9
    rows = [group_ranks(run.roles) for run in runs]
    heights = [0.55 + _row_inches(len(its_rows)) * len(its_rows) for its_rows in rows]
    used = dict.fromkeys(name for run in runs for name in _kinds_of(run))
    columns = 2 if narrow else 7
    legend_inches = 0.24 * -(-len(used) // columns)
    with rc_context(PICTURE_STYLE):
        size = (width_inches, sum(heights) + 0.5 + legend_inches)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(runs), 1, squeeze=False, sharex=True, height_ratios=heights)
        for run, its_rows, panel in zip(runs, rows, panels[:, 0], strict=True):
            edges = np.linspace(0.0, end_s, (NARROW_BINS if narrow else BINS) + 1)
            _draw_run(panel, run, its_rows, edges)
            if len(runs) > 1:
                panel.set_title(run.name)
        panels[-1, 0].set_xlabel("time since start [s]")
        figure.legend(
            handles=[Patch(facecolor=kind_colour(k), label=KIND_WORDS.get(k, k)) for k in used],
            loc="outside upper left", ncols=columns, frameon=False,
            columnspacing=1.3, handlelength=1.2, handleheight=1.0, fontsize=10,
        )  # fmt: skip
    return figure


def kind_colour(kind: str) -> str:
    return KIND_COLOURS.get(kind, SPARE_COLOUR)


def _kinds_of(run: RunData) -> list[str]:
    """Kinds that are seen: one that lies wholly under others is not."""
    flat = flatten(run.events)
    return [flat.kinds[kind] for kind in np.unique(flat.kind[flat.end_s > flat.begin_s])]


def _row_inches(rows: int) -> float:
    return float(np.clip(8.0 / rows, 0.16, 0.5))


def _draw_run(panel: Axes, run: RunData, rows: list[list[int]], edges: FloatArray) -> None:
    from matplotlib.colors import to_rgba

    seconds = coverage(run, rows, edges)
    ranks_of_row = np.array([len(members) for members in rows])
    pixels = stack_pixels(seconds, ranks_of_row * (edges[1] - edges[0]))
    gap = np.full((len(rows), GAP_PIXELS, len(edges) - 1), len(seconds))
    # Row 0 on top; within a row the first kind at the bottom.
    image = np.concatenate([pixels[:, ::-1, :], gap], axis=1).reshape(-1, len(edges) - 1)
    row_height = ROW_PIXELS + GAP_PIXELS
    colours = [to_rgba(kind_colour(kind)) for kind in run.events.kinds] + [(0.0, 0.0, 0.0, 0.0)]
    panel.imshow(
        np.array(colours)[image],  # as colours: a translucent one stays so
        aspect="auto", interpolation="nearest",
        extent=(0.0, float(edges[-1]), len(rows) * row_height, 0.0),
    )  # fmt: skip
    panel.set_yticks(
        [row * row_height + ROW_PIXELS / 2 for row in range(len(rows))],
        [row_label(members, run.roles) for members in rows],
    )
    for label, members in zip(panel.get_yticklabels(), rows, strict=True):
        if run.roles[members[0]] != "compute":
            label.set_fontweight("bold")
            label.set_color(INK)
    panel.tick_params(axis="y", length=0)
    panel.spines["left"].set_visible(False)
    panel.set_ylabel("rank")
