# SPDX-License-Identifier: Apache-2.0
"""What the files of a script have in them, and which of them have nothing that others have not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from thalweg.shell.lines import NumberedLine, begins_group
from thalweg.shell.paths import last_of

_CALLED_SO = re.compile(r"namelist|nml", re.IGNORECASE)
_LOG = re.compile(r"\.(?:log|txt|out|o)$|^log", re.IGNORECASE)
_ALWAYS = 3  # a rank


NO_END = "\0"  # of a line that goes on


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


def is_log(name: str) -> bool:
    return _LOG.search(name) is not None


def is_called_namelist(name: str) -> bool:
    return _CALLED_SO.search(name) is not None


def _goes_on(piece: Piece) -> bool:
    return isinstance(piece, Written) and piece.text.endswith(NO_END)


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    found: list[Piece] = []
    for each in pieces:
        last = found[-1] if found else None
        if isinstance(last, Written) and isinstance(each, Written) and _goes_on(last):
            found[-1] = last._replace(text=last.text[:-1] + each.text)
        else:
            found.append(each)
    return found


@dataclass
class Content:
    """pieces  in their order; what is copied has the same ones, not equal ones
    doubtful   "FILE:LINE" of what may or may not have been run, or more than once
    origin     the file that it is a copy of, or was before it was moved, up to its first change
    has_twin   by a hard link
    is_script  it was sourced
    is_stale   a namelist that something has changed which is not read, and which was told
    """

    pieces: list[Piece] = field(default_factory=list)
    doubtful: dict[str, None] = field(default_factory=dict)
    origin: str = ""
    has_twin: bool = False
    is_script: bool = False
    is_stale: bool = False

    def add(self, pieces: Sequence[Piece]) -> None:
        """Behind those that are there; what has no end goes on with the next one."""
        if any(map(_goes_on, [*self.pieces[-1:], *pieces[:-1]])):
            self.pieces = _joined([*self.pieces, *pieces])
        else:
            self.pieces += pieces

    def whole(self) -> list[Piece]:
        """Pieces, of which the last line has an end."""
        last = self.pieces[-1] if self.pieces else None
        if not isinstance(last, Written) or not _goes_on(last):
            return self.pieces
        return [*self.pieces[:-1], last._replace(text=last.text.removesuffix(NO_END))]

    def lines(self) -> list[NumberedLine]:
        return [(piece.number, piece.text) for piece in self.whole() if isinstance(piece, Written)]

    def is_same(self, other: Content) -> bool:
        return list(map(id, self.pieces)) == list(map(id, other.pieces))

    def has_groups(self, name: str) -> bool:
        """Or may have them, in a file from outside that is called so."""
        if self.is_script:
            return False
        names = [piece.name for piece in self.pieces if isinstance(piece, Outside)]
        is_called_so = any(map(is_called_namelist, [last_of(name), *names]))
        return (bool(names) and is_called_so) or any(begins_group(line) for _, line in self.lines())


def counted(
    contents: Mapping[str, Content],
    is_there: Callable[[str], bool],
    rank: Callable[[str], int],
    is_gone: Callable[[str], bool],
) -> dict[str, Content]:
    """Without those whose pieces another one has too: copies, parts of what was joined, and what
    was joined of files of a higher rank.

    is_there: whether there is such a file that the script does not write
    rank: 3: it is always counted. is_gone: of equal ones another is counted
    """
    pieces = {
        path: [
            id(each)
            for each in content.pieces
            if not (isinstance(each, Outside) and each.may_lack and not is_there(each.path))
        ]
        for path, content in contents.items()
    }
    ranks = {path: rank(path) for path in contents}
    first: dict[tuple[int, ...], str] = {}  # of equal ones that of the highest rank
    for path in sorted(contents, key=lambda each: (-ranks[each], is_gone(each))):
        first.setdefault(tuple(pieces[path]), path)
    kept = {path for path in contents if ranks[path] == _ALWAYS} | set(first.values())
    sets = {path: set(pieces[path]) for path in contents if path in kept}
    having: dict[int, list[str]] = {}
    for path, mine in sets.items():
        for piece in mine:
            having.setdefault(piece, []).append(path)
    highest = {piece: max(ranks[path] for path in paths) for piece, paths in having.items()}

    def is_left_out(path: str) -> bool:
        mine, mine_rank = sets[path], ranks[path]
        if mine_rank == _ALWAYS or not mine:
            return False
        if all(highest[piece] > mine_rank for piece in mine):
            return True
        others = min((having[piece] for piece in mine), key=len)
        return any(
            ranks[each] >= mine_rank
            and len(pieces[path]) < len(pieces[each])
            and mine <= sets[each]
            for each in others
        )

    return {path: contents[path] for path in sets if not is_left_out(path)}
