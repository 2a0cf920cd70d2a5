# SPDX-License-Identifier: Apache-2.0
"""What every rank did when, as a picture whose coloured area is exactly the recorded time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thalweg.report.binning import flatten, group_ranks, row_label, row_of_rank, spread
from thalweg.report.rundata import KINDS, FloatArray, RunData
from thalweg.report.style import KIND_COLOURS, KIND_WORDS, PICTURE_STYLE, WIDTH_INCHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 1300  # about one per pixel
ROW_PIXELS = 30  # vertical steps within a row, for bins that hold several kinds
GAP_PIXELS = 6
NOTHING = len(KINDS)  # colour index of time without an event


def coverage(run: RunData, rows: list[list[int]], edges: FloatArray) -> FloatArray:
    """Seconds of every kind in every bin, summed over the ranks of a row: [kinds, rows, bins]."""
    events = flatten(run.events)
    row = row_of_rank(rows, len(run.roles))
    result = np.zeros((len(KINDS), len(rows), len(edges) - 1))
    for kind in range(len(KINDS)):
        chosen = (events.kind == kind) & (row[events.rank] >= 0)
        result[kind] = spread(
            row[events.rank[chosen]],
            events.begin_s[chosen],
            events.end_s[chosen],
            np.ones(int(chosen.sum())),
            len(rows),
            edges,
        )
    return result


def stack_pixels(seconds: FloatArray, capacity_s: FloatArray) -> NDArray[np.int64]:
    """Colour index of every pixel, the kinds of one bin stacked: [rows, ROW_PIXELS, bins].

    seconds [kinds, rows, bins]; capacity_s [rows] = bin width x ranks of the row
    """
    top = np.cumsum(seconds / capacity_s[:, None], axis=0)
    level = (np.arange(ROW_PIXELS) + 0.5) / ROW_PIXELS
    index = np.zeros((seconds.shape[1], ROW_PIXELS, seconds.shape[2]), np.int64)
    for kind in range(len(KINDS)):
        index += top[kind][:, None, :] <= level[None, :, None]
    return index


def draw_timeline(runs: list[RunData]) -> Figure | None:
    """One panel per run, on the same time axis; None when no run recorded events."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    runs = [run for run in runs if len(run.events)]
    if not runs:
        return None
    end_s = max(float(run.events.end_s.max()) for run in runs)
    rows = [group_ranks(run.roles) for run in runs]
    heights = [0.55 + _row_inches(len(its_rows)) * len(its_rows) for its_rows in rows]
    with rc_context(PICTURE_STYLE):
        figure = Figure(figsize=(WIDTH_INCHES, sum(heights) + 0.75), layout="constrained")
        panels = figure.subplots(len(runs), 1, squeeze=False, sharex=True, height_ratios=heights)
        used: set[int] = set()
        for run, its_rows, panel in zip(runs, rows, panels[:, 0], strict=True):
            used |= _draw_run(panel, run, its_rows, end_s, with_name=len(runs) > 1)
        panels[-1, 0].set_xlabel("time since start [s]")
        kinds = [KINDS[kind] for kind in sorted(used)]
        figure.legend(
            handles=[
                Patch(facecolor=KIND_COLOURS[k], edgecolor="#8a9097", linewidth=0.4,
                      label=KIND_WORDS[k])
                for k in kinds
            ],
            loc="outside upper left", ncols=len(kinds), frameon=False,
            columnspacing=1.3, handlelength=1.2, handleheight=1.0, fontsize=10,
        )  # fmt: skip
    return figure


def _row_inches(rows: int) -> float:
    return float(np.clip(8.0 / rows, 0.16, 0.5))


def _draw_run(
    panel: Axes, run: RunData, rows: list[list[int]], end_s: float, with_name: bool
) -> set[int]:
    """Draw one run; returns the kinds that occur."""
    from matplotlib.colors import ListedColormap

    edges = np.linspace(0.0, end_s, BINS + 1)
    seconds = coverage(run, rows, edges)
    ranks_of_row = np.array([len(members) for members in rows])
    pixels = stack_pixels(seconds, ranks_of_row * (edges[1] - edges[0]))
    gap = np.full((len(rows), GAP_PIXELS, BINS), NOTHING)
    # Row 0 on top; within a row the first kind at the bottom.
    image = np.concatenate([pixels[:, ::-1, :], gap], axis=1).reshape(-1, BINS)
    row_height = ROW_PIXELS + GAP_PIXELS
    panel.imshow(
        image,
        cmap=ListedColormap([KIND_COLOURS[kind] for kind in KINDS] + ["#ffffff"]),
        vmin=-0.5, vmax=NOTHING + 0.5, aspect="auto", interpolation="nearest",
        extent=(0.0, end_s, len(rows) * row_height, 0.0),
    )  # fmt: skip
    panel.set_yticks(
        [row * row_height + ROW_PIXELS / 2 for row in range(len(rows))],
        [row_label(members, run.roles) for members in rows],
    )
    for label, members in zip(panel.get_yticklabels(), rows, strict=True):
        if run.roles[members[0]] == "io":
            label.set_fontweight("bold")
            label.set_color(KIND_COLOURS["write"])
    panel.tick_params(axis="y", length=0)
    panel.spines["left"].set_visible(False)
    panel.set_ylabel("rank")
    if with_name:
        panel.set_title(run.name)
    return {kind for kind in range(len(KINDS)) if seconds[kind].any()}
