# SPDX-License-Identifier: Apache-2.0
"""Draws one field on the sphere with its own triangles, sides or hexagons, exact to the pixel."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from thalweg.files.targets import write_whole
from thalweg.report.meshfield import MeshField, read_field
from thalweg.report.pictures import DOTS_PER_INCH
from thalweg.report.rundata import FloatArray
from thalweg.report.sphere import (
    Canvas,
    containing_faces,
    lonlat_canvas,
    mollweide_canvas,
    mollweide_forward,
    nearest_points,
)
from thalweg.report.style import INK, PICTURE_STYLE, WIDE_INCHES, is_narrow, units_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Extent = tuple[float, float, float, float]
EXACT_CELLS = 400_000  # beyond, a triangle is smaller than a pixel and its centre is enough
PIXELS_PER_INCH = 130
CLIP_PERCENT = 0.1  # share of points that may lie beyond either end of the colour bar


def plot_field(
    path: Path,
    field: str,
    level: int,
    time: int,
    out_png: Path,
    extent: Extent | None = None,
    contour_interval: float | None = None,
) -> Path:
    """Draw a field of an output file into a PNG and return its path.

    level counts from 1 (ignored if the field has none), 0 = first there is; time is an index,
    -1 = last;
    extent = (west, east, south, north) in degrees on a longitude-latitude map, None = the whole
    Earth (Mollweide); contour_interval in the field's units draws lines as well (cells only).
    """
    figure = draw_field(read_field(path, field, level, time), extent, contour_interval)
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=DOTS_PER_INCH, facecolor="white")
    out_png.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out_png, image.getvalue())
    return out_png


def draw_field(
    field: MeshField,
    extent: Extent | None = None,
    contour_interval: float | None = None,
    width_inches: float = WIDE_INCHES,
) -> Figure:
    """The map as a figure."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    width = round(width_inches * PIXELS_PER_INCH)
    canvas = lonlat_canvas(extent, width) if extent else mollweide_canvas(width)
    pixels, smooth = rasterise(field, canvas, with_smooth=contour_interval is not None)
    # The colour bar is for what is seen: a region has its own, the Earth counts every point once.
    shown = pixels if extent else field.values
    low, high, signed = colour_range(shown)
    narrow = is_narrow(width_inches)
    ratio = pixels.shape[0] / pixels.shape[1]
    height = width_inches * ratio * (1.0 if narrow else 0.86) + (1.2 if narrow else 0.75)
    with rc_context(PICTURE_STYLE):
        figure = Figure(figsize=(width_inches, height), layout="constrained")
        axes = figure.add_subplot()
        image = axes.imshow(
            np.ma.masked_invalid(pixels),
            cmap="RdBu_r" if signed else "viridis", vmin=low, vmax=high,
            extent=canvas.extent, origin="upper", interpolation="nearest",
        )  # fmt: skip
        axes.set_title(_title(field, narrow))
        bar = figure.colorbar(
            image, ax=axes, extend=_extend(shown, low, high), shrink=0.82, pad=0.015,
            location="bottom" if narrow else "right",
        )  # fmt: skip
        bar.set_label(f"{field.name} [{units_text(field.units)}]")
        bar.ax.ticklabel_format(axis="x" if narrow else "y", scilimits=(-3, 5))
        if narrow:
            bar.ax.locator_params(axis="x", nbins=5)
        if smooth is not None and contour_interval:
            _contours(axes, canvas, smooth, contour_interval)
        if extent:
            axes.set_xlabel("longitude [degrees east]")
            axes.set_ylabel("latitude [degrees north]")
            axes.set_xticks(_round_ticks(extent[0], extent[1]))
            axes.set_yticks(_round_ticks(extent[2], extent[3]))
        else:
            _graticule(axes)
    return figure


