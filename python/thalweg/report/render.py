# SPDX-License-Identifier: Apache-2.0
"""Fills the templates of the pages; whatever is text is escaped there."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from thalweg import __version__
from thalweg.errors import ThalwegError
from thalweg.files.report_page import GENERATOR, pictures_of, refuse_page, remove_pictures
from thalweg.files.targets import write_whole
from thalweg.report.pictures import Pictures

_TEMPLATES = Path(__file__).parent / "templates"


def write_page(template: str, out: Path, pictures: Pictures, content: dict[str, Any]) -> Path:
    """One HTML file that needs nothing else. Raises a sentence if it cannot be written."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template(template).render(
        **content,
        generator=GENERATOR,
        style=(_TEMPLATES / "style.css").read_text(encoding="utf-8"),
        page_name=out.name,
        version=__version__,
        now=datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    )
    write_whole(out, pictures.embed(page))  # needs none of the files below
    remove_pictures(out)
    pictures.write()
    return out


def start_pictures(out: Path) -> Pictures:
    """A folder '<name>_images' beside the page. Raises a sentence where the page cannot be written,
    or would replace what is no page.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        refuse_page(out)
    except OSError as error:
        raise cannot_write(out, error) from error
    return Pictures(pictures_of(out))


def cannot_write(out: Path, error: OSError) -> ThalwegError:
    return ThalwegError(f"the report '{out}' cannot be written: {error.strerror or error}")
