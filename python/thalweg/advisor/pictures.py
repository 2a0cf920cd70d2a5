# SPDX-License-Identifier: Apache-2.0
"""How pictures of the advisor look, and how they are written."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thalweg.errors import ThalwegError
from thalweg.files.targets import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, SOFT, LINE = "#1b1f24", "#5b636d", "#dde1e6"
STYLE: Any = {
    "font.family": "DejaVu Sans", "font.size": 10.0, "text.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": SOFT,
    "axes.labelcolor": INK, "axes.titlelocation": "left", "axes.titlesize": 11.0,
    "axes.titleweight": "bold", "xtick.color": SOFT, "ytick.color": SOFT,
}  # fmt: skip
_DOTS_PER_INCH = 130
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body>{figure}</body></html>
"""


def empty_figure(width: float, height: float, path: Path) -> Figure:
    """Inches. Within `rc_context(STYLE)`. Raises a sentence where the name is of no picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    kind = _kind(path)
    if kind != "html" and kind not in figure.canvas.get_supported_filetypes():
        raise ThalwegError(f"'{path}' is no picture; end its name with .png, .svg, .pdf or .html")
    return figure


def save_figure(figure: Figure, path: Path, title: str) -> None:
    """As the name ends; a page has the figure in it, so that it is one file. Raises a sentence."""
    content, kind = BytesIO(), _kind(path)
    figure.savefig(content, format="svg" if kind == "html" else kind, dpi=_DOTS_PER_INCH)
    found = content.getvalue()
    if kind == "html":
        text = found.decode("utf-8")
        found = _PAGE.format(title=title, figure=text[text.index("<svg") :]).encode("utf-8")
    write_whole(path, found)


def _kind(path: Path) -> str:
    return path.suffix.lower().lstrip(".")
