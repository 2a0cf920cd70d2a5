# SPDX-License-Identifier: Apache-2.0
"""The page about runs: what limited them, where the time and the bytes went, and how it looks."""

from __future__ import annotations

from pathlib import Path

__all__ = ["plot_field", "write_report"]


def write_report(runs: list[Path], out: Path) -> Path:
    """Write one self-contained HTML file about these run directories, about one sweep, or about
    the lines of a benchmark of kernels.
    """
    # Here because matplotlib takes a second to load and `thalweg --help` does not need it.
    from thalweg.report import kernel_page, page, sweep_page

    if len(runs) == 1 and kernel_page.is_kernel_lines(runs[0]):
        return kernel_page.write_kernel_report(runs[0], out)
    if len(runs) == 1 and sweep_page.is_sweep(runs[0]):
        return sweep_page.write_sweep_report(runs[0], out)

    return page.write_report(runs, out)


def plot_field(
    path: Path,
    field: str,
    level: int,
    time: int,
    out_png: Path,
    extent: tuple[float, float, float, float] | None = None,
    contour_interval: float | None = None,
) -> Path:
    """Draw a field of an output file into a PNG; see fieldmap.plot_field."""
    from thalweg.report import fieldmap

    return fieldmap.plot_field(path, field, level, time, out_png, extent, contour_interval)
