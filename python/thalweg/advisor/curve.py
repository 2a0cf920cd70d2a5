# SPDX-License-Identifier: Apache-2.0
"""The curve of the predicted run time over the number of I/O ranks, as a picture and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from thalweg.advisor.pictures import LINE, SOFT, STYLE, empty_figure, save_figure
from thalweg.advisor.shapes import Nodes, Prediction
from thalweg.advisor.words import many

_BLUE, _ORANGE = "#0072B2", "#D55E00"


class ChosenRanks(Protocol):
    @property
    def io_ranks(self) -> int: ...


class WayOnCurve(Protocol):
    """The best way with its number of I/O ranks."""

    @property
    def choice(self) -> ChosenRanks: ...
    @property
    def prediction(self) -> Prediction: ...
    @property
    def steps_s(self) -> float: ...
    @property
    def nodes(self) -> Nodes: ...


def curve_as_json(curve: Sequence[WayOnCurve]) -> list[dict[str, object]]:
    return [
        {
            "io_ranks": way.choice.io_ranks,
            "total_s": way.prediction.total_s,
            "low_s": way.prediction.low_s,
            "high_s": way.prediction.high_s,
        }
        for way in curve
    ]


def write_curve(curve: Sequence[WayOnCurve], best: WayOnCurve, path: Path) -> None:
    """PNG, SVG, PDF or HTML, as the name ends. Raises a sentence."""
    from matplotlib import rc_context
    from matplotlib.ticker import FuncFormatter

    ranks = [each.choice.io_ranks for each in curve]
    told = [each.prediction for each in curve]
    with rc_context(STYLE):
        figure = empty_figure(7.2, 4.2, path)
        panel = figure.subplots()
        panel.fill_between(
            ranks, [each.low_s for each in told], [each.high_s for each in told],
            color=_BLUE, alpha=0.18, linewidth=0, label="80 % of runs",
        )  # fmt: skip
        panel.plot(ranks, [each.total_s for each in told], color=_BLUE, label="predicted")
        panel.plot(ranks, [each.steps_s for each in curve], color=SOFT, linestyle="--",
                   label="time steps alone")  # fmt: skip
        panel.plot(best.choice.io_ranks, best.prediction.total_s, "o", color=_ORANGE, zorder=3,
                   label=f"proposed: {best.choice.io_ranks}")  # fmt: skip
        panel.set_xscale("symlog", linthresh=4.0)
        panel.set_xlim(0, max(ranks) * 1.05 or 1)
        ticks = [each for each in (0, 1, 2, 4, 8, 16, 32, 64, 128, 256) if each <= max(ranks)]
        panel.set_xticks(ticks)
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        panel.xaxis.set_minor_locator(_none())
        panel.set_ylim(0, None)
        panel.set_xlabel("I/O ranks")
        panel.set_ylabel("run time [s]")
        nodes = best.nodes
        on = f"{many(nodes.ranks, 'rank')} of {many(nodes.count, 'node')}"
        panel.set_title(f"Predicted run time on {on}")
        panel.grid(color=LINE, linewidth=0.8)
        panel.set_axisbelow(True)
        panel.legend(frameon=False)
        save_figure(figure, path, "Run time over I/O ranks")


def _none() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()
