# SPDX-License-Identifier: Apache-2.0
"""The files of a script as its commands leave them: written, appended to, copied, moved, linked,
removed. A file has its last name alone, without folders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from thalweg.config.namelist import NumberedLine, begins_group

_CALLED_SO = re.compile(r"namelist|nml", re.IGNORECASE)


@dataclass(frozen=True)
class Outside:
    """What a file has from one that the script does not write, and the line that puts it there.

    may_lack  it is appended to, and may be new
    """

    name: str
    line: int
    may_lack: bool = False


Piece = NumberedLine | Outside


def is_called_namelist(name: str) -> bool:
    return _CALLED_SO.search(name) is not None


@dataclass
class Content:
    """pieces  in their order; what is copied has the same ones, not equal ones
    doubtful   lines of the script that may or may not have been run, or more than once
    origin     the file that it is a copy of, or was before it was moved, up to its first change
    """

    pieces: list[Piece] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)
    origin: str = ""

    def lines(self) -> list[NumberedLine]:
        return [piece for piece in self.pieces if not isinstance(piece, Outside)]

    def has_groups(self, name: str) -> bool:
        """Or may have them, in a file from outside that is called so."""
        names = [piece.name for piece in self.pieces if isinstance(piece, Outside)]
        is_called_so = any(map(is_called_namelist, [name, *names]))
        return (bool(names) and is_called_so) or any(begins_group(line) for _, line in self.lines())


@dataclass
class Files:
    """contents  by name
    links        the file behind each name of a link, or of a copy of what is not written here
    not_followed lines of what writes or changes namelists in a way that is not read
    """

    contents: dict[str, Content] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    not_followed: list[int] = field(default_factory=list)
    _aliases: dict[str, str] = field(default_factory=dict)  # symbolic links
    _gone: dict[str, bool] = field(default_factory=dict)  # removed, for sure or not
    _patterns: list[str] = field(default_factory=list)  # of what was removed for sure, with * or ?
    _folders: set[str] = field(default_factory=set)
    _outside: dict[tuple[str, bool], Outside] = field(default_factory=dict)

    def counted(self, is_there: Callable[[str], bool]) -> dict[str, Content]:
        """Without those whose pieces another one has too: copies, and parts of what was joined.

        is_there: whether there is such a file that the script does not write
        """
        first: dict[tuple[int, ...], str] = {}
        for name, content in self.contents.items():
            pieces = tuple(
                id(each)
                for each in content.pieces
                if not (isinstance(each, Outside) and each.may_lack and not is_there(each.name))
            )
            first.setdefault(pieces, name)
        having: dict[int, list[tuple[int, set[int]]]] = {}
        for pieces in first:
            mine = set(pieces)
            for piece in mine:
                having.setdefault(piece, []).append((len(pieces), mine))

        def is_within_another(pieces: tuple[int, ...]) -> bool:
            mine, size = set(pieces), len(pieces)
            others = having[pieces[-1]] if pieces else []  # few: what grew by itself ends so alone
            return any(size < length and mine <= its for length, its in others)

        return {
            name: self.contents[name]
            for pieces, name in first.items()
            if not is_within_another(pieces)
        }

    def is_kept_aside(self, name: str) -> bool:
        """Whether it is what a file was that the script then wrote anew."""
        origin = self.contents[name].origin
        return origin in self.contents and origin != name

    def put(
        self, name: str, pieces: Sequence[Piece], line: int, *, sure: bool, replaces: bool
    ) -> None:
        """What is appended to a file that is not known comes behind what that has."""
        name = self.real(name)
        gone = self._gone.pop(name, None)
        content = self.contents.get(name)
        if gone is False and not replaces:
            self.not_followed.append(line)
        if content is None:
            content = self.contents[name] = Content()
            if not replaces and not gone and not self._is_removed(name):
                before = self.links.pop(name, name)
                content.pieces.append(self._from(before, line, before == name))
        elif gone or (replaces and sure):
            content.pieces, content.doubtful = [], []
        if replaces and sure:
            self.links.pop(name, None)
        content.origin = ""
        content.pieces += pieces
        if not sure:
            content.doubtful.append(line)

    def copy(self, source: str, target: str, line: int, *, sure: bool) -> None:
        """What is not sure to come over a file does not."""
        source = self.real(source)
        place = self._place_of(source, self.real(target), line, sure=sure)
        if place is None:
            return
        if source in self.contents and not sure:
            self.not_followed.append(line)  # there may be such a file beside the script
            return
        self._gone.pop(place, None)
        self.links.pop(place, None)
        content = self.contents.get(source)
        if content is None:
            self.links[place] = self.links.get(source, source)
            content = Content([self._from(self.links[place], line)])
        doubtful = [*content.doubtful, *([] if sure else [line])]
        self.contents[place] = Content(list(content.pieces), doubtful, source)

    def move(self, source: str, target: str, line: int, *, sure: bool) -> None:
        """A link is moved itself, and one that stands there is replaced."""
        if target in self._folders:
            target = source
        if source == target:  # in another folder: a new one here may be another file
            self._found(source, line)
            self._gone[source] = False
            return
        if not sure:
            if self.real(source) in self.contents or self.real(target) in self.contents:
                self.not_followed.append(line)
            else:
                self.copy(source, target, line, sure=False)
            return
        behind = self._aliases.pop(source, None)
        self._aliases.pop(target, None)
        self._gone.pop(target, None)
        self.contents.pop(target, None)
        before = self.links.pop(source, source)
        if behind is not None:
            self._aliases[target], self.links[target] = behind, before
            return
        self.links.pop(target, None)
        content = self.contents.pop(source, None)
        if content is None:
            self.links[target] = before
            content = Content([self._from(before, line)])
        content.origin = source
        self.contents[target] = content
        self._gone[source] = True

    def link(self, source: str, target: str, line: int, *, sure: bool, forced: bool) -> None:
        """Symbolic: what is written to one of the two names is in both. What is there stays, unless
        it is `forced`.
        """
        place = self._place_of(source, target, line, sure=sure)
        if place is None or (place in self.contents and not forced and place not in self._gone):
            return
        if not sure:
            self.copy(source, place, line, sure=False)
            return
        self.contents.pop(place, None)
        self._gone.pop(place, None)
        self._aliases[place] = source
        self._found(self.real(source), line)
        self.links[place] = self.links.get(source, source)

    def remove(self, name: str, *, sure: bool) -> None:
        """A script removes at its end what the model has read: only what comes later is new."""
        if not any(letter in name for letter in "*?["):
            names = [name]
        else:
            names = [each for each in self._names() if fnmatchcase(each, name)]
            self._patterns += [name] if sure else []
        for each in names:
            if sure:
                self.links.pop(each, None)
            if each in self._aliases:
                if not sure:
                    continue
                del self._aliases[each]
            self._gone[each] = sure or self._gone.get(each, False)

    def folder(self, name: str) -> None:
        """It is none of a file: what was copied there has its own name."""
        self._folders.add(name)
        content = self.contents.get(name)
        if content is not None and content.origin:
            del self.contents[name]
            self.links.pop(name, None)

    def join(
        self, sources: Sequence[str | Sequence[Piece]], target: str, line: int, *,
        sure: bool, replaces: bool,
    ) -> None:  # fmt: skip
        """`cat A B > C`: what is not written here is a piece of its own. Pieces: a document."""
        pieces: list[Piece] = []
        doubtful: list[int] = []
        for each in sources:
            if not isinstance(each, str):
                pieces += each
            elif each != "null" and not (replaces and self.real(each) == self.real(target)):
                name = self.real(each)
                content = self.contents.get(name)
                pieces += (
                    content.pieces if content else [self._from(self.links.get(name, name), line)]
                )
                doubtful += content.doubtful if content else ()
        self.put(target, pieces, line, sure=sure, replaces=replaces)
        self.contents[self.real(target)].doubtful += doubtful

    def real(self, name: str) -> str:
        """The file behind links."""
        seen = {name}
        while (behind := self._aliases.get(name)) is not None and behind not in seen:
            name = behind
            seen.add(name)
        return name

    def matching(self, pattern: str) -> list[str]:
        """Names of files that are there, in a shell's order."""
        return sorted(
            each
            for each in self._names()
            if fnmatchcase(each, pattern) and not self._gone.get(each)
        )

    def _place_of(self, source: str, target: str, line: int, *, sure: bool) -> str | None:
        """The name that the target gets; None where nothing is left to do, or it is told."""
        if target == source or target in self._folders:
            self._found(source, line)
            return None
        if target in self.contents and not sure:
            self.not_followed.append(line)
            return None
        return target

    def _names(self) -> Iterator[str]:
        yield from self.contents
        yield from (each for each in self._aliases if each not in self.contents)

    def _found(self, name: str, line: int) -> None:
        """A file from elsewhere that keeps its name."""
        if name not in self.contents:
            self.links[name] = name
            self.contents[name] = Content([self._from(name, line)])

    def _from(self, name: str, line: int, may_lack: bool = False) -> Outside:
        """One for all that have it."""
        return self._outside.setdefault((name, may_lack), Outside(name, line, may_lack))

    def _is_removed(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self._patterns)
