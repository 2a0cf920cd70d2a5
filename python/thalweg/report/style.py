# SPDX-License-Identifier: Apache-2.0
"""Colours, fonts and numbers as people read them: the look of the page and of its pictures."""

from __future__ import annotations

import math
import re
from typing import Any

# After Okabe and Ito (2008), distinct for every kind of colour vision, on light and dark paper;
# translucent grey for nothing to do.
KIND_COLOURS = {
    "start": "#A996D3",
    "compute": "#0072B2",
    "exchange": "#56B4E9",
    "copy": "#F0E442",
    "wait": "#D55E00",
    "send": "#E69F00",
    "get": "#7FD1C0",
    "reorder": "#CC79A7",
    "write": "#009E73",
    "close": "#7A4B9A",
    "spill": "#8C510A",
    "idle": "#8C949C40",
    "other": "#8C949CA0",
}
KIND_WORDS = {
    "start": "starting",
    "compute": "computing",
    "exchange": "halos and agreement",
    "copy": "copying",
    "wait": "waiting for output",
    "send": "handing over",
    "get": "getting",
    "reorder": "reordering",
    "write": "writing",
    "close": "closing files",
    "spill": "spilling to disk",
    "idle": "idle",
    "other": "other",
}
DARK_KINDS = ("compute", "wait", "write", "close", "spill")  # white letters on them
KINDS = tuple(KIND_COLOURS)  # as in include/thalweg/timers.hpp, in the order of drawing
ROLE_WORDS = {"compute": "compute", "io": "I/O", "restart": "restart"}

# Letters and lines of a picture: pictures.py makes them follow the page's light or dark paper.
INK, SOFT, LINE = "#1b1f24", "#5b636d", "#dde1e6"
PAPER_COLOURS = {INK: "#e9ecef", SOFT: "#a0a8b1", LINE: "#343a41"}  # light: dark
WIDE_INCHES, NARROW_INCHES = 11.0, 3.9  # a page on a desk, on a telephone

# Any: matplotlib's own types list the name of every setting it has.
PICTURE_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 10.0,
    "text.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "text.parse_math": False,  # names of runs and fields may have any letters, $ too
    "svg.fonttype": "path",  # the same letters whatever fonts the reader has
}


def is_narrow(width_inches: float) -> bool:
    """Is a picture for a telephone: fewer ticks and columns, the same size of letters?"""
    return width_inches < 6.0


def number_text(value: float, digits: int = 3) -> str:
    """A number with so many significant digits and thin spaces between thousands."""
    if not math.isfinite(value):
        return "\u2013"
    if value == 0.0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude < -3 or magnitude > 8:
        return f"{value:.{digits - 1}e}"
    return f"{value:,.{max(0, digits - 1 - magnitude)}f}".replace(",", "\u202f")


def bytes_text(size: float) -> tuple[str, str]:
    """(number, unit) of a size, decimal prefixes."""
    if not math.isfinite(size):
        return "\u2013", ""
    unit, *larger = ("B", "kB", "MB", "GB", "TB", "PB")
    while abs(size) >= 1000.0 and larger:
        size, unit = size / 1000.0, larger.pop(0)
    return (f"{size:.0f}" if unit == "B" else number_text(size)), unit


def units_text(units: str) -> str:
    """ "m2 s-1" with raised digits; "1" for a pure number."""
    raised = str.maketrans(
        "-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
    )
    return re.sub(r"(?<=[A-Za-z])-?\d+", lambda m: m[0].translate(raised), units) or "1"
