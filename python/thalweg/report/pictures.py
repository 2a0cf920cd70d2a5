# SPDX-License-Identifier: Apache-2.0
"""The pictures of a page: saved beside it as PNG files, and put into it as text."""

from __future__ import annotations

import base64
import io
import math
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.report.style import picture_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PICTURE_BYTES = 2_000_000  # as PNG; base64 adds a third, and the page stays below 3 MB


@dataclass
class Pictures:
    """The pictures of a page in order: saved beside it, and put into it at the end."""

    folder: Path
    saved: list[tuple[Path, bytes]] = field(default_factory=list)

    def add(self, figure: Figure, name: str, alternative: str, caption: str) -> str:
        """Save a figure; returns HTML with a placeholder that embed() replaces."""
        path = self.folder / f"{len(self.saved) + 1:02d}-{name}.png"
        content = picture_bytes(figure)
        self.folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.saved.append((path, content))
        return (
            f'<figure><img src="@@picture{len(self.saved) - 1}@@" alt="{escape(alternative)}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )

    def embed(self, html: str) -> str:
        """Replace the placeholders by the pictures, made smaller if they are too many bytes."""
        total = sum(len(content) for _, content in self.saved)
        scale = min(1.0, math.sqrt(MOST_PICTURE_BYTES / total)) if total else 1.0
        for number, (_, content) in enumerate(self.saved):
            text = base64.b64encode(_resized(content, scale)).decode("ascii")
            html = html.replace(f"@@picture{number}@@", f"data:image/png;base64,{text}")
        return html


def _resized(content: bytes, scale: float) -> bytes:
    if scale >= 1.0:
        return content
    from PIL import Image

    picture = Image.open(io.BytesIO(content)).convert("RGB")
    size = (max(1, int(picture.width * scale)), max(1, int(picture.height * scale)))
    smaller = io.BytesIO()
    picture.resize(size, Image.Resampling.LANCZOS).quantize(256).save(smaller, format="png")
    return smaller.getvalue()
