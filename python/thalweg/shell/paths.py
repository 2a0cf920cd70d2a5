# SPDX-License-Identifier: Apache-2.0
"""Where a path of a script leads, and which folders may be one and the same.

A path is relative to the folder that the script starts in, begins with /, or with what is not known
("${EXPDIR}/NAMELIST").
"""

from __future__ import annotations

from thalweg.shell.unresolved import has_unresolved, show_unresolved, unresolved

START = unresolved("PWD")


def path_from(folder: str, text: str) -> str:
    """`text` as seen from a folder, without `.`, and without `..` where that is known."""
    if text.startswith(START):
        folder, text = "", text[len(START) :].lstrip("/")
    elif text.startswith("/") or begins_open(text):
        folder = ""
    whole = f"{folder}/{text}" if folder else text
    is_absolute = whole.startswith("/")
    parts: list[str] = []
    for part in whole.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            parts.append(part)
        elif parts and parts[-1] != ".." and not (len(parts) == 1 and _is_open_root(parts[0])):
            parts.pop()
        elif not is_absolute:
            parts.append(part)
    return "/" * is_absolute + "/".join(parts)


def folder_of(path: str) -> str:
    folder, _, _ = path.rpartition("/")
    return folder or "/" * path.startswith("/")


def last_of(path: str) -> str:
    """As people read it."""
    return show_unresolved(path).rpartition("/")[2]


def parents_of(path: str) -> list[str]:
    return [path[:i] for i in range(1, len(path)) if path[i] == "/"]


def known_root(folder: str) -> str | None:
    """Folders with one root are the same if they are equal; None: that cannot be known."""
    if folder.startswith("/"):
        root, rest = "/", folder
    elif begins_open(folder):
        root, _, rest = folder.partition("/")
    else:
        root, rest = "", folder
    return None if has_unresolved(rest) else root


def may_be_one(root: str | None, other: str | None) -> bool:
    """Of two folders that are not equal. The one that a script starts in has a name of its own only
    where the script asks for it.
    """
    if root is None or other is None:
        return True
    return root != other and not {root, other} <= {"", "/"}


def begins_open(text: str) -> bool:
    return has_unresolved(text[:1])


def _is_open_root(part: str) -> bool:
    return begins_open(part)
