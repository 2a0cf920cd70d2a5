# SPDX-License-Identifier: Apache-2.0
"""Scripts that a script has written, and then runs as parts of itself."""

from __future__ import annotations

from thalweg.shell.files.contents import Outside, Written
from thalweg.shell.files.files import Files
from thalweg.shell.paths import last_of


def lines_of_script(files: Files, path: str) -> list[str] | None:
    """None where the script did not write it, or not all of it. It is no namelist then."""
    content = files.contents.get(files.real(path))
    if content is None or files.is_gone(files.real(path)) or not content.pieces:
        return None
    if content.doubtful or files.may_be_gone(path):
        return None
    lines = [piece.text for piece in content.whole() if isinstance(piece, Written)]
    content.is_script = len(lines) == len(content.pieces)
    return lines if content.is_script else None


def is_made_unread(files: Files, path: str) -> bool:
    """By something that is not read, or changed by it."""
    path = files.real(path)
    content = files.contents.get(path)
    if content is None:
        name = last_of(path)
        return path in files.unread.made or any(name in each for each in files.unread.texts)
    from_there = [each.path for each in content.pieces if isinstance(each, Outside)]
    is_open = bool(content.doubtful) or files.may_be_gone(path)
    return is_open or not files.unread.made.isdisjoint(from_there)
