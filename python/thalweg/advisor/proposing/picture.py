# SPDX-License-Identifier: Apache-2.0
"""The curve of the predicted run time over the number of I/O ranks, with its interval."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from thalweg.advisor.proposing.propose import Proposal
from thalweg.errors import ThalwegError

_INK, _SOFT, _LINE, _BLUE, _ORANGE = "#1b1f24", "#5b636d", "#dde1e6", "#0072B2", "#D55E00"
_STYLE: Any = {
    "font.family": "DejaVu Sans", "font.size": 10.0, "text.color": _INK,
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": _SOFT,
    "axes.labelcolor": _INK, "axes.titlelocation": "left", "axes.titlesize": 11.0,
    "axes.titleweight": "bold", "xtick.color": _SOFT, "ytick.color": _SOFT,
}  # fmt: skip
_DOTS_PER_INCH = 130
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Run time over I/O ranks</title></head>
<body>{figure}</body></html>
"""


def write_curve(proposal: Proposal, path: Path) -> None:
    """PNG, SVG, PDF or HTML, as the name ends. Raises a sentence."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    ranks = [way.choice.io_ranks for way in proposal.curve]
    told = [way.prediction for way in proposal.curve]
    with rc_context(_STYLE):
        figure = Figure(figsize=(7.2, 4.2), layout="constrained", facecolor="white")
        kind = path.suffix.lower().lstrip(".")
        if kind != "html" and kind not in figure.canvas.get_supported_filetypes():
            raise ThalwegError(
                f"'{path}' is no picture; end its name with .png, .svg, .pdf or .html"
            )
        panel = figure.subplots()
        panel.fill_between(
            ranks, [each.low_s for each in told], [each.high_s for each in told],
            color=_BLUE, alpha=0.18, linewidth=0, label="80 % of runs",
        )  # fmt: skip
        panel.plot(ranks, [each.total_s for each in told], color=_BLUE, label="predicted")
        panel.plot(ranks, [way.steps_s for way in proposal.curve], color=_SOFT, linestyle="--",
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
        panel.grid(color=_LINE, linewidth=0.8)
        panel.set_axisbelow(True)
        panel.legend(frameon=False)
        content = BytesIO()
        figure.savefig(content, format="svg" if kind == "html" else kind, dpi=_DOTS_PER_INCH)
        try:
            path.write_bytes(_page(content) if kind == "html" else content.getvalue())
        except OSError as error:
            raise ThalwegError(f"'{path}' cannot be written: {error.strerror}") from None


def _page(svg: BytesIO) -> bytes:
    """With the figure in it, so that it is one file."""
    figure = svg.getvalue().decode("utf-8")
    return _PAGE.format(figure=figure[figure.index("<svg") :]).encode("utf-8")


def _none() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()
