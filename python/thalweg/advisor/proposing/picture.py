# SPDX-License-Identifier: Apache-2.0
"""The curve of the predicted run time over the number of I/O ranks, with its interval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thalweg.advisor.pictures import LINE, SOFT, STYLE, empty_figure, save_figure
from thalweg.advisor.proposing.propose import Proposal

_BLUE, _ORANGE = "#0072B2", "#D55E00"


def write_curve(proposal: Proposal, path: Path) -> None:
    """PNG, SVG, PDF or HTML, as the name ends. Raises a sentence."""
    from matplotlib import rc_context
    from matplotlib.ticker import FuncFormatter

    ranks = [way.choice.io_ranks for way in proposal.curve]
    told = [way.prediction for way in proposal.curve]
    with rc_context(STYLE):
        figure = empty_figure(7.2, 4.2, path)
        panel = figure.subplots()
        panel.fill_between(
            ranks, [each.low_s for each in told], [each.high_s for each in told],
            color=_BLUE, alpha=0.18, linewidth=0, label="80 % of runs",
        )  # fmt: skip
        panel.plot(ranks, [each.total_s for each in told], color=_BLUE, label="predicted")
        panel.plot(ranks, [way.steps_s for way in proposal.curve], color=SOFT, linestyle="--",
                   label="time steps alone")  # fmt: skip
        best = proposal.best
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
        nodes = proposal.nodes
        panel.set_title(
            f"Predicted run time on {nodes.count} nodes with {nodes.ranks_per_node} ranks each"
        )
        panel.grid(color=LINE, linewidth=0.8)
        panel.set_axisbelow(True)
        panel.legend(frameon=False)
        save_figure(figure, path, "Run time over I/O ranks")


def _none() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()
