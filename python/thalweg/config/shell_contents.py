# SPDX-License-Identifier: Apache-2.0
"""What the files of a script have in them, and which of them have nothing that others have not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from thalweg.config.namelist import NumberedLine, begins_group
from thalweg.config.shell_folders import last_of

_CALLED_SO = re.compile(r"namelist|nml", re.IGNORECASE)


class Written(NamedTuple):
    """A line of a script that it puts into a file."""

    file: str
    number: int
    text: str


@dataclass(frozen=True)
class Outside:
    """What a file has from one that the script does not write, and what puts it there.

    path      as Folders has it
    at        "FILE:LINE" of the command
    may_lack  it is appended to, and may be new
    """

    path: str
    at: str
    may_lack: bool = False

    @property
    def name(self) -> str:
        return last_of(self.path)


Piece = Written | Outside


def is_called_namelist(name: str) -> bool:
    return _CALLED_SO.search(name) is not None


@dataclass
class Content:
    """pieces  in their order; what is copied has the same ones, not equal ones
    doubtful   "FILE:LINE" of what may or may not have been run, or more than once
    origin     the file that it is a copy of, or was before it was moved, up to its first change
    has_twin   by a hard link
    """

    pieces: list[Piece] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    origin: str = ""
    has_twin: bool = False

    def lines(self) -> list[NumberedLine]:
        return [(piece.number, piece.text) for piece in self.pieces if isinstance(piece, Written)]

    def has_groups(self, name: str) -> bool:
        """Or may have them, in a file from outside that is called so."""
        names = [piece.name for piece in self.pieces if isinstance(piece, Outside)]
        is_called_so = any(map(is_called_namelist, [last_of(name), *names]))
        return (bool(names) and is_called_so) or any(begins_group(line) for _, line in self.lines())


def counted(contents: Mapping[str, Content], is_there: Callable[[str], bool]) -> dict[str, Content]:
    """Without those whose pieces another one has too: copies, and parts of what was joined.

    is_there: whether there is such a file that the script does not write
    """
    first: dict[tuple[int, ...], str] = {}
    for path, content in contents.items():
        pieces = tuple(
            id(each)
            for each in content.pieces
            if not (isinstance(each, Outside) and each.may_lack and not is_there(each.path))
        )
        first.setdefault(pieces, path)
    having: dict[int, list[tuple[int, set[int]]]] = {}
    for pieces in first:
        mine = set(pieces)
        for piece in mine:
            having.setdefault(piece, []).append((len(pieces), mine))

    def is_within_another(pieces: tuple[int, ...]) -> bool:
        mine, size = set(pieces), len(pieces)
        others = having[pieces[-1]] if pieces else []  # few: what grew by itself ends so alone
        return any(size < length and mine <= its for length, its in others)

    return {path: contents[path] for pieces, path in first.items() if not is_within_another(pieces)}
