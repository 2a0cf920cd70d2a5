# SPDX-License-Identifier: Apache-2.0
"""What the commands of a script do with its files. One that is not understood, and may write or
change a namelist, is noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from thalweg.config.namelist import begins_group
from thalweg.config.shell_contents import Piece, Written, is_called_namelist
from thalweg.config.shell_files import Files
from thalweg.config.shell_folders import last_of, path_from
from thalweg.config.shell_parts import Simple, pipeline
from thalweg.config.shell_statements import HereDocument
from thalweg.config.shell_words import Variables, expand
from thalweg.config.unresolved import has_unresolved

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
_LONG_OPTIONS = {
    "--no-clobber": "n", "--force": "f", "--symbolic": "s", "--symbolic-link": "s", "--link": "l",
    "--backup": "b", "--update": "u", "--no-target-directory": "T", "--relative": "r",
}  # fmt: skip
_BRACES = re.compile(r"(?<!\$)\{([^{}$]*,[^{}$]*)\}")
_MOST_NAMES = 1000  # of braces


@dataclass(frozen=True)
class _Options:
    """Of cp, mv and ln. target: the folder behind -t"""

    letters: str
    operands: Sequence[str]
    target: Sequence[str] = ()

    @classmethod
    def of(cls, simple: Simple) -> _Options:
        words, target, operands, letters = simple.words[1:], [], [], ""
        position = 0
        while position < len(words):
            word = words[position]
            position += 1
            if not word.startswith("-") or word == "-":
                operands.append(word)
            elif word.startswith("--"):
                name, _, value = word.partition("=")
                letters += _LONG_OPTIONS.get(name, "")
                target += [value] if name == "--target-directory" else []
            else:
                letters += word[1:].partition("t")[0]
                if "t" in word:
                    target = [word.partition("t")[2]] if not word.endswith("t") else (
                        words[position : position + 1])  # fmt: skip
                    position += not word.partition("t")[2]
        return cls(letters, operands, target)

    @property
    def is_file(self) -> bool:
        return "T" in self.letters

    @property
    def keeps_old(self) -> bool:
        return "b" in self.letters

    @property
    def is_newer(self) -> bool:
        return "u" in self.letters


@dataclass
class FileCommands:
    """there: path of a file that a condition asks for: what removes it leaves none.

    passed_over  "FILE:LINE" of what may change a namelist, and is not understood
    """

    variables: Variables
    files: Files
    passed_over: list[str] = field(default_factory=list)
    there: str = ""

    def run(self, text: str, documents: Sequence[HereDocument], at: str, *, sure: bool) -> bool:
        """Whether it is a command on files that is understood."""
        parts = [self.expanded(each.plain()) for each in pipeline(text)]
        if len(parts) == 1 and self._do(parts[0], documents, at, sure):
            return True
        is_tee = len(parts) == 2 and parts[1].words[:1] == ["tee"]
        if is_tee and parts[0].words[:1] == ["cat"] and not parts[0].outs:
            return self._tee(parts[1], self._sources(parts[0], documents, at), at, sure)
        self._tell(parts, text, documents, at)
        return False

    def tell(self, text: str, documents: Sequence[HereDocument], at: str) -> None:
        """Of what may be run somewhere else, as in a function."""
        parts = [each.plain() for each in pipeline(text)]
        self._tell(parts, text, documents, at)
        if any(word in _COPIES | _REMOVES and self._changes(part) for part in parts
               for word in part.words[:1]):  # fmt: skip
            self.passed_over.append(at)

    def knows(self, command: str) -> bool:
        return command in _LINKS

    def may_fill(self, simple: Simple) -> bool:
        """Whether what it prints goes to a namelist."""
        words = [word for _, word in simple.outs]
        words += simple.words[1:] if simple.words[:1] == ["tee"] else []
        return any(self._is_namelist(self.path(word)) for word in words)

    def path(self, word: str) -> str:
        return self.files.behind_links(self.files.folders.path(expand(word, self.variables)))

    def expanded(self, simple: Simple) -> Simple:
        """A command that is the value of a variable."""
        if not simple.words or not simple.words[0].startswith("$"):
            return simple
        first = expand(simple.words[0], self.variables)
        if has_unresolved(first) or not first.split():
            return simple
        return replace(simple, words=[*first.split(), *simple.words[1:]]).plain()

    def _do(self, simple: Simple, documents: Sequence[HereDocument], at: str, sure: bool) -> bool:
        command, *_ = [*simple.words, ""]
        outs = [each for each in simple.outs if not self._is_null(each[1])]
        if command == "cat" and not simple.options():
            is_known = bool(documents or simple.ins or simple.operands()) and not simple.strings
            is_known = is_known and bool(outs or not documents)
            return is_known and (not outs or self._cat(simple, documents, at, sure))
        if command == "tee":
            sources = [self._lines(each) for each in documents] or self._places(simple.ins, at)
            return bool(sources) and self._tee(simple, sources, at, sure)
        if command in ("", ":", "true") and not documents:
            for word in simple.words[1:]:
                expand(word, self.variables)
            self._empty([word for is_behind, word in outs if not is_behind], at, sure)
            return bool(simple.words or simple.outs)
        if command == "" and outs:  # `> FILE << EOF`, as zsh has it
            return self._cat(replace(simple, words=["cat"]), documents, at, sure)
        if outs and command in (*_COPIES, *_REMOVES):  # of what they print
            simple = replace(simple, outs=[])
        if command in _COPIES and not documents:
            return self._copies(simple, at, sure)
        if command in _REMOVES:
            for text in self._texts(simple.operands()):
                self._remove(text, sure)
            return True
        if command == "truncate" and simple.options() in (["-s"], ["-s0"], ["--size=0"]):
            words = simple.operands()
            self._empty(words[1:] if simple.options() == ["-s"] else words, at, sure)
            return True
        return self._goes(simple)

    def _goes(self, simple: Simple) -> bool:
        """From folder to folder."""
        command, *_ = [*simple.words, ""]
        texts = self._texts(simple.operands())
        files, folders = self.files, self.files.folders
        if command == "mkdir":
            for each in texts:
                files.folder(files.behind_links(folders.path(each)))
        elif command == "popd":
            folders.pop()
        elif command in ("cd", "pushd") and texts == ["-"]:
            folders.enter_again()
        elif command in ("cd", "pushd"):
            files.enter(folders.path(texts[0] if texts else "~"), pushes=command == "pushd")
        else:
            return False
        return True

    def _empty(self, words: Sequence[str], at: str, sure: bool) -> None:
        for each in self._places(words, at):
            self.files.put(each, [], at, sure=sure, replaces=True)

    def _copies(self, simple: Simple, at: str, sure: bool) -> bool:
        """`cp A B`; into a folder, or of more than one, each keeps its name."""
        options = _Options.of(simple)
        texts = self._texts([*options.operands, *options.target])
        if not texts:
            return True
        last = texts[-1] if len(texts) > 1 else "."
        into = bool(options.target) or len(texts) != 2 or self.files.is_folder(last)
        if into and not options.is_file:
            self.files.folder(self.files.behind_links(self.files.folders.path(last)))
        for text in texts[:1] if len(texts) == 1 else texts[:-1]:
            for source in self._matching(self.files.folders.path(text)):
                name = source.rpartition("/")[2] if not text.endswith("/.") else "."
                target = f"{last}/{name}" if into and not options.is_file else last
                self._copy(simple.words[0], options, text, source, target, at, sure)
        return True

    def _copy(
        self, command: str, options: _Options, text: str, source: str, target: str, at: str,
        sure: bool,
    ) -> None:  # fmt: skip
        files = self.files
        target = files.behind_links(files.folders.path(target))
        is_link = command in _LINKS and (command != "ln" or "s" in options.letters)
        if is_link and "r" not in options.letters:  # what it says is read from where it is
            source = path_from(target.rpartition("/")[0], expand(text, self.variables))
            source = self._matching(source)[0]
        source = files.behind_links(source)
        within = [] if is_link else files.within(source)
        if within and command == "cp" and not set("rRa") & set(options.letters):
            return
        for path in within or [source]:
            goal = target + path[len(source) :] if within else target
            if within:
                files.folder(files.behind_links(goal).rpartition("/")[0])
            else:
                path = files.place(path, at, other=target)
                goal = files.place(goal, at, other=path) if path != goal else goal
            is_kept = "n" in options.letters
            if is_link:
                forced = command != "ln" or "f" in options.letters
                files.link(path, goal, at, sure=sure, forced=forced)
            elif command == "ln" or "l" in options.letters:
                files.twin(path, goal, at, sure=sure, forced="f" in options.letters)
            elif is_kept and files.real(goal) in files.contents:
                continue
            else:
                if options.keeps_old and files.real(goal) in files.contents:
                    files.copy(goal, f"{goal}~", at, sure=sure)
                if command == "mv":
                    files.move(path, goal, at, sure=sure and not is_kept)
                else:
                    is_new = not options.is_newer or files.real(goal) not in files.contents
                    files.copy(path, goal, at, sure=sure and is_new and not is_kept)

    def _remove(self, text: str, sure: bool) -> None:
        """All of another folder need not be here."""
        path = self.files.folders.path(text)
        is_sure = sure or (bool(path) and self.files.behind_links(path) == self.there)
        for each in self.files.within(self.files.behind_links(path)) or [path]:
            self.files.remove(each, sure=is_sure)

    def _cat(self, simple: Simple, documents: Sequence[HereDocument], at: str, sure: bool) -> bool:
        sources = self._sources(simple, documents, at)
        is_behind, word = simple.outs[-1]
        self._empty([each for _, each in simple.outs[:-1] if not self._is_null(each)], at, sure)
        for each in self._places([word], at):
            self._into(each, sources, at, sure=sure, replaces=not is_behind)
        return True

    def _tee(
        self, simple: Simple, sources: Sequence[str | Sequence[Piece]], at: str, sure: bool
    ) -> bool:
        replaces = not any("a" in each.lstrip("-") for each in simple.options())
        targets = [*simple.operands(), *(word for _, word in simple.outs)]
        for each in self._places([word for word in targets if not self._is_null(word)], at):
            self._into(each, sources, at, sure=sure, replaces=replaces)
        return True

    def _into(
        self, target: str, sources: Sequence[str | Sequence[Piece]], at: str, *,
        sure: bool, replaces: bool,
    ) -> None:  # fmt: skip
        files, first = self.files, sources[0] if sources else ()
        is_copy = len(sources) == 1 and isinstance(first, str)
        if is_copy and replaces and files.real(str(first)) != files.real(target):
            files.copy(str(first), target, at, sure=sure)
        else:
            files.join(sources, target, at, sure=sure, replaces=replaces)

    def _sources(
        self, simple: Simple, documents: Sequence[HereDocument], at: str
    ) -> list[str | Sequence[Piece]]:
        """What `cat` puts one behind the other; a document, or `<`, where it names none, or -."""
        given: list[str | Sequence[Piece]] = [self._lines(each) for each in documents[-1:]]
        given = given or [*self._places(simple.ins[-1:], at)]
        found: list[str | Sequence[Piece]] = []
        for word in simple.operands() or ["-"]:
            if word == "-":
                found += given
            elif not self._is_null(word):
                found += self._places([word], at)
        return found

    def _lines(self, document: HereDocument) -> list[Written]:
        return [
            Written(
                document.file,
                number,
                expand(line, self.variables, quotes=False) if document.expands else line,
            )
            for number, line in document.lines
        ]

    def _places(self, words: Iterable[str], at: str) -> list[str]:
        files = self.files
        paths = [files.folders.path(text) for text in self._texts(words)]
        return [files.place(each, at) for path in paths for each in self._matching(path)]

    def _matching(self, path: str) -> list[str]:
        if not any(letter in path for letter in "*?["):
            return [path]
        return self.files.matching(self.files.behind_links(path)) or [path]

    def _is_null(self, word: str) -> bool:
        return expand(word, self.variables) == "/dev/null"

    def _texts(self, words: Iterable[str]) -> list[str]:
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
        self, parts: Sequence[Simple], text: str, documents: Sequence[HereDocument], at: str
    ) -> None:
        lines = [each for document in documents for _, each in document.lines]
        if any(map(begins_group, lines)) or self._may_write(parts, text):
            self.passed_over.append(at)

    def _may_write(self, parts: Sequence[Simple], text: str) -> bool:
        if any(map(self._changes, parts)):
            return True
        if any(self._is_namelist(self.path(word)) for part in parts for word in part.channels):
            return True
        outs = [
            self.path(each) for part in parts for _, each in part.outs if not self._is_null(each)
        ]
        reads = [
            self.path(word)
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
        named = (self._is_namelist(self.path(word)) for word in words if word)
        may = command in _MAY_DO_ANYTHING and is_called_namelist(" ".join(words))
        return may or (changes and any(named))

    def _is_namelist(self, path: str) -> bool:
        content = self.files.contents.get(self.files.real(path))
        is_one = content is not None and content.has_groups(path)
        return is_one or is_called_namelist(last_of(path))


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
