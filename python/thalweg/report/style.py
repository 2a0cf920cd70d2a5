# SPDX-License-Identifier: Apache-2.0
"""Colours, fonts and numbers as people read them: the look of the page and of its pictures."""

from __future__ import annotations

import io
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito (2008), distinct for every kind of colour vision; grey for nothing to do.
KIND_COLOURS = {
    "compute": "#0072B2",
    "copy": "#F0E442",
    "wait": "#D55E00",
    "send": "#E69F00",
    "get": "#56B4E9",
    "reorder": "#CC79A7",
    "write": "#009E73",
    "close": "#222222",
    "idle": "#D9DCE0",
}
KIND_WORDS = {
    "compute": "computing",
    "copy": "copying",
    "wait": "waiting",
    "send": "sending",
    "get": "getting",
    "reorder": "reordering",
    "write": "writing",
    "close": "closing files",
    "idle": "idle",
}
OTHER_COLOUR = "#9AA0A6"
DOTS_PER_INCH = 130
WIDTH_INCHES = 11.0

# Any: matplotlib's own types list the name of every setting it has.
PICTURE_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#5f6670",
    "axes.labelcolor": "#22262b",
    "axes.titlelocation": "left",
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "xtick.color": "#40464d",
    "ytick.color": "#40464d",
    "figure.facecolor": "white",
}

CSS = """
:root { color-scheme: light dark; --paper: #f5f6f8; --card: #ffffff; --ink: #1b1f24;
  --soft: #5b636d; --line: #dde1e6; --accent: #0072b2; --bar: #a9cfe6;
  --warn: #a84300; --warn-paper: #fdf0e8; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --card: #1e2226; --ink: #e9ecef;
  --soft: #a0a8b1; --line: #343a41; --accent: #6cbcf0; --bar: #2b5d7d; --warn: #ffa366;
  --warn-paper: #33241a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 17px/1.5 system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; }
main, header, footer { max-width: 1240px; margin: 0 auto; padding: 0 28px; }
header { padding-top: 34px; }
header p.product { margin: 0; color: var(--accent); font-weight: 600; letter-spacing: .04em; }
h1 { font-size: 2rem; line-height: 1.22; margin: .2em 0 .3em; max-width: 34em;
  text-wrap: balance; }
h2 { font-size: 1.4rem; margin: 2.2em 0 .5em; padding-top: .8em;
  border-top: 3px solid var(--line); }
h3 { font-size: 1.12rem; margin: 1.7em 0 .4em; }
p.lead { color: var(--soft); margin: .2em 0 1.2em; font-size: 1.06rem; }
p.note { color: var(--soft); margin: .3em 0 .8em; max-width: 60em; }
ul.problems { background: var(--warn-paper); border-left: 6px solid var(--warn); border-radius: 6px;
  padding: .7em 1em .7em 2em; margin: 1em 0; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8em 1em;
  overflow-x: auto; font-size: .82rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 11px 14px; }
.tile b { display: block; font-size: 1.65rem; line-height: 1.2; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.tile b small { font-size: .95rem; font-weight: 500; color: var(--soft); }
.tile span { color: var(--soft); font-size: .9rem; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; padding: 4px 14px; margin: .6em 0; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { padding: 5px 10px; text-align: left; border-bottom: 1px solid var(--line);
  vertical-align: top; }
tr:last-child td, tr:last-child th { border-bottom: 0; }
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 500; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.best { font-weight: 750; color: var(--accent); }
td.bar { width: 17%; min-width: 110px; vertical-align: middle; }
td.bar i { display: block; height: 11px; border-radius: 3px; background: var(--bar);
  border-right: 3px solid var(--accent); }
[title] { cursor: help; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr));
  gap: 10px 24px; margin: 1.1em 4px; }
.facts dt { color: var(--soft); font-size: .86rem; }
.facts dd { margin: 0; font-weight: 600; }
figure { margin: .8em 0 1.2em; }
figure img { display: block; width: 100%; height: auto; background: #fff; border-radius: 10px;
  border: 1px solid var(--line); }
figcaption { color: var(--soft); font-size: .92rem; margin-top: .4em; max-width: 62em; }
footer { color: var(--soft); font-size: .88rem; margin-top: 3em; padding-bottom: 3em; }
footer code { font-size: .84rem; overflow-wrap: anywhere; }
@media print { body { background: #fff; } figure { break-inside: avoid; } }
"""


def picture_bytes(figure: Figure) -> bytes:
    """The figure as a PNG with at most 256 colours: a third of the size, no visible difference."""
    from PIL import Image

    raw = io.BytesIO()
    figure.savefig(raw, format="png", dpi=DOTS_PER_INCH)
    picture = Image.open(raw).convert("RGB")
    small = io.BytesIO()
    picture.quantize(256, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return min(raw.getvalue(), small.getvalue(), key=len)


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
