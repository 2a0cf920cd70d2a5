# SPDX-License-Identifier: Apache-2.0
"""The page that `thalweg report` leaves in a run directory: how to know it, and how it goes."""

from __future__ import annotations

import contextlib
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.files.targets import refuse_target

GENERATOR = '<meta name="generator" content="thalweg report">'
PICTURE_MARK = ("Software", "thalweg report")  # keyword and text in the head of a PNG
_HEAD_BYTES = 2000  # the marks stand among the first lines, before or behind the 256 colours


def pictures_of(page: Path) -> Path:
    """The folder of its pictures, beside it."""
    return page.with_name(f"{page.stem}_images")


def remove_pictures(page: Path) -> None:
    """Those that a page made; other files of that folder stay, and the folder for them."""
    folder = pictures_of(page)
    for old in folder.glob("[0-9][0-9]-*.png"):
        if old.is_file() and _holds(old, b"\0".join(word.encode() for word in PICTURE_MARK)):
            old.unlink()
    with contextlib.suppress(OSError):  # not there, or somebody's own files are in it
        folder.rmdir()


def remove_page(page: Path) -> None:
    """The page and its pictures. One that somebody else wrote stays."""
    if page.is_file() and _is_ours(page):
        remove_pictures(page)
        page.unlink()


def refuse_page(page: Path) -> None:
    """Raises a sentence where it cannot be written, or something else has its name."""
    if page.is_file() and not _is_ours(page):
        raise ThalwegError(f"'{page}' exists and is no page of thalweg report; choose another name")
    refuse_target(page, overwrite=True)


def _is_ours(page: Path) -> bool:
    return _holds(page, GENERATOR.encode())


def _holds(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return mark in file.read(_HEAD_BYTES)
