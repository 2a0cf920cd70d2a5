# SPDX-License-Identifier: Apache-2.0
"""What the commands of a script do with its files. One that is not understood, and may write or
change a namelist, is noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from thalweg.config.namelist import NumberedLine
from thalweg.config.shell_files import Files, Piece, is_called_namelist
from thalweg.config.shell_parts import Simple, pipeline
from thalweg.config.shell_statements import HereDocument
from thalweg.config.shell_words import Variables, expand
from thalweg.config.unresolved import has_unresolved, show_unresolved

_LINKS = frozenset({"ln", "add_link_file", "add_required_file"})
_COPIES = frozenset({"cp", "mv", *_LINKS})
_REMOVES = frozenset({"rm", "unlink"})
_WRITES_WHAT_IT_NAMES = frozenset(
    {*_COPIES, *_REMOVES, "install", "rsync", "scp", "dd", "truncate"}
)
_MAY_DO_ANYTHING = frozenset({"bash", "sh", "ksh", "zsh", "ssh", "find", "xargs"})
_ONLY_READS = frozenset(
    {"echo", "printf", "grep", "ls", "diff", "cmp", "wc", "md5sum", "sha256sum", "srun", "mpirun",
     "mpiexec", "aprun"}
)  # fmt: skip
_NAMELIST = re.compile(r"&[A-Za-z]\w*_nml\b", re.IGNORECASE)
_IN_PLACE = re.compile(r"-(?:[A-Za-z]*i|-in-place)")
_BRACES = re.compile(r"(?<!\$)\{([^{}$]*,[^{}$]*)\}")
_MOST_NAMES = 1000  # of braces


@dataclass
class FileCommands:
    """there: a file that a condition asks for: what removes it leaves none."""

    variables: Variables
    files: Files
    passed_over: list[int] = field(default_factory=list)
    there: str = ""

    def run(self, text: str, documents: Sequence[HereDocument], line: int, *, sure: bool) -> bool:
        """Whether it is a command on files that is understood."""
        parts = [self._expanded(each.plain()) for each in pipeline(text)]
        if len(parts) == 1 and self._do(parts[0], documents, line, sure):
            return True
        is_tee = len(parts) == 2 and parts[1].words[:1] == ["tee"]
        if is_tee and parts[0].words[:1] == ["cat"] and not parts[0].outs:
            return self._tee(parts[1], self._sources(parts[0], documents), line, sure)
        self._tell(parts, text, documents, line)
        return False

    def tell(self, text: str, documents: Sequence[HereDocument], line: int) -> None:
        """Of what may be run somewhere else, as in a function."""
        parts = [each.plain() for each in pipeline(text)]
        self._tell(parts, text, documents, line)
        if any(word in _COPIES | _REMOVES and self._changes(part) for part in parts
               for word in part.words[:1]):  # fmt: skip
            self.passed_over.append(line)

    def name(self, word: str) -> str:
        return self._last(expand(word, self.variables))

    def _last(self, path: str) -> str:
        return show_unresolved(path).rstrip("/").rpartition("/")[2]

    def _expanded(self, simple: Simple) -> Simple:
        """A command that is the value of a variable."""
        if not simple.words or not simple.words[0].startswith("$"):
            return simple
        first = expand(simple.words[0], self.variables)
        if has_unresolved(first) or not first.split():
            return simple
        return replace(simple, words=[*first.split(), *simple.words[1:]]).plain()

    def _do(self, simple: Simple, documents: Sequence[HereDocument], line: int, sure: bool) -> bool:
        command, *_ = [*simple.words, ""]
        outs = [(is_behind, word) for is_behind, word in simple.outs if self.name(word) != "null"]
        if command == "cat" and not simple.options():
            is_known = bool(documents or simple.ins or simple.operands()) and not simple.strings
            is_known = is_known and bool(outs or not documents)
            return is_known and (not outs or self._cat(simple, documents, line, sure))
        if command == "tee":
            sources = [self._lines(each) for each in documents] or self._names(simple.ins)
            return bool(sources) and self._tee(simple, sources, line, sure)
        if command in ("", ":", "true") and not documents:
            for word in simple.words[1:]:
                expand(word, self.variables)
            for is_behind, word in outs:
                if not is_behind:
                    self.files.put(self.name(word), [], line, sure=sure, replaces=True)
            return bool(simple.words or simple.outs)
        if command == "" and outs:  # `> FILE << EOF`, as zsh has it
            return self._cat(replace(simple, words=["cat"]), documents, line, sure)
        if outs and command in (*_COPIES, *_REMOVES):  # of what they print
            simple = replace(simple, outs=[])
        if command in _COPIES and not documents:
            return self._copies(simple, line, sure)
        if command in _REMOVES:
            for path in self._paths(simple.operands()):
                self._remove(path, sure)
            return True
        if command == "truncate" and simple.options() in (["-s"], ["-s0"], ["--size=0"]):
            names = self._names(simple.operands())
            for each in names[1:] if simple.options() == ["-s"] else names:
                self.files.put(each, [], line, sure=sure, replaces=True)
            return True
        if command in ("cd", "mkdir", "pushd"):
            for each in self._names(simple.operands()):
                self.files.folder(each)
            return True
        return False

    def _copies(self, simple: Simple, line: int, sure: bool) -> bool:
        """`cp A B`; into a folder, or of more than one, each keeps its name."""
        command, options = simple.words[0], "".join(each for each in simple.options())
        if "-t" in simple.options() or "--t" in options:
            return False
        paths = self._paths(simple.operands())
        if not paths:
            return True
        last = paths[-1]
        folder = len(paths) != 2 or last.endswith("/") or self._last(last) in (".", "..")
        for path in paths[:1] if len(paths) == 1 else paths[:-1]:
            for source in self._matching(self._last(path)):
                target = source if folder else self._last(last)
                if command in _LINKS:
                    forced = command != "ln" or "f" in options
                    self.files.link(source, target, line, sure=sure, forced=forced)
                elif "n" in options and self.files.real(target) in self.files.contents:
                    continue
                elif command == "mv":
                    self.files.move(source, target, line, sure=sure and "n" not in options)
                else:
                    self.files.copy(source, target, line, sure=sure and "n" not in options)
        return True

    def _remove(self, path: str, sure: bool) -> None:
        """All of another folder need not be here."""
        name, folder = self._last(path), path.rpartition("/")[0]
        elsewhere = any(letter in name for letter in "*?[") and folder not in ("", ".")
        is_sure = sure or (bool(name) and name == self.there)
        self.files.remove(name, sure=is_sure and not elsewhere)

    def _cat(
        self, simple: Simple, documents: Sequence[HereDocument], line: int, sure: bool
    ) -> bool:
        sources = self._sources(simple, documents)
        is_behind, word = simple.outs[-1]
        for _, other in simple.outs[:-1]:
            if self.name(other) != "null":
                self.files.put(self.name(other), [], line, sure=sure, replaces=True)
        self._into(self.name(word), sources, line, sure=sure, replaces=not is_behind)
        return True

    def _tee(
        self, simple: Simple, sources: Sequence[str | Sequence[Piece]], line: int, sure: bool
    ) -> bool:
        replaces = not any("a" in each.lstrip("-") for each in simple.options())
        targets = [*self._names(simple.operands()), *self._names(word for _, word in simple.outs)]
        for each in targets:
            if each != "null":
                self._into(each, sources, line, sure=sure, replaces=replaces)
        return True

    def _into(
        self, target: str, sources: Sequence[str | Sequence[Piece]], line: int, *,
        sure: bool, replaces: bool,
    ) -> None:  # fmt: skip
        files, first = self.files, sources[0] if sources else ()
        is_copy = len(sources) == 1 and isinstance(first, str) and first != "null"
        if is_copy and replaces and files.real(str(first)) != files.real(target):
            files.copy(str(first), target, line, sure=sure)
        else:
            files.join(sources, target, line, sure=sure, replaces=replaces)

    def _sources(
        self, simple: Simple, documents: Sequence[HereDocument]
    ) -> list[str | Sequence[Piece]]:
        """What `cat` puts one behind the other; a document, or `<`, where it names none, or -."""
        given: list[str | Sequence[Piece]] = [self._lines(each) for each in documents[-1:]]
        given = given or [*self._names(simple.ins[-1:])]
        found: list[str | Sequence[Piece]] = []
        for word in simple.operands() or ["-"]:
            found += given if word == "-" else self._names([word])
        return found

    def _lines(self, document: HereDocument) -> list[NumberedLine]:
        return [
            (number, expand(line, self.variables, quotes=False) if document.expands else line)
            for number, line in document.lines
        ]

    def _names(self, words: Iterator[str] | Sequence[str]) -> list[str]:
        paths = self._paths(words)
        return [each for path in paths for each in self._matching(self._last(path))]

    def _matching(self, name: str) -> list[str]:
        if not any(letter in name for letter in "*?["):
            return [name]
        return self.files.matching(name) or [name]

    def _paths(self, words: Iterator[str] | Sequence[str]) -> list[str]:
        """With braces and variables that hold several names taken apart."""
        found: list[str] = []
        for word in words:
            is_quoted = any(letter in word for letter in "'\"")
            for each in [word] if is_quoted else _braces(word):
                text = expand(each, self.variables)
                parts = [text] if is_quoted or has_unresolved(text) else text.split()
                found += parts
        return [each for each in found if each]

    def _tell(
        self, parts: Sequence[Simple], text: str, documents: Sequence[HereDocument], line: int
    ) -> None:
        lines = [each for document in documents for _, each in document.lines]
        if any(map(_NAMELIST.search, lines)) or self._may_write(parts, text):
            self.passed_over.append(line)

    def _may_write(self, parts: Sequence[Simple], text: str) -> bool:
        if any(map(self._changes, parts)):
            return True
        outs = [self.name(word) for part in parts for _, word in part.outs]
        outs = [name for name in outs if name != "null"]
        reads = [
            self.name(word)
            for part in parts
            if part.words[:1] and part.words[0] not in _ONLY_READS
            for word in (*part.words[1:], *part.ins)
        ]
        found = bool(_NAMELIST.search(text)) or any(map(self._is_namelist, [*outs, *reads]))
        return bool(outs) and found

    def _changes(self, part: Simple) -> bool:
        """Whether it may change namelists that it names."""
        command, *words = [*part.words, ""]
        changes = command in _WRITES_WHAT_IT_NAMES or command == "tee"
        changes |= command in ("sed", "perl") and any(map(_IN_PLACE.fullmatch, words))
        named = (self._is_namelist(self.name(word)) for word in words if word)
        may = command in _MAY_DO_ANYTHING and is_called_namelist(" ".join(words))
        return may or (changes and any(named))

    def _is_namelist(self, name: str) -> bool:
        content = self.files.contents.get(self.files.real(name))
        return is_called_namelist(name) or (content is not None and content.has_groups(name))


def _braces(word: str) -> list[str]:
    """a{b,c} -> ab ac"""
    found, done = [word], 0
    while done < len(found) < _MOST_NAMES:
        braces = _BRACES.search(found[done])
        if braces is None:
            done += 1
            continue
        text, begin, end = found[done], braces.start(), braces.end()
        found[done : done + 1] = [text[:begin] + each + text[end:] for each in braces[1].split(",")]
    return found
