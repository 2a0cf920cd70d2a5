# SPDX-License-Identifier: Apache-2.0
"""The files of a script as its commands leave them: written, appended to, copied, moved, linked,
removed. A file has its last name alone, without folders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from thalweg.config.namelist import NumberedLine


@dataclass(frozen=True)
class Outside:
    """What a file has from one that the script does not write, and the line that puts it there.

    may_lack  it is appended to, and may be new
    """

    name: str
    line: int
    may_lack: bool = False


Piece = NumberedLine | Outside


@dataclass
class Content:
    """pieces  in their order; what is copied has the same ones, not equal ones
    doubtful   lines of the script that may or may not have been run, or more than once
    """

    pieces: list[Piece] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)

    def copied(self) -> Content:
        return Content(list(self.pieces), list(self.doubtful))

    def lines(self) -> list[NumberedLine]:
        return [piece for piece in self.pieces if not isinstance(piece, Outside)]

    def outside(self) -> list[Outside]:
        return [piece for piece in self.pieces if isinstance(piece, Outside)]

    def parts(self) -> Iterator[Outside | list[NumberedLine]]:
        """Its pieces, with lines that follow each other as one."""
        lines: list[NumberedLine] = []
        for piece in self.pieces:
            if isinstance(piece, Outside):
                yield from [lines] if lines else []
                yield piece
                lines = []
            else:
                lines.append(piece)
        yield from [lines] if lines else []


@dataclass
class Files:
    """contents  by name
    links        the file behind each name of a link or a copy; only of those not written here
    not_followed lines of what writes or changes namelists in a way that is not read
    """

    contents: dict[str, Content] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    not_followed: list[int] = field(default_factory=list)
    _aliases: dict[str, str] = field(default_factory=dict)  # symbolic links
    _gone: dict[str, bool] = field(default_factory=dict)  # removed, for sure or not
    _patterns: list[str] = field(default_factory=list)  # of what was removed

    def counted(self) -> dict[str, Content]:
        """Without those whose pieces another one has too: copies, and parts of what was joined."""
        ids = {name: {id(piece) for piece in each.pieces} for name, each in self.contents.items()}
        having: dict[int, list[str]] = {}
        for name, pieces in ids.items():
            for piece in pieces:
                having.setdefault(piece, []).append(name)
        order = {name: number for number, name in enumerate(self.contents)}

        def is_within(name: str, other: str) -> bool:
            mine, its = ids[name], ids[other]
            return mine < its or (mine == its and order[other] < order[name])

        return {
            name: content
            for name, content in self.contents.items()
            if not any(
                other != name and is_within(name, other)
                for other in (having[id(content.pieces[0])] if content.pieces else ())
            )
        }

    def put(
        self, name: str, pieces: Sequence[Piece], line: int, *, sure: bool, replaces: bool
    ) -> None:
        """What is appended to a file that is not known comes behind what that has."""
        name = self._real(name)
        gone = self._gone.pop(name, None)
        if gone and not replaces:
            replaces = True
        elif gone is False and not replaces:
            self.not_followed.append(line)
        content = self.contents.get(name)
        if content is None:
            content = self.contents[name] = Content()
            if not replaces and not self._is_removed(name):
                before = self.links.pop(name, name)
                content.pieces.append(Outside(before, line, may_lack=before == name))
        elif replaces and sure:
            content.pieces, content.doubtful = [], []
        if replaces and sure:
            self.links.pop(name, None)
        content.pieces += pieces
        if not sure:
            content.doubtful.append(line)

    def copy(self, source: str, target: str, line: int, *, sure: bool) -> None:
        """What is not sure to come over a file does not."""
        source, target = self._real(source), self._real(target)
        if source == target:
            self._found(source, line)
            return
        if target in self.contents and not sure:
            self.not_followed.append(line)
            return
        content = self.contents.get(source)
        self._gone.pop(target, None)
        self.links.pop(target, None)
        if content is None:
            self.links[target] = self.links.get(source, source)
            content = Content([Outside(self.links[target], line)])
        new = content.copied()
        if not sure:
            new.doubtful.append(line)
        self.contents[target] = new

    def _found(self, name: str, line: int) -> None:
        """A file from elsewhere that keeps its name."""
        if name not in self.contents:
            self.links[name] = name
            self.contents[name] = Content([Outside(name, line)])

    def move(self, source: str, target: str, line: int, *, sure: bool) -> None:
        self.copy(source, target, line, sure=sure)
        if sure and self._real(source) != self._real(target):
            self.contents.pop(self._real(source), None)

    def link(self, source: str, target: str, line: int, *, sure: bool) -> None:
        """Symbolic: what is written to one of the two names is in both."""
        if target in self.contents and source != target and not sure:
            self.not_followed.append(line)
            return
        if source != target:
            self.contents.pop(target, None)
            self._aliases[target] = source
        self._found(self._real(source), line)
        self.links[target] = self.links.get(source, source)

    def remove(self, pattern: str, *, sure: bool) -> None:
        """A script removes at its end what the model has read: only what comes later is new."""
        self._patterns.append(pattern)
        if sure:
            for name in [each for each in self._aliases if fnmatchcase(each, pattern)]:
                del self._aliases[name]
            for name in [each for each in self.contents if fnmatchcase(each, pattern)]:
                self.links.pop(name, None)
        for name in self.contents:
            if fnmatchcase(name, pattern):
                self._gone[name] = sure

    def join(
        self, sources: Sequence[str], target: str, line: int, *, sure: bool, replaces: bool
    ) -> None:
        """`cat A B > C`: what is not written here is a piece of its own."""
        pieces: list[Piece] = []
        doubtful: list[int] = []
        for each in sources:
            name = self._real(each)
            content = self.contents.get(name)
            outside = Outside(self.links.get(name, name), line)
            pieces += content.pieces if content else [outside]
            doubtful += content.doubtful if content else ()
        self.put(target, pieces, line, sure=sure, replaces=replaces)
        self.contents[self._real(target)].doubtful += doubtful

    def _real(self, name: str) -> str:
        seen = {name}
        while (behind := self._aliases.get(name)) is not None and behind not in seen:
            name = behind
            seen.add(name)
        return name

    def _is_removed(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self._patterns)
