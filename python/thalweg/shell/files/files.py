# SPDX-License-Identifier: Apache-2.0
"""The files of a script as its commands leave them: written, appended to, copied, moved, linked,
removed. Each is known by its path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from thalweg.shell.files.contents import Content, Outside, Piece, Written
from thalweg.shell.files.folders import Folders
from thalweg.shell.files.removed import Removed
from thalweg.shell.files.started import Started
from thalweg.shell.files.unread import Unread
from thalweg.shell.paths import folder_of, known_root, last_of, may_be_one, parents_of
from thalweg.shell.unresolved import has_unresolved, unresolved_names
from thalweg.shell.values.patterns import is_named, is_pattern

_MOST_LINKS = 20  # of folders, one in another
_MAYBE = "a copy or move that need not be run"
CAPTURED = "\0"  # begins the path of what a command prints in $(...)
_MOST_PIECES = 5_000_000  # lines that are written and copied


@dataclass
class Files:
    """contents  by path
    links        the file behind each path of a link, or of a copy of what is not written here
    unread       what writes or changes namelists in a way that is not read
    templates    files of which `sed` and its kin made others: what, and where
    starts       of the model: where the last one was of those that may have read a file, by path
    has_started  whether the model, or a program that is not read, may have been started
    started_in   the folder of the last start
    started      what was there then
    written_anew files that were written again behind it: where that start was, and this
    is_tried     nothing is done with files, but those of what is captured
    too_large    "FILE:LINE" from which on files are larger than what is followed
    removed      files that are not there any more
    """

    folders: Folders
    contents: dict[str, Content] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    unread: Unread = field(default_factory=Unread)
    is_tried: bool = False
    templates: dict[str, tuple[str, str]] = field(default_factory=dict)
    starts: dict[str, str] = field(default_factory=dict)
    written_anew: dict[str, tuple[str, str]] = field(default_factory=dict)
    too_large: str = ""
    has_started: bool = False
    started_in: str | None = None
    started: Started = field(default_factory=Started)
    removed: Removed = field(default_factory=Removed)
    _starts_model: bool = False
    _pieces: int = 0
    _aliases: dict[str, str] = field(default_factory=dict)  # symbolic links
    _called: dict[str, dict[str | None, str]] = field(default_factory=dict)  # latest of each root
    _in: dict[str, dict[str, None]] = field(default_factory=dict)  # paths by folder
    _outside: dict[tuple[str, bool], Outside] = field(default_factory=dict)
    _guessed: set[tuple[str, str]] = field(default_factory=set)  # path, and what may mean it
    beside: Callable[[str], list[str]] = lambda _: []  # files of a folder beside the script
    read: Callable[[str], list[Written] | None] = lambda _: None  # lines of one beside it

    def start(self, at: str, *, is_model: bool, sure: bool) -> None:
        """It may read all that has groups. is_model: as far as its name tells; another program that
        is started like one tells the folder only as long as no model is, and two starts of which
        one need not be in two folders tell none.
        """
        if self.is_tried:
            return
        here, gone = self.real(self.folders.here), self.removed.gone
        if is_model or self._starts_model is False:
            is_one = sure or self.started_in in (None, here)
            self.started_in, self._starts_model = here if is_one else None, is_model
        if is_model and sure and not self.has_started:
            for path in [each for each in gone if gone[each] and each not in self.starts]:
                self.contents.pop(path, None)  # none has read it
        if is_model:
            anew = self.written_anew
            self.started.keep(at, self.contents, gone, self.templates, anew, sure=sure)
        self.has_started = True
        self.starts |= {path: at for path, each in self.contents.items() if each.pieces}

    def _write_anew(self, path: str, at: str) -> None:
        if path in self.starts:
            self.written_anew[path] = (self.starts.pop(path), at)

    def place(self, path: str, at: str, *, other: str = "") -> str:
        """The path of a file; where its folder may be that of a file of the same name, that one.

        other: a path that it is not, as the target of a copy is not its source
        """
        path = self.behind_links(path)
        like = self._like(path, other)
        if like and not self.is_tried:
            self.contents[like].doubtful[at] = None
            self._guessed.add((like, at))
        return like or path

    def behind_links(self, path: str) -> str:
        """Of folders: with the folder that a symbolic link is of in its place."""
        for _ in range(_MOST_LINKS if self._aliases else 0):
            behind = next((each for each in parents_of(path) if each in self._aliases), "")
            if not behind:
                break
            path = f"{self.real(behind)}{path[len(behind) :]}"
        if folder_of(path) not in self.folders.known:
            for each in parents_of(path):
                self.folder(each)
        return path

    def _like(self, path: str, other: str = "") -> str:
        """Another one that may be the same file."""
        if path in self.contents or path in self._aliases:
            return ""
        root = known_root(folder_of(path))
        for its, each in reversed(self._called.get(last_of(path), {}).items()):
            is_there = each in self.contents and not self.removed.gone.get(each)
            if is_there and each != other and may_be_one(root, its):
                return each
        return ""

    def lines_written(self, text: str) -> int | None:
        """Of a file that is there for sure, as the script wrote it or found it; None of others."""
        path = self.real(self.behind_links(self.folders.path(text)))
        content = self.contents.get(path)
        is_open = content is not None and (bool(content.doubtful) or content.is_stale)
        if content is None and not (self.removed.covers(path) or path in self.removed.gone):
            lines = self.read(path)  # of one that lies beside the script
            return None if lines is None else len(lines)
        if self.is_tried or content is None or is_open or path in self.removed.gone:
            return None
        if not all(isinstance(each, Written) for each in content.pieces):
            return None  # a copy of what need not be there
        may_be_filled = self.has_started and not content.pieces  # by the model
        return None if may_be_filled else len(content.pieces)

    def is_there(self, path: str) -> bool:
        path = self.real(path)
        return path in self.contents and not self.is_gone(path)

    def is_gone(self, path: str) -> bool:
        """Removed for sure."""
        return self.removed.gone.get(path, False)

    def symbolic_links(self) -> dict[str, str]:
        """Of files, with what they are of."""
        return {link: self.real(link) for link in self._aliases}

    def may_be_gone(self, path: str) -> bool:
        """Removed, but not for sure."""
        return self.removed.gone.get(self.real(path)) is False

    def doubt(self, path: str, at: str) -> None:
        """Of what a command that is not read may have written there, or removed."""
        path = self.real(path)
        content, is_captured = self.contents.get(path), path.startswith(CAPTURED)
        if self.is_tried and not is_captured:
            return
        if content is None and (
            is_captured or self.removed.gone.get(path) or self.removed.covers(path)
        ):
            content = self._keep(path, Content())
        if content is not None:
            content.doubtful[at] = None
        if self.removed.gone.get(path):
            self.removed.gone[path] = False

    def doubt_moved(self, path: str, at: str) -> None:
        """Of what is written to a file that was open before it was moved or removed."""
        for each in self.removed.places(path):
            self.doubt(each, at)

    def is_folder(self, text: str, *, through_link: bool = True) -> bool:
        """Also what another file was copied to before, where its name is not known."""
        path = self.behind_links(self.folders.path(text))
        if through_link and self.real(path) in self.folders.known:
            return True
        if text.endswith(("/", "/.", "/..")) or text in (".", "..") or path in self.folders.known:
            return True
        content = self.contents.get(path)
        return (
            content is not None and bool(content.origin) and has_unresolved(path.rpartition("/")[2])
        )

    def enter(self, path: str, *, pushes: bool = False) -> None:
        path = self.behind_links(path)
        self.folder(path)
        if pushes:
            self.folders.push(path)
        else:
            self.folders.enter(path)

    def folder(self, path: str) -> None:
        """It is none of a file: what was copied there has its own name in it."""
        if self.is_tried:
            return
        self.folders.known.add(path)
        content = self.contents.get(path)
        if content is None or not (content.origin or not content.lines()):
            return
        del self.contents[path]
        self.links.pop(path, None)
        if content.origin:
            self._keep(f"{path}/{content.origin.rpartition('/')[2]}", content)

    def within(self, folder: str) -> list[str]:
        """Paths of the files in a folder and in those below it; also of one beside the script."""
        if folder in self.contents:
            return []
        found = [each for each in self.beside(folder) if not self._is_away(each)]
        if folder in self.folders.known:
            found += [
                each for each in self._names() if each.startswith(f"{folder}/" * bool(folder))
            ]
        return list(dict.fromkeys(found))

    def folders_like(self, pattern: str) -> list[str]:
        """Folders that are known: one, or those that a pattern with * or ? fits."""
        if not is_pattern(pattern):
            is_one = pattern in self.folders.known or self.beside(pattern)
            return [pattern] if is_one else []
        return [
            each
            for each in self.folders.known
            if each.count("/") == pattern.count("/") and each and is_named(each, pattern)
        ]

    def replace(self, path: str) -> None:
        """Another file, or a link, has this path now."""
        if not self.is_tried:
            self.removed.moved[path] = ""
            self._aliases.pop(path, None)
            self.contents.pop(path, None)

    def put(
        self, path: str, pieces: Sequence[Piece], at: str, *, sure: bool, replaces: bool
    ) -> None:
        """What is appended to a file that is not known comes behind what that has."""
        if self.is_tried and not path.startswith(CAPTURED):
            return
        path = self.real(path)
        gone = self.removed.gone.pop(path, None)
        content = self.contents.get(path)
        if gone is False and not replaces:
            self.unread.add(at, "'>>' into what may have been removed before")
        elif content is not None and content.has_twin:
            self.unread.add(at, "one of two names that a hard link gave it")
        if content is None:
            content = self._keep(path, Content())
            is_new = gone or path.startswith(CAPTURED) or self.removed.covers(path)
            if not replaces and not is_new:
                before = self.links.pop(path, path)
                content.pieces.append(self._from(before, at, before == path))
        elif gone or (replaces and sure):
            is_open = replaces and bool(content.pieces) and self._may_be_another(path)
            content.pieces, content.doubtful = [], {at: None} if is_open else {}
            content.is_stale = False
            self.templates.pop(path, None)
        self._write_anew(path, at)
        if replaces and sure:
            self.links.pop(path, None)
        content.origin = ""
        if self._has_room(len(pieces), at):
            content.add(pieces)
        if not sure or (path, at) in self._guessed:
            content.doubtful[at] = None

    def copy(self, source: str, target: str, at: str, *, sure: bool) -> None:
        """What is not sure to come over a file does not."""
        if self.is_tried:
            return
        source = self.real(source)
        if self.is_gone(source):
            return
        place = self._place_of(source, self.real(target), at, sure=sure)
        if place is None:
            return
        before = self.contents.get(place)
        if source in self.contents and not sure:
            self.unread.add(at, _MAYBE)  # there may be such a file beside the script
            return
        if before is not None and before.has_twin:
            self.unread.add(at, "one of two names that a hard link gave it")
            return
        self.removed.gone.pop(place, None)
        self.links.pop(place, None)
        content = self.contents.get(source)
        if content is None:
            self.links[place] = self.links.get(source, source)
            content = Content([self._from(self.links[place], at)])
        if not self._has_room(len(content.pieces), at):
            return
        self._write_anew(place, at)
        doubtful = dict.fromkeys([*content.doubtful, *([] if sure else [at])])
        self._keep(place, Content(list(content.pieces), doubtful, source))

    def move(self, source: str, target: str, at: str, *, sure: bool) -> None:
        """A link is moved itself, and one that stands there is replaced."""
        if self.is_tried:
            return
        if source == target:
            self._found(source, at)
            return
        if not sure:
            if self.real(source) in self.contents or self.real(target) in self.contents:
                self.unread.add(at, _MAYBE)
            else:
                self.copy(source, target, at, sure=False)
            return
        self.removed.moved |= {target: "", source: target}
        behind = self._aliases.pop(source, None)
        self._aliases.pop(target, None)
        self.removed.gone.pop(target, None)
        self.contents.pop(target, None)
        before = self.links.pop(source, source)
        if behind is not None:
            self._aliases[target], self.links[target] = behind, before
            self._in.setdefault(folder_of(target), {})[target] = None
            return
        self.links.pop(target, None)
        content = self.contents.pop(source, None)
        if content is None:
            self.links[target] = before
            content = Content([self._from(before, at)])
        content.origin = source
        self._write_anew(target, at)
        self._keep(target, content)
        self.removed.gone[source] = True

    def link(self, source: str, target: str, at: str, *, sure: bool, forced: bool) -> None:
        """Symbolic: what is written to one of the two names is in both. What is there stays, unless
        it is `forced`.
        """
        if self.is_tried:
            return
        place = self._place_of(source, target, at, sure=sure)
        if place is None or (
            place in self.contents and not forced and place not in self.removed.gone
        ):
            return
        if not sure:
            self.copy(source, place, at, sure=False)
            return
        self.replace(place)
        self.removed.gone.pop(place, None)
        self._aliases[place] = source
        self._in.setdefault(folder_of(place), {})[place] = None
        if source not in self.folders.known:
            self._found(self.real(source), at)
        self.links[place] = self.links.get(source, source)

    def twin(self, source: str, target: str, at: str, *, sure: bool, forced: bool) -> None:
        """A hard link: what is written to one of the two is in both, and is not followed."""
        if self.is_tried:
            return
        source, place = self.real(source), self.real(target)
        if place in self.contents and not forced and place not in self.removed.gone:
            return
        self.copy(source, place, at, sure=sure)
        for each in (source, place):
            if each in self.contents:
                self.contents[each].has_twin = True

    def remove(self, path: str, *, sure: bool) -> None:
        """A script removes at its end what the model has read: only what comes later is new."""
        if self.is_tried:
            return
        path = self.behind_links(path)
        if not is_pattern(path):
            names = [path]
            if like := self._like(path):
                self.removed.gone[like] = self.removed.gone.get(like, False)
        else:
            names = self.matching(path)
            if sure:
                self.removed.add_pattern(path)
            for like in self._maybe_matching(path):
                self.removed.gone[like] = self.removed.gone.get(like, False)
        for each in names:
            if sure:
                self.links.pop(each, None)
            if each in self._aliases:
                if not sure:
                    continue
                del self._aliases[each]
            self.removed.gone[each] = sure or self.removed.gone.get(each, False)
            self.removed.moved[each] = ""
            if sure and each in self.contents:
                self.contents[each].has_twin = False

    def join(
        self, sources: Sequence[str | Sequence[Piece]], target: str, at: str, *,
        sure: bool, replaces: bool,
    ) -> None:  # fmt: skip
        """`cat A B > C`: what is not written here is a piece of its own. Pieces: a document."""
        if self.is_tried and not target.startswith(CAPTURED):
            return
        pieces: list[Piece] = []
        doubtful: dict[str, None] = {}
        for each in sources:
            if not isinstance(each, str):
                pieces += each
            elif not (replaces and self.real(each) == self.real(target)):
                path = self.real(each)
                if self.is_gone(path):
                    continue
                content = self.contents.get(path)
                pieces += (
                    content.pieces if content else [self._from(self.links.get(path, path), at)]
                )
                doubtful |= content.doubtful if content else {}
                doubtful |= {at: None} if self.may_be_gone(path) else {}
        self.put(target, pieces, at, sure=sure, replaces=replaces)
        self.contents[self.real(target)].doubtful |= doubtful

    def real(self, path: str) -> str:
        """The file behind links."""
        seen = {path}
        while (behind := self._aliases.get(path)) is not None and behind not in seen:
            path = behind
            seen.add(path)
        return path

    def matching(self, pattern: str) -> list[str]:
        """Paths of files that are there, in a shell's order."""
        folder, depth = folder_of(pattern), pattern.count("/")
        is_open = is_pattern(folder)
        mine = self._names() if is_open else self._in.get(folder, ())
        names = dict.fromkeys(self.beside(folder))
        names |= {each: None for each in mine if each in self.contents or each in self._aliases}
        return sorted(
            each
            for each in names
            if each.count("/") == depth and is_named(each, pattern) and not self._is_away(each)
        )

    def _is_away(self, path: str) -> bool:
        gone = self.removed.gone.get(path)
        return self.removed.covers(path) and path not in self.contents if gone is None else gone

    def _maybe_matching(self, pattern: str) -> list[str]:
        """Where their folder may be that of the pattern."""
        folder, _, last = pattern.rpartition("/")
        root = known_root(folder_of(pattern))
        return [
            each
            for name, latest in self._called.items()
            if is_named(name, last)
            for its, each in latest.items()
            if may_be_one(root, its) and folder_of(each) != folder
        ]

    def _may_be_another(self, path: str) -> bool:
        """Each time it is named, for it has what the script sets or a command prints."""
        assigned = self.folders.variables.assigned
        names = unresolved_names(path.rpartition("/")[2])
        return any(name in assigned or name.startswith("`") for name in names)

    def _has_room(self, pieces: int, at: str) -> bool:
        """Of all files together; told once."""
        self._pieces += pieces
        if self._pieces > _MOST_PIECES and not self.too_large:
            self.too_large = at
        return self._pieces <= _MOST_PIECES

    def _place_of(self, source: str, target: str, at: str, *, sure: bool) -> str | None:
        """The path that the target gets; None where nothing is left to do, or it is told."""
        if target == source:
            self._found(source, at)
        elif target in self.contents and not sure:
            self.unread.add(at, _MAYBE)
        else:
            return target
        return None

    def _keep(self, path: str, content: Content) -> Content:
        self.contents[path] = content
        self.templates.pop(path, None)
        self._in.setdefault(folder_of(path), {})[path] = None
        latest = self._called.setdefault(last_of(path), {})
        root = known_root(folder_of(path))
        latest.pop(root, None)
        latest[root] = path
        return content

    def _names(self) -> Iterator[str]:
        yield from self.contents
        yield from (each for each in self._aliases if each not in self.contents)

    def _found(self, path: str, at: str) -> None:
        """A file from elsewhere that keeps its name."""
        if path not in self.contents:
            self.links[path] = path
            self._keep(path, Content([self._from(path, at)]))

    def _from(self, path: str, at: str, may_lack: bool = False) -> Outside:
        """One for all that have it."""
        return self._outside.setdefault((path, may_lack), Outside(path, at, may_lack))
