# SPDX-License-Identifier: Apache-2.0
"""Where a path of a script leads: folders as `cd` changes them, and which may be one and the same.

A path is relative to the folder that the script starts in, begins with /, or with what is not known
("${EXPDIR}/NAMELIST").
"""

from __future__ import annotations

from dataclasses import dataclass, field

from thalweg.config.shell_variables import Variables
from thalweg.config.unresolved import has_unresolved, show_unresolved, unresolved

_START = unresolved("PWD")
_HOME = unresolved("HOME")


@dataclass
class Folders:
    """here: the folder that the script is in. known: paths that are folders"""

    variables: Variables
    here: str = ""
    known: set[str] = field(default_factory=lambda: {""})
    _before: str = ""
    _pushed: list[str] = field(default_factory=list)
    _lost: int = 0

    def path(self, text: str) -> str:
        return path_from(self.here, text)

    def enter(self, path: str) -> None:
        self._before = self.here
        self.variables.assign("OLDPWD", self._shown(self.here))
        self.stand_in(path)

    def enter_again(self) -> None:
        """`cd -`"""
        self.enter(self._before)

    def push(self, path: str) -> None:
        self._pushed.append(self.here)
        self.enter(path)

    def pop(self) -> None:
        if self._pushed:
            self.enter(self._pushed.pop())

    def lose(self) -> None:
        """Which folder it is depends on what the script does not tell."""
        self._lost += 1
        self.stand_in(unresolved(f"`cd {self._lost}`"))

    def state(self) -> tuple[str, str, list[str]]:
        return self.here, self._before, list(self._pushed)

    def set_state(self, state: tuple[str, str, list[str]]) -> None:
        self.here, self._before, self._pushed = state

    def stand_in(self, path: str) -> None:
        self.here = path
        self.variables.assign("PWD", self._shown(path))

    def _shown(self, path: str) -> str:
        """As $PWD has it."""
        is_relative = not path.startswith(("/", "~")) and not _begins_open(path)
        return f"{_START}/{path}".rstrip("/") if is_relative else path


def path_from(folder: str, text: str) -> str:
    """`text` as seen from a folder, without `.`, and without `..` where that is known."""
    if text == "~" or text.startswith("~/"):
        text = _HOME + text[1:]
    if text.startswith(_START):
        folder, text = "", text[len(_START) :].lstrip("/")
    elif text.startswith(("/", "~")) or _begins_open(text):
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
    elif _begins_open(folder) or folder.startswith("~"):
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


def _begins_open(text: str) -> bool:
    return has_unresolved(text[:1])


def _is_open_root(part: str) -> bool:
    return _begins_open(part)
