# SPDX-License-Identifier: Apache-2.0
"""The page that `thalweg report` leaves in a run directory: how to know it, and how it goes."""

from __future__ import annotations

import contextlib
from pathlib import Path

GENERATOR = '<meta name="generator" content="thalweg report">'
_HEAD_BYTES = 1000  # the mark stands among the first lines


def pictures_of(page: Path) -> Path:
    """The folder of its pictures, beside it."""
    return page.with_name(f"{page.stem}_images")


def remove_pictures(page: Path) -> None:
    """Those that a page made; other files of that folder stay, and the folder for them."""
    folder = pictures_of(page)
    for old in folder.glob("[0-9][0-9]-*.png"):
        old.unlink()
    with contextlib.suppress(OSError):  # not there, or somebody's own files are in it
        folder.rmdir()


def remove_page(page: Path) -> None:
    """The page and its pictures. One that somebody else wrote stays."""
    if not page.is_file():
        return
    with page.open("rb") as file:
        ours = GENERATOR.encode() in file.read(_HEAD_BYTES)
    if ours:
        remove_pictures(page)
        page.unlink()
