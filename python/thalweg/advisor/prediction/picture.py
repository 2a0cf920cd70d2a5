# SPDX-License-Identifier: Apache-2.0
"""The picture of a validation: predicted against measured, and how far off, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.advisor.pictures import LINE, SOFT, STYLE, empty_figure, save_figure
from thalweg.advisor.prediction.run_facts import MeasuredRun
from thalweg.advisor.prediction.validation import Result, TriedRun

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito (2008): distinct for every kind of colour vision; marks differ as well.
_LOOKS = {
    "serial output": ("#D55E00", "s"),
    "I/O ranks": ("#0072B2", "o"),
    "sync restart": ("#E69F00", "v"),
    "async restart": ("#009E73", "^"),
    "multifile restart": ("#CC79A7", "D"),
    "output and restart": ("#56B4E9", "P"),
}


def write_picture(result: Result, path: Path) -> None:
    """PNG, SVG, PDF or HTML, as the name ends. Raises a sentence."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = empty_figure(10.0, 4.9, path)
        left, right = figure.subplots(1, 2)
        for name in _LOOKS:
            if chosen := [each for each in result.tried if _look(each.run) == name]:
                _draw_times(left, name, chosen)
                _draw_errors(right, name, chosen)
        _finish(left, right, result.tried)
        figure.legend(
            *left.get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False,
            handletextpad=0.3, columnspacing=1.4,
        )  # fmt: skip
        save_figure(figure, path, "Predicted against measured")


def _look(run: MeasuredRun) -> str:
    facts = run.facts
    if facts.outputs and facts.checkpoints:
        return "output and restart"
    if facts.checkpoints:
        known = {"sync": "sync restart", "async": "async restart"}
        return known.get(facts.restart_mode, "multifile restart")
    return "I/O ranks" if facts.io_ranks else "serial output"


def _draw_times(panel: Axes, name: str, chosen: Sequence[TriedRun]) -> None:
    colour, mark = _LOOKS[name]
    told = [each.prediction for each in chosen]
    panel.errorbar(
        [each.run.total_s for each in chosen], [each.total_s for each in told],
        yerr=[[e.total_s - e.low_s for e in told], [e.high_s - e.total_s for e in told]],
        label=name, color=colour, marker=mark, markersize=5, linestyle="none", elinewidth=1.0,
    )  # fmt: skip


def _draw_errors(panel: Axes, name: str, chosen: Sequence[TriedRun]) -> None:
    colour, mark = _LOOKS[name]
    measured = [each.run.total_s for each in chosen]

    def percent(values: Sequence[float]) -> list[float]:
        return [100.0 * (v / m - 1.0) for v, m in zip(values, measured, strict=True)]

    told = percent([each.prediction.total_s for each in chosen])
    low = percent([each.prediction.low_s for each in chosen])
    high = percent([each.prediction.high_s for each in chosen])
    below = [t - v for t, v in zip(told, low, strict=True)]
    above = [v - t for t, v in zip(told, high, strict=True)]
    panel.errorbar(
        measured, told, yerr=[below, above], color=colour, marker=mark, markersize=5,
        linestyle="none", elinewidth=1.0,
    )  # fmt: skip


def _finish(left: Axes, right: Axes, tried: Sequence[TriedRun]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    values = [v for each in tried for v in (each.run.total_s, each.prediction.total_s)]
    ends = (min(values) / 1.15, max(values) * 1.15)
    left.plot(ends, ends, color=SOFT, linewidth=1.0, zorder=0)
    right.axhline(0.0, color=SOFT, linewidth=1.0, zorder=0)
    left.set(xscale="log", yscale="log", xlim=ends, ylim=ends, aspect="equal")
    right.set(xscale="log", xlim=ends)
    left.set_title("Total time of runs that were not fitted")
    right.set_title("How far off, with the 80 % interval")
    left.set_ylabel("predicted [s]")
    right.set_ylabel("predicted over measured - 1 [%]")
    for axis in (left.xaxis, left.yaxis, right.xaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
    for panel in (left, right):
        panel.set_xlabel("measured [s]")
        panel.grid(color=LINE, linewidth=0.8)
        panel.set_axisbelow(True)
