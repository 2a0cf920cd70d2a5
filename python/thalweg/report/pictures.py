# SPDX-License-Identifier: Apache-2.0
"""The pictures of a page: saved beside it as PNG, put into it as SVG for every screen and paper."""

from __future__ import annotations

import base64
import io
import math
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from thalweg.errors import ThalwegError
from thalweg.files.report_page import PICTURE_MARK
from thalweg.files.targets import write_whole
from thalweg.report.style import NARROW_INCHES, PAPER_COLOURS, PICTURE_STYLE, WIDE_INCHES

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PIL.PngImagePlugin import PngInfo

Draw = Callable[[float], "Figure"]  # width in inches -> the picture

DOTS_PER_INCH = 130
MOST_PICTURE_BYTES = 2_000_000  # base64 adds a third, and the page stays below 3 MB
_RASTER = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=\s]+)")


@dataclass(frozen=True)
class Picture:
    """One picture: as it lies beside the page, and the two of it within the page."""

    path: Path
    png: bytes
    wide_svg: bytes
    narrow_svg: bytes


@dataclass
class Pictures:
    """The pictures of a page in order."""

    folder: Path
    saved: list[Picture] = field(default_factory=list)

    def add(self, draw: Draw, name: str, alternative: str, caption: str) -> Markup:
        """Draws a picture; returns HTML with a placeholder that embed() replaces."""
        number = len(self.saved)
        path = self.folder / f"{number + 1:02d}-{name}.png"
        wide = draw(WIDE_INCHES)
        picture = Picture(path, png_bytes(wide), svg_bytes(wide), svg_bytes(draw(NARROW_INCHES)))
        self.saved.append(picture)
        template = Markup("<figure>@@picture{}:{}@@<figcaption>{}</figcaption></figure>")
        return template.format(number, alternative, caption)

    def write(self) -> None:
        """All or none."""
        try:
            for each in self.saved:
                self.folder.mkdir(parents=True, exist_ok=True)
                write_whole(each.path, each.png)
        except (OSError, ThalwegError):
            for each in self.saved:
                each.path.unlink(missing_ok=True)
            with suppress(OSError):  # somebody's own files are in it
                self.folder.rmdir()
            raise

    def embed(self, html: str) -> str:
        """Replaces the placeholders. Pictures of too many bytes are put in as small PNGs."""
        total = sum(len(each.wide_svg) + len(each.narrow_svg) for each in self.saved)
        scale = 0.0
        if total > MOST_PICTURE_BYTES:
            scale = math.sqrt(MOST_PICTURE_BYTES / sum(len(each.png) for each in self.saved))
        for number, picture in enumerate(self.saved):
            image = _png_image(picture, scale) if scale else _svg_image(picture)
            html = re.sub(f"@@picture{number}:([^@]*)@@", partial(_put, image), html)
        return html


def _put(image: str, placeholder: re.Match[str]) -> str:
    return image.replace("@@alternative@@", placeholder[1])


def _svg_image(picture: Picture) -> str:
    wide, narrow = _data("svg+xml", picture.wide_svg), _data("svg+xml", picture.narrow_svg)
    return (
        f'<picture><source media="(max-width: 640px)" srcset="{narrow}">'
        f'<img src="{wide}" alt="@@alternative@@"></picture>'
    )


def _png_image(picture: Picture, scale: float) -> str:
    source = _data("png", _resized(picture.png, min(1.0, scale)))
    return f'<img class="paper" src="{source}" alt="@@alternative@@">'


def _data(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"


def png_bytes(figure: Figure) -> bytes:
    """On white paper, with at most 256 colours: a third of the size, no visible difference."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    with rc_context(PICTURE_STYLE):  # of ticks that are made now
        canvas: Any = FigureCanvasAgg(figure)  # whose methods have no types
        figure.dpi = DOTS_PER_INCH
        _lay_out(figure)
        figure.set_facecolor("white")
        canvas.draw()
        figure.set_facecolor("none")
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    small = io.BytesIO()
    few = picture.quantize(256, dither=Image.Dither.NONE)
    few.save(small, format="png", optimize=True, pnginfo=_mark())
    return small.getvalue()


def _mark() -> PngInfo:
    """What a picture is known by when it is to go."""
    from PIL.PngImagePlugin import PngInfo

    mark = PngInfo()
    mark.add_text(*PICTURE_MARK)
    return mark


def svg_bytes(figure: Figure) -> bytes:
    """Without paper; letters and lines are light where the reader's page is dark."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    raw = io.StringIO()
    with rc_context(PICTURE_STYLE):
        canvas: Any = FigureCanvasSVG(figure)
        _lay_out(figure)
        figure.dpi = DOTS_PER_INCH  # of the rasters within
        canvas.print_svg(raw, metadata={"Date": None, "Creator": None})
    text = _RASTER.sub(lambda found: _fewer_colours(found[1]), raw.getvalue())
    light, dark = [], []
    for number, (colour, on_dark) in enumerate(PAPER_COLOURS.items()):
        text = text.replace(colour, f"var(--c{number})")
        light.append(f"--c{number}:{colour}")
        dark.append(f"--c{number}:{on_dark}")
    style = (
        f"<style>svg{{{';'.join(light)}}}"
        f"@media (prefers-color-scheme: dark){{svg{{{';'.join(dark)}}}}}</style>"
    )
    head = text.index("<svg")
    end = text.index(">", head) + 1
    return (text[head:end] + style + text[end:]).encode()


def _lay_out(figure: Figure) -> None:
    """Once, for its first canvas: the SVG of a figure comes after its PNG. savefig would draw each
    figure that has a layout twice.
    """
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        figure.set_layout_engine("none")


def _fewer_colours(base64_png: str) -> str:
    """A picture within a picture with a palette, if it has no more colours than that holds."""
    from PIL import Image

    content = base64.b64decode(base64_png)
    picture = Image.open(io.BytesIO(content)).convert("RGBA")
    small = io.BytesIO()
    picture.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        small, format="png", optimize=True
    )
    best = min(content, small.getvalue(), key=len)
    return _data("png", best)


def _resized(content: bytes, scale: float) -> bytes:
    if scale >= 1.0:
        return content
    from PIL import Image

    picture = Image.open(io.BytesIO(content)).convert("RGB")
    size = (max(1, int(picture.width * scale)), max(1, int(picture.height * scale)))
    smaller = io.BytesIO()
    picture.resize(size, Image.Resampling.LANCZOS).quantize(256).save(smaller, format="png")
    return smaller.getvalue()
