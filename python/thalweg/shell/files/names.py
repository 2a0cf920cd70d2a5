# SPDX-License-Identifier: Apache-2.0
"""The files that words of a script name, and their lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from posixpath import normpath

from thalweg.shell.files.contents import NO_END, Outside, Piece, Written, is_called_namelist
from thalweg.shell.files.files import Files
from thalweg.shell.lines import NumberedLine
from thalweg.shell.paths import last_of
from thalweg.shell.tree.brackets import is_left_open
from thalweg.shell.tree.tree import (
    AndOr,
    Body,
    Function,
    HereDocument,
    Loop,
    Redirections,
    Simple,
    bodies_of,
    is_assigned,
)
from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.expansion import expand
from thalweg.shell.values.home import with_home
from thalweg.shell.values.patterns import is_named, is_pattern
from thalweg.shell.values.rows import read_row
from thalweg.shell.values.variables import Variables
from thalweg.shell.values.words import (
    HAS_ARGUMENTS,
    QUOTES,
    quoted_words,
    split_exactly,
    split_words,
)

_MOST_NAMES = 1000  # of what a function is given
_OPEN_PART = re.compile("\x02[^\x03]*\x03")
NULL = "/dev/null"
_NOWHERE = frozenset({NULL, "/dev/tty"})
PRINTED, ERRORS = "/dev/fd/1", "/dev/fd/2"
_ALIASES = {"/dev/stdout": PRINTED, "/dev/stderr": ERRORS}


@dataclass
class Names:
    """channels  paths of files that `exec 3> FILE` has opened, by "/dev/fd/3"; what is printed, and
              errors, go to "/dev/fd/1" and "/dev/fd/2": none where they are not read, NULL where
              they are thrown away
    text_of   what a command prints, with the ends of its lines; None where that is not known
    """

    variables: Variables
    files: Files
    channels: dict[str, str] = field(default_factory=dict)
    text_of: Callable[[str], str | None] = lambda _: None

    def arguments(self, words: Iterable[str]) -> list[str]:
        return self.given(words)[0]

    def given(self, words: Iterable[str]) -> tuple[list[str], int | None]:
        """What a function gets, and how many of them are where they are; None: all."""
        found: list[str] = []
        sure: int | None = None
        for word in words:
            values, known = split_exactly([word], self.variables)
            if known is not None and sure is None:
                sure = len(found) + known
            for each in values:
                names = [each]
                is_open = is_pattern(each) and not QUOTES.search(word)
                if is_open and "noglob" not in self.variables.options:
                    names = self._names_like(each)
                    sure = len(found) if sure is None and not names else sure
                found += names or [each]
        return found[:_MOST_NAMES], sure

    def _names_like(self, pattern: str) -> list[str]:
        """Of files, as a script that stands where it is now calls them."""
        names = self.files.matching(self.files.behind_links(self.files.folders.path(pattern)))
        folder, slash, _ = pattern.rpartition("/")
        if is_pattern(folder):
            return []
        return [f"{folder}{slash}{name.rpartition('/')[2]}" for name in names]

    def turns(self, word: str) -> list[str] | None:
        """What a loop goes over for a word; None where that is not known."""
        found: list[str] = []
        words, known = split_exactly([word], self.variables)
        if known is not None and HAS_ARGUMENTS.search(word):
            return None
        for each in words:
            if (has_unresolved(each) and known is not None) or (
                not QUOTES.search(word) and "{" in each
            ):
                return None
            is_literal = QUOTES.search(word) or "noglob" in self.variables.options
            if not is_pattern(each) or is_literal:
                found.append(each)
                continue
            names = self._names_like(each)
            if not names:
                return None
            found += names
        return found

    def expanded(self, simple: Simple) -> Simple:
        """A command that is the value of a variable."""
        if not simple.words or not may_be_command(simple.words[0]):
            return simple
        first, known = split_exactly(simple.words[:1], self.variables)
        if not first and known is None and len(simple.words) > 1:  # `$SUDO cp A B`
            return self.expanded(replace(simple, words=simple.words[1:]).plain())
        if not first or has_unresolved(first[0]) or not first[0]:
            return simple
        if is_pattern(first[0]) or "=" in first[0]:
            return simple
        words = quoted_words(first, known)
        return replace(simple, words=[*words, *simple.words[1:]]).plain()

    def path(self, word: str) -> str:
        return self.files.behind_links(self._path_of(expand(with_home(word), self.variables)))

    def _path_of(self, text: str) -> str:
        return self.channels.get(_ALIASES.get(text, text)) or self.files.folders.path(text)

    def open_channel(self, operator: str, word: str) -> str:
        """`exec 3> FILE`, which >&3 writes to: its path; "" where none is opened."""
        number, word = operator.rstrip("<>&|"), word.removesuffix("-")
        before = self.channels.get(f"/dev/fd/{word}")
        self.channels.pop(f"/dev/fd/{number}", None)
        if operator.endswith("&"):
            self.channels[f"/dev/fd/{number}"] = before or ""
        if operator[len(number) :] not in (">", ">>", ">|"):
            return ""
        path = self.path(word)
        self.opens(path)
        self.channels[f"/dev/fd/{number}"] = path
        return path

    def opens(self, path: str) -> None:
        """What is written there lies there, if nothing has an older file of that name open."""
        if path not in self.channels.values():
            self.files.removed.moved.pop(path, None)

    def places(self, words: Iterable[str], at: str) -> list[str]:
        files = self.files
        paths = [self._path_of(text) for text in self.texts(words)]
        return [files.place(each, at) for path in paths for each in self.matching(path)]

    def matching(self, path: str) -> list[str]:
        if not is_pattern(path):
            return [path]
        return self.files.matching(self.files.behind_links(path)) or [path]

    def is_null(self, word: str) -> bool:
        text = expand(word, self.variables)
        name = _ALIASES.get(text, text)
        path = self.channels.get(name)
        return text in _NOWHERE or (name.startswith("/dev/fd/") and path in (None, "", NULL))

    def hides_errors(self, files: Redirections) -> bool:
        """Whether they are thrown away by the command, or by what it stands in: whoever writes that
        expects that it may not work.
        """
        text = expand(files.errors[1], self.variables) if files.errors else ERRORS
        return is_nowhere(text) or self.channels.get(_ALIASES.get(text, text)) == NULL

    def texts(self, words: Iterable[str]) -> list[str]:
        """With braces and variables that hold several names taken apart."""
        return [each for each in split_words(words, self.variables)[:_MOST_NAMES] if each]

    def lines_of(self, document: HereDocument) -> list[Written]:
        """With values in them, which may be lines of their own."""
        if not document.expands:
            return [Written(document.file, number, line) for number, line in document.lines]
        found: list[Written] = []
        for number, line in _joined(document.lines):
            text = expand(line, self.variables, quotes=False)
            found += [Written(document.file, number, each) for each in text.split("\n")]
        return found

    def written(self, text: str, at: str) -> list[Written]:
        file, _, line = at.rpartition(":")
        return [Written(file, int(line), each) for each in text.split("\n")]

    def lines_before(self) -> list[str] | None:
        """Of what a pipeline or a block gives; None where that is not known."""
        return None

    def take_all(self) -> None:
        """Of what a pipeline or a block gives."""

    def pieces_of(self, path: str) -> list[Written] | None:
        """Of a file that the script wrote or that lies beside it; None where they are not known."""
        content = self.files.contents.get(self.files.real(path))
        is_open = content is not None and (bool(content.doubtful) or content.is_stale)
        if self.files.is_tried or is_open or self.files.may_be_gone(path):
            return None
        pieces = content.pieces if content else [Outside(path, "")]
        last = pieces[-1] if pieces else None
        if isinstance(last, Written) and last.text.endswith(NO_END):
            return None  # programs take it for a line, or for none
        return self.lines_of_pieces(pieces)

    def lines_of_pieces(self, pieces: Iterable[Piece]) -> list[Written] | None:
        """Also of files that lie beside the script; None where they are not known."""
        found: list[Written] = []
        for each in pieces:
            lines = [each] if isinstance(each, Written) else self.files.read(each.path)
            if lines is None:
                return None
            found += lines
        return found

    def lines_given(self, files: Redirections, *, ended: bool = False) -> list[str] | None:
        """Of a here-document, a text behind <<< or a file; None where they are not known.

        ended: those of which the last one has no end are not known
        """
        if files.strings:
            return expand(files.strings[-1], self.variables).split("\n")
        if files.documents:
            return [each.text for each in self.lines_of(files.documents[-1])]
        if not files.ins:
            return self.lines_before()
        word = files.ins[-1]
        if word.startswith("<("):
            text = self.text_of(word[2:-1])
            if not text or (ended and not text.endswith("\n")):
                return [] if text == "" else None
            return text.removesuffix("\n").split("\n")
        pieces = self.pieces_of(self.path(word))
        return None if pieces is None else [each.text for each in pieces]

    def rows(self, command: Loop) -> list[dict[str, str]] | None:
        """Values in each turn of `while read a b; do ... done < FILE`; None where not known."""
        condition = command.condition
        one = len(condition) == 1 and (
            len(condition[0].parts) == 1 or is_about_last_line(condition[0])
        )
        commands = condition[0].parts[0][1].commands if one else []
        read = commands[0] if len(commands) == 1 else None
        if not isinstance(read, Simple) or read.plain().words[:1] != ["read"]:
            return None
        is_own = command.word == "while" and not _reads(command.body)
        is_ended = len(condition[0].parts) == 1 if one else False
        lines = self.lines_given(command.files, ended=is_ended) if is_own else None
        if lines is not None and not _has_own(command.files):
            self.take_all()
        rows = [read_row(line, read, self.variables) for line in lines or ()]
        found = [row for row in rows if row is not None]
        return None if lines is None or len(found) < len(rows) else found

    def may_be_namelist(self, path: str) -> bool:
        """Also one of those that a pattern fits, or that may be meant where its name is open."""
        pattern = open_as_pattern(path)
        if not is_pattern(pattern):
            return self.is_namelist(path)
        contents = self.files.contents
        return any(is_named(each, pattern) and contents[each].has_groups(each) for each in contents)

    def is_namelist(self, path: str) -> bool:
        content = self.files.contents.get(self.files.real(path))
        is_one = content is not None and content.has_groups(path)
        return is_one or is_called_namelist(last_of(path))

    def lines_in(self, path: str) -> list[str]:
        content = self.files.contents.get(self.files.real(path))
        if content is None:
            return [each.text for each in self.files.read(path) or ()]
        return [line for _, line in content.lines()]

    def names_one(self, path: str) -> bool:
        return any(map(is_called_namelist, self.lines_in(path)))


def may_be_command(word: str) -> bool:
    """Of values, and of quotes: `$cmd`, `"$@"`, `f_$n`; not x=$y and [[ $x ]]."""
    is_other = word.startswith(("((", "[[")) or is_assigned(word)
    return not is_other and re.search(r"[$\"'`\\]", word.removeprefix("\\")) is not None


def _reads(body: Body) -> bool:
    """Whether anything in it takes a line of what the whole body gets."""
    firsts = [pipeline.commands[0] for each in body for _, pipeline in each.parts]
    return any(
        each.plain().words[:1] == ["read"]
        if isinstance(each, Simple)
        else any(map(_reads, bodies_of(each)))
        for each in firsts
        if isinstance(each, Function) or not _has_own(each.files)
    )


def _has_own(files: Redirections) -> bool:
    return bool(files.ins or files.documents or files.strings)


def is_nowhere(text: str) -> bool:
    return normpath(text) == NULL


def open_as_pattern(path: str) -> str:
    """With * for what is not known of it."""
    return _OPEN_PART.sub("*", path)


def is_fd(word: str) -> bool:
    """A channel by its number."""
    return word.startswith("/dev/fd/") or word in _ALIASES


def _joined(lines: Iterable[NumberedLine]) -> Iterator[NumberedLine]:
    """A line with those in which its ${ or $( ends, and those that \\ joins to it."""
    first, text = 0, ""
    for number, line in lines:
        first, text = (first, text + line) if text else (number, line)
        if (len(text) - len(text.rstrip("\\"))) % 2:
            text = text[:-1] or " "
        elif is_left_open(text):
            text += "\n"
        else:
            yield first, text
            text = ""
    if text:
        yield first, text


def is_about_last_line(condition: AndOr) -> bool:
    """`read x || [ -n "$x" ]`, for a file whose last line has no end"""
    joint, pipeline = condition.parts[1]
    command = pipeline.commands[0]
    is_test = isinstance(command, Simple) and command.words[:2] in (["[", "-n"], ["[[ -n"])
    is_test |= isinstance(command, Simple) and command.text.startswith("[[ -n ")
    return len(condition.parts) == 2 and joint == "||" and is_test
