# SPDX-License-Identifier: Apache-2.0
"""Where the time of each run went: stacked bars of mean seconds per rank, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thalweg.report.metrics import time_shares
from thalweg.report.rundata import RunData
from thalweg.report.style import (
    DARK_KINDS,
    INK,
    KIND_WORDS,
    PICTURE_STYLE,
    ROLE_WORDS,
    is_narrow,
    number_text,
)
from thalweg.report.timeline import kind_colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Bars = list[tuple[str, dict[str, float]]]


def bars_by_role(runs: list[RunData]) -> list[tuple[str, Bars]]:
    """('compute ranks', (run, seconds by kind) of every run that has such ranks), ..."""
    found = []
    for role, word in ROLE_WORDS.items():
        bars = [(run.name, shares) for run in runs if (shares := time_shares(run, role))]
        if bars:
            found.append((f"{word} ranks", bars))
    return found


def draw_shares(runs: list[RunData], width_inches: float) -> Figure:
    """One panel per role, one bar per run; some run must have timers."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    roles = bars_by_role(runs)
    narrow = is_narrow(width_inches)
    longest = max(sum(shares.values()) for _, bars in roles for _, shares in bars)
    heights = [0.5 + 0.5 * len(bars) for _, bars in roles]
    with rc_context(PICTURE_STYLE):
        legend_inches = 1.7 if narrow else 0.6
        size = (width_inches, sum(heights) + 0.5 + legend_inches)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(roles), 1, squeeze=False, sharex=True, height_ratios=heights)
        drawn: dict[str, Any] = {}
        for panel, (name, bars) in zip(panels[:, 0], roles, strict=True):
            drawn |= _draw_bars(panel, bars, least_s=(0.17 if narrow else 0.05) * longest)
            panel.set_title(name)
        panels[-1, 0].set_xlabel("mean time per rank [s]")
        order = [kind for kind in KIND_WORDS if kind in drawn]
        order += [kind for kind in drawn if kind not in KIND_WORDS]
        figure.legend(
            [drawn[kind] for kind in order], [KIND_WORDS.get(kind, kind) for kind in order],
            loc="outside upper left", ncols=2 if narrow else 7, frameon=False, handlelength=1.2,
            columnspacing=1.3,
        )  # fmt: skip
    return figure


def _draw_bars(panel: Axes, bars: Bars, least_s: float) -> dict[str, Any]:
    """Returns a handle for the legend by kind. Pieces shorter than least_s carry no figure."""
    handles: dict[str, Any] = {}
    for row, (_, shares) in enumerate(bars):
        left = 0.0
        for kind, seconds in shares.items():
            bar = panel.barh(row, seconds, left=left, height=0.66, color=kind_colour(kind))
            handles.setdefault(kind, bar)
            if seconds > least_s:
                panel.text(
                    left + seconds / 2, row, f"{number_text(seconds, 2)} s", ha="center",
                    va="center", fontsize=9.5,
                    color=_letters_on(kind),
                )  # fmt: skip
            left += seconds
    panel.set_yticks(range(len(bars)), [name for name, _ in bars])
    panel.invert_yaxis()
    panel.tick_params(axis="y", length=0)
    return handles


def _letters_on(kind: str) -> str:
    if kind in ("idle", "other"):
        return INK  # translucent: as the page's own letters
    return "#fdfdfd" if kind in DARK_KINDS else "#101418"
