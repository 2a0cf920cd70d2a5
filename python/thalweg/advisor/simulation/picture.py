# SPDX-License-Identifier: Apache-2.0
"""The picture of a simulated run: what is under way, what the file system takes, what is lost."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.advisor.pictures import INK, LINE, STYLE, empty_figure, save_figure
from thalweg.advisor.simulation.result import Series, Simulation, Stall

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito (2008): distinct for every kind of colour vision; lines differ as well.
_CLASSES = {"output": ("#0072B2", "-"), "restart": ("#D55E00", "--")}
_STALLS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#1b1f24")
_OTHERS = "others"
_GB = 1e9  # bytes
_ROOM = 1.35


def write_picture(found: Simulation, path: Path) -> None:
    """PNG, SVG, PDF or HTML, as the name ends. Raises a sentence."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = empty_figure(10.0, 7.2, path)
        panels = figure.subplots(3, 1, sharex=True)
        _draw_under_way(panels[0], found)
        _draw_file_system(panels[1], found)
        _draw_stalls(panels[2], found)
        for panel in panels:
            panel.set_ylim(0.0, _ROOM * max(panel.get_ylim()[1], 1e-9))  # above: the legend
            panel.grid(axis="y", color=LINE, linewidth=0.8)
            panel.set_axisbelow(True)
        panels[2].set_xlim(0.0, found.total_s if found.total_s > 0.0 else 1.0)
        panels[2].set_xlabel("time [s]")
        save_figure(figure, path, "A simulated run")


def _draw_under_way(panel: Axes, found: Simulation) -> None:
    for each in found.classes:
        if each.events == 0:
            continue
        colour, line = _CLASSES[each.name]
        what = "outputs" if each.name == "output" else "checkpoints"
        label = (
            f"{what}: mean {each.under_way.mean:.3g}, most {each.under_way.largest:.0f}; "
            f"{each.ranks} rank{'s' * (each.ranks != 1)}, busy {100 * each.busy_share:.0f} %"
        )
        times, values = _corners(each.under_way, found.total_s)
        panel.plot(times, values, color=colour, linestyle=line, linewidth=1.4, label=label)
    panel.set_title("Under way: put and not yet on disk")
    panel.set_ylabel("[1]")
    _legend(panel)


def _draw_file_system(panel: Axes, found: Simulation) -> None:
    times, values = _corners(found.file_system, found.total_s)
    panel.fill_between(times, [v / _GB for v in values], color="#009E73", linewidth=0.0)
    mean = found.file_system.mean / _GB
    panel.axhline(mean, color=INK, linewidth=1.0, linestyle=":", label=f"mean {mean:.3g} GB/s")
    panel.set_title("File system")
    panel.set_ylabel("[GB/s]")
    _legend(panel)


def _draw_stalls(panel: Axes, found: Simulation) -> None:
    """Sums over time: a steep line is a compute rank that stands still."""
    totals = found.waiting_by_cause()
    causes = sorted(totals, key=lambda cause: -totals[cause])
    shown = causes[: len(_STALLS) - 1] if len(causes) > len(_STALLS) else causes
    rows = [(cause, [s for s in found.stalls if s.cause == cause]) for cause in shown]
    if len(shown) < len(causes):
        rows.append((_OTHERS, [s for s in found.stalls if s.cause not in shown]))
    for (cause, stalls), colour in zip(rows, _STALLS, strict=False):
        label = f"{cause}: {sum(s.seconds for s in stalls):.4g} s"
        times, sums = _summed(stalls, found.total_s)
        panel.plot(times, sums, color=colour, linewidth=1.6, label=label)
    lost = 100.0 * found.waiting_s / found.total_s if found.total_s > 0.0 else 0.0
    panel.set_title(f"Compute ranks stand still: {found.waiting_s:.4g} s, {lost:.1f} % of the run")
    panel.set_ylabel("[s], summed")
    _legend(panel)


def _summed(stalls: list[Stall], end_s: float) -> tuple[list[float], list[float]]:
    times, sums = [0.0], [0.0]
    for stall in stalls:
        times += [stall.begin_s, stall.begin_s + stall.seconds]
        sums += [sums[-1], sums[-1] + stall.seconds]
    return [*times, end_s], [*sums, sums[-1]]


def _corners(series: Series, end_s: float) -> tuple[list[float], list[float]]:
    """Bins as steps: each begins and ends where its mean holds."""
    borders = [*series.times_s, end_s]
    times = [t for pair in pairwise(borders) for t in pair]
    return times, [value for value in series.values for _ in range(2)]


def _legend(panel: Axes) -> None:
    if panel.get_legend_handles_labels()[0]:
        panel.legend(loc="upper left", frameon=True, framealpha=0.9, edgecolor="none", fontsize=9)
