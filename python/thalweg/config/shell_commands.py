# SPDX-License-Identifier: Apache-2.0
"""What the commands of a script do with its files. One that is not understood, and may write or
change a namelist, is noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from thalweg.config.namelist import begins_group
from thalweg.config.shell_contents import Piece, Written, is_called_namelist
from thalweg.config.shell_copies import LINKS, Copy, Options
from thalweg.config.shell_files import Files
from thalweg.config.shell_folders import last_of, path_from
from thalweg.config.shell_tree import HereDocument, Redirections, Simple
from thalweg.config.shell_words import Variables, expand
from thalweg.config.unresolved import has_unresolved

_COPIES = frozenset({"cp", "mv", *LINKS})
_REMOVES = frozenset({"rm", "unlink"})
_WRITES_WHAT_IT_NAMES = frozenset(
    {
        *_COPIES,
        *_REMOVES,
        "install",
        "rsync",
        "scp",
        "dd",
        "truncate",
        "ed",
        "ex",
        "vi",
        "vim",
        "patch",
    }
)
_MAY_DO_ANYTHING = frozenset({"bash", "sh", "ksh", "zsh", "ssh", "find", "xargs"})
_ONLY_READS = frozenset(
    {"echo", "printf", "grep", "ls", "diff", "cmp", "wc", "md5sum", "sha256sum", "srun", "mpirun",
     "mpiexec", "aprun"}
)  # fmt: skip
_NAMELIST = re.compile(r"&[A-Za-z]\w*_nml\b", re.IGNORECASE)
_IN_PLACE = re.compile(r"-(?:[A-Za-z]*i|-in-place)")
_PRINTS_NOTHING = frozenset(
    {"cd", "mkdir", "rm", "cp", "mv", "ln", "export", "set", "unset", "sleep", "wait", "touch",
     "chmod", "module", "ulimit", "read", "trap", "source", ".", "shopt", "umask", "kill", "local",
     "declare", "typeset", "readonly", "integer", "let", "shift", "return", "mapfile", "test"}
)  # fmt: skip
_BRACES = re.compile(r"(?<!\$)\{([^{}$]*,[^{}$]*)\}")
_QUOTES = re.compile(r"['\"\\]")
_MOST_NAMES = 1000  # of braces, and of what a function is given


@dataclass(frozen=True)
class Known:
    """Of a command that is run.

    sure   whether it is run, and once
    there  path of a file that a condition asks for: what removes it leaves none
    """

    sure: bool = True
    there: str = ""

    def but(self, *, sure: bool) -> Known:
        return Known(self.sure and sure, self.there)


@dataclass
class FileCommands:
    """passed_over  "FILE:LINE" of what may change a namelist, and is not understood
    stdout          path of the file that a block prints to; "" for none
    printed         "FILE:LINE" of what prints there and is not understood
    """

    variables: Variables
    files: Files
    passed_over: list[str] = field(default_factory=list)
    stdout: str = ""
    printed: list[str] = field(default_factory=list)

    def run(self, parts: Sequence[Simple], known: Known) -> bool:
        """Of a pipeline: whether it is one on files that is understood."""
        parts = [self.expanded(each.plain()) for each in parts]
        if any(_feeds_another(part) for part in parts):
            self.passed_over.append(parts[0].at)
            return False
        if len(parts) == 1 and self._do(parts[0], known):
            return True
        is_tee = len(parts) == 2 and parts[1].words[:1] == ["tee"]
        if is_tee and parts[0].words[:1] == ["cat"] and not parts[0].files.outs:
            return self._tee(parts[1], self._sources(parts[0]), known)
        self._tell(parts)
        name, *_ = [*parts[-1].text.split(maxsplit=1), ""]
        if self.stdout and name not in _PRINTS_NOTHING:
            self.printed.append(parts[0].at)
        return False

    def tell(self, simple: Simple) -> None:
        """Of what may be run at another time, as in a function."""
        part = simple.plain()
        self._tell([part])
        if part.words[:1] and part.words[0] in _COPIES | _REMOVES and self._changes(part):
            self.passed_over.append(simple.at)

    @contextmanager
    def redirected(self, files: Redirections, at: str, known: Known) -> Iterator[None]:
        """What a block, or a function, prints goes to its file."""
        lines = [line for document in files.documents for _, line in document.lines]
        opens = any(self._is_namelist(self.path(word)) for word in files.channels)
        if opens or any(map(begins_group, lines)):
            self.passed_over.append(at)
        if not files.outs:
            yield
            return
        outs = [(behind, word) for behind, word in files.outs if not self._is_null(word)]
        self._empty([word for behind, word in outs if not behind], at, known)
        printed, self.printed = self.printed, []
        places = self._places([word for _, word in outs[-1:]], at)
        with self.printing(places[0] if places else ""):
            yield
            if self.stdout and self._is_namelist(self.stdout):
                self.passed_over += self.printed
        self.printed = printed

    @contextmanager
    def printing(self, path: str) -> Iterator[None]:
        before, self.stdout = self.stdout, path
        yield
        self.stdout = before

    def arguments(self, words: Iterable[str]) -> list[str]:
        """As a function gets them: each word, the words of $x, those of "$@" as they were."""
        found: list[str] = []
        for word in words:
            elements = self.variables.elements(word)
            if elements is not None:
                found += elements
                continue
            text = expand(word, self.variables)
            is_one = _QUOTES.search(word) or has_unresolved(text)
            found += [text] if is_one else text.split()
        return found[:_MOST_NAMES]

    def turns(self, word: str) -> list[str] | None:
        """What a loop goes over for a word; None where that is not known."""
        if _QUOTES.search(word) or self.variables.elements(word) is not None:
            found = self.arguments([word])
            return None if any(map(has_unresolved, found)) else found
        found = [each for part in _braces(word) for each in self.arguments([part])]
        if any(has_unresolved(each) or "{" in each for each in found):
            return None
        turns: list[str] = []
        for each in found:
            if not any(letter in each for letter in "*?["):
                turns.append(each)
                continue
            names = self.files.matching(self.files.behind_links(self.files.folders.path(each)))
            folder, slash, _ = each.rpartition("/")
            if not names or any(letter in folder for letter in "*?["):
                return None
            turns += [f"{folder}{slash}{name.rpartition('/')[2]}" for name in names]
        return turns

    def links(self, command: str) -> bool:
        """Whether it is a function of ICON's scripts that is understood."""
        return command in LINKS

    def path(self, word: str) -> str:
        return self.files.behind_links(self.files.folders.path(expand(word, self.variables)))

    def expanded(self, simple: Simple) -> Simple:
        """A command that is the value of a variable."""
        if not simple.words or simple.words[0][:1] not in ("$", '"', "'"):
            return simple
        first = expand(simple.words[0], self.variables)
        if has_unresolved(first) or not first.split():
            return simple
        return replace(simple, words=[*first.split(), *simple.words[1:]]).plain()

    def _do(self, simple: Simple, known: Known) -> bool:
        command, *_ = [*simple.words, ""]
        files, at = simple.files, simple.at
        outs = [each for each in files.outs if not self._is_null(each[1])]
        if command == "cat" and not simple.options():
            return self._cat(simple, outs, known)
        if command == "tee":
            sources: list[str | Sequence[Piece]] = [
                self._lines(each) for each in files.documents[-1:]
            ]
            sources = sources or [*self._places(files.ins, at)]
            return bool(sources) and self._tee(simple, sources, known)
        if command in ("", ":", "true") and not files.documents:
            for word in simple.words[1:]:
                expand(word, self.variables)
            self._empty([word for is_behind, word in outs if not is_behind], at, known)
            return bool(simple.words or files.outs)
        if command == "" and outs:  # `> FILE << EOF`, as zsh has it
            return self._cat(replace(simple, words=["cat"]), outs, known)
        if command in _COPIES and not files.documents:
            return self._copies(simple, known)
        if command in _REMOVES:
            letters = set("".join(each.lstrip("-") for each in simple.options()))
            for text in self._texts(simple.operands()):
                self._remove(text, known, with_folders=bool(letters & {"r", "R"}))
            return True
        if command == "truncate" and simple.options() in (["-s"], ["-s0"], ["--size=0"]):
            words = simple.operands()
            self._empty(words[1:] if simple.options() == ["-s"] else words, at, known)
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

    def _empty(self, words: Sequence[str], at: str, known: Known) -> None:
        for each in self._places(words, at):
            self.files.put(each, [], at, sure=known.sure, replaces=True)

    def _copies(self, simple: Simple, known: Known) -> bool:
        """`cp A B`; into a folder, or of more than one, each keeps its name."""
        options = Options.of(simple)
        if options is None:
            return False
        texts = self._texts([*options.operands, *options.target])
        if not texts:
            return True
        last = texts[-1] if len(texts) > 1 else "."
        replaces_link = simple.words[0] == "ln" and "n" in options.letters
        into = bool(options.target) or len(texts) != 2
        into |= self.files.is_folder(last, through_link=not replaces_link)
        if into and not options.is_file:
            self.files.folder(self.files.behind_links(self.files.folders.path(last)))
        for text in texts[:1] if len(texts) == 1 else texts[:-1]:
            for source in self._matching(self.files.folders.path(text)):
                name = source.rpartition("/")[2] if not text.endswith("/.") else "."
                target = f"{last}/{name}" if into and not options.is_file else last
                target = self.files.behind_links(self.files.folders.path(target))
                copy = Copy(self.files, simple.words[0], options, simple.at, known.sure)
                if copy.is_link:  # what it says is read from where it is
                    source = self._matching(path_from(target.rpartition("/")[0], text))[0]
                copy.run(source, target)
        return True

    def _remove(self, text: str, known: Known, *, with_folders: bool) -> None:
        """All of another folder need not be here."""
        files = self.files
        path = files.behind_links(files.folders.path(text))
        is_sure = known.sure or (bool(path) and path == known.there)
        folders = files.folders_like(path)
        for folder in folders if with_folders else ():
            for each in files.within(folder):
                files.remove(each, sure=is_sure)
            if is_sure:
                files.remove_folder(folder)
        if path not in folders:
            files.remove(path, sure=is_sure)

    def _cat(self, simple: Simple, outs: Sequence[tuple[bool, str]], known: Known) -> bool:
        files, at = simple.files, simple.at
        is_known = bool(files.documents or files.ins or simple.operands()) and not files.strings
        if not is_known or (files.documents and not outs and not self.stdout):
            return False
        if not outs:
            if self.stdout and not files.outs:
                self._into(self.stdout, self._sources(simple), at, sure=known.sure, replaces=False)
            return True
        sources = self._sources(simple)
        is_behind, word = outs[-1]
        self._empty([each for _, each in outs[:-1]], at, known)
        for each in self._places([word], at):
            self._into(each, sources, at, sure=known.sure, replaces=not is_behind)
        return True

    def _tee(self, simple: Simple, sources: Sequence[str | Sequence[Piece]], known: Known) -> bool:
        replaces = not any("a" in each.lstrip("-") for each in simple.options())
        words = [*simple.operands(), *(word for _, word in simple.files.outs)]
        places = self._places([word for word in words if not self._is_null(word)], simple.at)
        for each in places:
            self._into(each, sources, simple.at, sure=known.sure, replaces=replaces)
        if self.stdout and not simple.files.outs:
            self._into(self.stdout, sources, simple.at, sure=known.sure, replaces=False)
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

    def _sources(self, simple: Simple) -> list[str | Sequence[Piece]]:
        """What `cat` puts one behind the other; a document, or `<`, where it names none, or -."""
        given: list[str | Sequence[Piece]] = [
            self._lines(each) for each in simple.files.documents[-1:]
        ]
        given = given or [*self._places(simple.files.ins[-1:], simple.at)]
        found: list[str | Sequence[Piece]] = []
        for word in simple.operands() or ["-"]:
            if word == "-":
                found += given
            elif not self._is_null(word):
                found += self._places([word], simple.at)
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
        parts = [
            each for word in words for each in ([word] if _QUOTES.search(word) else _braces(word))
        ]
        return [each for each in self.arguments(parts) if each]

    def _tell(self, parts: Sequence[Simple]) -> None:
        documents = [each for part in parts for each in part.files.documents]
        lines = [line for document in documents for _, line in document.lines]
        fed = parts[0].words[:1] not in (["cat"], ["tee"]) and any(map(is_called_namelist, lines))
        if fed or any(map(begins_group, lines)) or self._may_write(parts):
            self.passed_over.append(parts[0].at)

    def _may_write(self, parts: Sequence[Simple]) -> bool:
        if any(map(self._changes, parts)):
            return True
        if any(
            self._is_namelist(self.path(word)) for part in parts for word in part.files.channels
        ):
            return True
        outs = [
            self.path(each)
            for part in parts
            for _, each in part.files.outs
            if not self._is_null(each)
        ]
        reads = [
            self.path(word)
            for part in parts
            if part.words[:1] and part.words[0] not in _ONLY_READS
            for word in (*part.words[1:], *part.files.ins)
        ]
        text = " | ".join(part.text for part in parts)
        found = bool(_NAMELIST.search(text)) or any(map(self._is_namelist, [*outs, *reads]))
        return bool(outs) and found

    def _changes(self, part: Simple) -> bool:
        """Whether it may change namelists that it names."""
        command, *words = [*part.words, ""]
        changes = command in _WRITES_WHAT_IT_NAMES or command == "tee"
        changes |= command in ("sed", "perl") and any(map(_IN_PLACE.fullmatch, words))
        named = (self._is_namelist(self.path(word)) for word in words if word)
        if command.startswith("-"):  # of something before it, which is not known
            changes |= any(word in _WRITES_WHAT_IT_NAMES for word in words)
        may = command in _MAY_DO_ANYTHING and is_called_namelist(" ".join(words))
        return may or (changes and any(named))

    def _is_namelist(self, path: str) -> bool:
        content = self.files.contents.get(self.files.real(path))
        is_one = content is not None and content.has_groups(path)
        return is_one or is_called_namelist(last_of(path))


def _feeds_another(part: Simple) -> bool:
    """> >(cat > NAMELIST)"""
    words = [*part.words, *(word for _, word in part.files.outs)]
    return any(word.startswith(">(") and is_called_namelist(word) for word in words)


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