def rasterise(
    field: MeshField, canvas: Canvas, with_smooth: bool = False
) -> tuple[FloatArray, FloatArray | None]:
    """Value of every pixel, nan outside the Earth and beside all cells; and one interpolated
    linearly between nodes.
    """
    on_earth, directions = canvas.directions()
    pixels = np.full(on_earth.shape, np.nan)
    smooth = None
    cells = field.location == "face" and len(field.faces) and len(field.nodes)
    if cells and (with_smooth or len(field.values) <= EXACT_CELLS):
        face, weights = containing_faces(field.nodes, field.faces, directions)
        pixels[on_earth] = np.where(face < 0, np.nan, field.values[face])
        if with_smooth:
            corner = field.faces[face]
            smooth = np.full(on_earth.shape, np.nan)
            smooth[on_earth] = (node_values(field)[corner] * weights).sum(axis=1)
    else:
        pixels[on_earth] = field.values[nearest_points(field.positions, directions)]
    return pixels, smooth


def node_values(field: MeshField) -> FloatArray:
    """Mean over the cells around each node: [nodes]."""
    count = np.bincount(field.faces.ravel(), minlength=len(field.nodes))
    total = np.bincount(
        field.faces.ravel(), np.repeat(field.values, field.faces.shape[1]), len(field.nodes)
    )
    mean: FloatArray = total / np.maximum(count, 1)
    return mean


def colour_range(values: FloatArray) -> tuple[float, float, bool]:
    """(low, high, signed): symmetric about zero if the field has both signs in earnest."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0, 1.0, False
    low, high = np.percentile(finite, [CLIP_PERCENT, 100.0 - CLIP_PERCENT])
    if low == high:
        low, high = float(finite.min()), float(finite.max())
    if low < 0.0 < high and min(-low, high) > 0.05 * max(-low, high):
        return -max(-low, high), max(-low, high), True
    return (float(low), float(high), False) if high > low else (low - 0.5, low + 0.5, False)


def _extend(values: FloatArray, low: float, high: float) -> str:
    below, above = np.nanmin(values) < low, np.nanmax(values) > high
    return {(True, True): "both", (True, False): "min", (False, True): "max"}.get(
        (bool(below), bool(above)), "neither"
    )


def _title(field: MeshField, narrow: bool) -> str:
    name = field.name if narrow else field.long_name
    parts = [name if narrow else name[:1].upper() + name[1:]]
    if field.level:
        parts.append(f"level {field.level}")
    return ", ".join(parts + ([field.time_text] if field.time_text else []))


def _contours(axes: Axes, canvas: Canvas, smooth: FloatArray, interval: float) -> None:
    last = int(np.nanmax(np.abs(smooth)) / interval)
    levels = np.array([n * interval for n in range(-last, last + 1) if n], np.float64)
    if 0 < len(levels) <= 80:
        axes.contour(
            np.ma.masked_invalid(smooth), levels=levels, colors="black", linewidths=0.6,
            extent=canvas.extent, origin="upper",
        )  # fmt: skip


def _round_ticks(low: float, high: float) -> list[float]:
    span = high - low
    step = next(s for s in (1, 2, 5, 10, 15, 20, 30, 45, 60) if span / s <= 8 or s == 60)
    return [float(tick) for tick in np.arange(np.ceil(low / step) * step, high + 1e-9, step)]


def _graticule(axes: Axes) -> None:
    latitude = np.linspace(-90.0, 90.0, 181)
    for meridian in range(-180, 181, 60):
        edge = abs(meridian) == 180
        x, y = mollweide_forward(np.full_like(latitude, meridian), latitude)
        axes.plot(x, y, color=INK, linewidth=0.9 if edge else 0.35, alpha=1 if edge else 0.5)
    for parallel in range(-60, 61, 30):
        x, y = mollweide_forward(np.array([-180.0, 180.0]), np.full(2, float(parallel)))
        axes.plot(x, y, color=INK, linewidth=0.35, alpha=0.5)
        side = "" if parallel == 0 else ("N" if parallel > 0 else "S")
        axes.text(x[0] - 0.05, y[0], f"{abs(parallel)}\u00b0{side}", ha="right", va="center",
                  fontsize=8.5, color=INK)  # fmt: skip
    axes.set_axis_off()
    axes.set_xlim(-3.15, 2.9)
