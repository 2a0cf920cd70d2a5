# SPDX-License-Identifier: Apache-2.0
"""The picture of kernels: the share of STREAM triad of each, in every target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thalweg.report.kernel_data import KernelData, demanded, originals
from thalweg.report.style import INK, LINE, PICTURE_STYLE, SOFT, is_narrow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito (2008). Two threads share the memory, so their triad is that of two.
TARGETS = (
    ("serial", "one core, serial", "#56B4E9", "s"),
    ("simd", "one core, long vectors", "#0072B2", "o"),
    ("openmp", "two threads, of their triad", "#D55E00", "D"),
    ("gtfn", "GT4Py's gtfn", "#CC79A7", "^"),
    ("dace", "GT4Py's DaCe", "#009E73", "v"),
)


def draw_kernels(data: KernelData, width_inches: float) -> Figure:
    """Medians; bars from the 5th to the 95th percentile."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    names = [str(line["kernel"]) for line in data.best][::-1]  # the first at the top
    published, bars = originals()[0], demanded()
    with rc_context(PICTURE_STYLE):
        figure = Figure(figsize=(width_inches, 0.42 * len(names) + 1.8), layout="constrained")
        panel = figure.subplots()
        for number, (target, label, colour, mark) in enumerate(TARGETS):
            found = [(row, data.fastest(name, target)) for row, name in enumerate(names)]
            there = [(row, line) for row, line in found if line]
            if not there:
                continue
            middle = [float(line["median"]) for _, line in there]
            below = [m - float(line["p05"]) for m, (_, line) in zip(middle, there, strict=True)]
            above = [float(line["p95"]) - m for m, (_, line) in zip(middle, there, strict=True)]
            shift = 0.14 * (2 - number)
            panel.errorbar(
                middle, [row + shift for row, _ in there], xerr=[below, above], label=label,
                color=colour, marker=mark, markersize=6, linestyle="none", capsize=2,
                elinewidth=1.0,
            )  # fmt: skip
        rows = [row for row, name in enumerate(names) if name in published]
        panel.plot(
            [published[names[row]] for row in rows], rows, label="published code", color=SOFT,
            marker="X", markersize=7, linestyle="none",
        )  # fmt: skip
        rows = [row for row, name in enumerate(names) if name in bars]
        panel.plot(
            [bars[names[row]] for row in rows], rows, label="demanded of one core", color=INK,
            marker="|", markersize=13, markeredgewidth=1.6, linestyle="none",
        )  # fmt: skip
        panel.axvline(1.0, color=SOFT, linewidth=1.0, linestyle=":")
        panel.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
        panel.set_xlabel("share of STREAM triad (each array counts once)")
        panel.set_xlim(left=0.0)
        panel.grid(axis="x", color=LINE, linewidth=0.8)
        panel.set_axisbelow(True)
        handles, labels = panel.get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", frameon=False,
            ncols=2 if is_narrow(width_inches) else len(labels),
        )  # fmt: skip
    return figure
