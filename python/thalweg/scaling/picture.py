# SPDX-License-Identifier: Apache-2.0
"""Three panels: time of a call on more ranks, what is kept when the grid grows, where it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg.lab.results import Line
from thalweg.report.style import INK, KIND_COLOURS, LINE, PICTURE_STYLE, SOFT
from thalweg.scaling.exchange_model import ExchangeModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_RANKS = 10_000
LEAST_CELLS = 16  # of a rank: with fewer there is nothing but rim
COLOURS = {
    "mpi": "#0072B2", "onesided": "#D55E00", "mpi with GPUs": "#009E73",
    "onesided with GPUs": "#CC79A7",
}  # fmt: skip
MARKS = {1: "o", 2: "s", 4: "D"}
PARTS = (("computing_s", "compute"), ("packing_s", "exchange"), ("waiting_s", "wait"))


def draw(lines: Sequence[Line], models: Mapping[str, ExchangeModel]) -> Figure:
    """`lines`: of one kernel, strong and weak."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({**PICTURE_STYLE, "text.parse_math": True}):  # powers of ten on its axes
        figure = Figure(figsize=(12.0, 4.3), layout="constrained")
        strong, weak, where = figure.subplots(1, 3)
        of_kernel = [each for each in lines if each["overlaps"]]
        _draw_strong(strong, [each for each in of_kernel if each["kind"] == "strong"], models)
        _draw_weak(weak, [each for each in of_kernel if each["kind"] == "weak"], models)
        _draw_parts(where, [each for each in lines if each["kind"] in ("strong", "weak")])
        for panel in (strong, weak, where):
            panel.grid(color=LINE, linewidth=0.8)
            panel.set_axisbelow(True)
    return figure


def _groups(lines: Sequence[Line]) -> dict[tuple[str, int], list[Line]]:
    found: dict[tuple[str, int], list[Line]] = {}
    for each in sorted(lines, key=lambda line: int(line["ranks"])):
        found.setdefault((each["target"], each["threads"]), []).append(each)
    return found


def _label(target: str, threads: int) -> str:
    return target if threads == 1 else f"{target}, {threads} threads a rank"


def _spread(lines: Sequence[Line]) -> list[list[float]]:
    return [
        [each["median"] - each["p05"] for each in lines],
        [each["p95"] - each["median"] for each in lines],
    ]


def _draw_strong(panel: Any, lines: Sequence[Line], models: Mapping[str, ExchangeModel]) -> None:
    for (target, threads), group in _groups(lines).items():
        panel.errorbar(
            [each["ranks"] for each in group], [each["median"] for each in group],
            yerr=_spread(group), color=COLOURS[target], marker=MARKS.get(threads, "^"),
            linestyle="none", label=f"{_label(target, threads)}: measured", capsize=2,
        )  # fmt: skip
        if threads == 1 and target in models:
            cells, levels = group[0]["cells"], group[0]["levels"]
            most = min(MOST_RANKS, max(cells // LEAST_CELLS, 2))
            ranks = np.unique(np.geomspace(1, most, 60).round().astype(int))
            panel.plot(
                ranks, [models[target].compact_s(cells, levels, int(each)) for each in ranks],
                color=COLOURS[target], linewidth=1.2, label=f"{target}: predicted",
            )  # fmt: skip
            panel.plot(
                ranks, models[target].compact_s(cells, levels, 1) / ranks, color=SOFT,
                linewidth=1.0, linestyle=":", label=None if target == "onesided" else "ideal",
            )  # fmt: skip
    panel.set(xscale="log", yscale="log", xlabel="ranks", ylabel="time of a call in s")
    panel.set_title("strong: the grid stays", loc="left")
    _legend(panel)


def _legend(panel: Any, **where: str) -> None:
    """Where there is something to tell."""
    if panel.get_legend_handles_labels()[0]:
        panel.legend(frameon=False, fontsize=8, **where)


def _draw_weak(panel: Any, lines: Sequence[Line], models: Mapping[str, ExchangeModel]) -> None:
    ranks = np.unique(np.geomspace(1, MOST_RANKS, 60).round().astype(int))
    for (target, threads), group in _groups(lines).items():
        one = next((each for each in group if each["ranks"] == 1), None)
        if one is None:
            continue
        panel.plot(
            [each["ranks"] for each in group],
            [100.0 * one["median"] / each["median"] for each in group],
            color=COLOURS[target], marker=MARKS.get(threads, "^"), label=_label(target, threads),
        )  # fmt: skip
        if threads == 1 and target in models:
            shares = models[target].weak_efficiency(one["cells"], one["levels"], ranks.tolist())
            panel.plot(
                ranks, [100.0 * each for each in shares], color=COLOURS[target], linewidth=1.2,
                linestyle="--", label=f"{target}: predicted",
            )  # fmt: skip
    panel.axhline(100.0, color=SOFT, linewidth=1.0, linestyle=":")
    panel.set(xscale="log", xlabel="ranks", ylabel="efficiency in %", ylim=(0.0, 120.0))
    panel.set_title("weak: it grows with them", loc="left")
    _legend(panel, loc="lower right")


def _draw_parts(panel: Any, lines: Sequence[Line]) -> None:
    """A bar for each trial of several ranks, in milliseconds."""
    shown = [each for each in lines if each["ranks"] > 1]
    names = [
        f"{each['kind']} {each['target']} {each['ranks']}x{each['threads']}"
        f"{'' if each['overlaps'] else ', no overlap'}"
        for each in shown
    ]
    left = np.zeros(len(shown))
    words = {"compute": "computing", "exchange": "packing", "wait": "waiting"}
    for key, kind in PARTS:
        values = 1e3 * np.array([each[key] for each in shown])
        panel.barh(names, values, left=left, color=KIND_COLOURS[kind], label=words[kind])
        left += values
    panel.invert_yaxis()
    panel.tick_params(axis="y", labelsize=7, colors=INK)
    panel.set(xlabel="ms of a call, mean over ranks")
    panel.set_title("where it went", loc="left")
    _legend(panel)
