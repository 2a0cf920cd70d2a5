# SPDX-License-Identifier: Apache-2.0
"""What commands of a script print, and the files that it goes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from thalweg.shell.files.contents import NO_END, Content, Piece, Written, is_called_namelist
from thalweg.shell.files.files import CAPTURED
from thalweg.shell.files.names import (
    ERRORS,
    NULL,
    PRINTED,
    Names,
    is_fd,
    is_nowhere,
    open_as_pattern,
)
from thalweg.shell.files.watch import Watch, feeds
from thalweg.shell.files.writers import names_in
from thalweg.shell.lines import begins_group
from thalweg.shell.paths import last_of
from thalweg.shell.tree.tree import Command, Redirections, Simple
from thalweg.shell.unresolved import unresolved_names
from thalweg.shell.values.expansion import expand
from thalweg.shell.values.patterns import is_named
from thalweg.shell.values.programs import OF_WORDS, WITHOUT_END
from thalweg.shell.values.words import words_given

_OWN = frozenset({"`mktemp`", "`date`", "`hostname`"})  # names of their own, no file has them


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
class Printed:
    """Lines, whether they are all that is printed, and whether the last one has an end."""

    pieces: list[Written] = field(default_factory=list)
    is_known: bool = True
    is_ended: bool = True

    @property
    def text(self) -> str:
        """With the ends of its lines."""
        end = "\n" if self.pieces and self.is_ended else ""
        return "\n".join(each.text for each in self.pieces) + end

    @property
    def has_groups(self) -> bool:
        return any(begins_group(each.text) for each in self.pieces)


@dataclass
class Output(Names):
    """stdout  path of the file that a block prints to; "" for none
    stdin      what a block gets, until something reads it; None where that is not known
    printed    what prints there and is not understood: "FILE:LINE" and its name
    """

    stdout: str = ""
    printed: list[tuple[str, str]] = field(default_factory=list)
    stdin: list[str | Sequence[Piece]] | None = None

    def __post_init__(self) -> None:
        self._captures = 0
        self.watch = Watch(
            self.files.unread, self.path, self.is_namelist, self.is_null, self.may_be_namelist,
            self.names_one, self.lines_in,
        )  # fmt: skip

    def places(self, words: Iterable[str], at: str) -> list[str]:
        """A file that > /dev/stdout opens again is empty then, and written from where it was. One
        whose name is open may be any that it may mean.
        """
        words = list(words)
        self.doubt_fed(words, at)
        found = super().places([each for each in words if not feeds(each)], at)
        for path in found:
            for each in self.meant_by(path):
                self.files.doubt(each, at)
        if any(word in ("/dev/stdout", "/dev/stderr") for word in words):
            for each in found:
                if not each.startswith(CAPTURED):
                    self.files.doubt(each, at)
        if any(map(is_fd, words)):
            for each in found:
                self.files.doubt_moved(each, at)
        return found

    def meant_by(self, path: str) -> list[str]:
        """Files that are no namelists, where the name of one is open."""
        pattern = open_as_pattern(path)
        names = set(unresolved_names(path)) - _OWN
        is_all = not pattern.replace("*", "").strip("/")
        is_set = any(each in self.variables.assigned or each[:1] == "`" for each in names)
        if pattern == path or (is_all and not is_set):
            return []
        known = [each for each in self.files.contents if is_named(each, pattern)]
        return [each for each in known if not self.is_namelist(each)]

    def doubt_others(self, files: Redirections, at: str) -> None:
        """Files for errors and other channels: who writes there is not followed."""
        outs = [word for _, word in files.outs]
        errors = [files.errors[1]] if files.errors and files.errors[1] not in outs else []
        opened = [word for operator, word in files.channels if operator[-1:] in (">", "|")]
        for word in (*errors, *opened):
            if not is_fd(word) and not self.is_null(word):
                self.files.doubt(self.path(word), at)
        self.doubt_fed([*outs, *errors], at)

    def doubt_fed(self, words: Iterable[str], at: str) -> None:
        """`> >(tee FILE)`: files that are named there."""
        code = [expand(word[2:-1], self.variables) for word in words if feeds(word)]
        names = names_in([], code)
        if any(map(is_called_namelist, code)):
            self.files.unread.add(at, "a command in >( )")
        for path in list(self.files.contents) if code else ():
            is_meant = names is None or last_of(path) in names
            if is_meant and not self.is_namelist(path):
                self.files.doubt(path, at)
        if code and self.stdout:
            self.printed.append((at, "what a command in >( ) prints"))

    @contextmanager
    def redirected(self, files: Redirections, at: str, known: Known) -> Iterator[None]:
        """What a block, or a function, prints goes to its file."""
        given, has_own = self.stdin, has_input(files)
        self.stdin = self.given_by(files, at) if has_own else given
        before = {name: self.channels.get(name) for name in _opened_by(files)}
        self._tell_of_channels(files, at)
        if (
            files.errors
            and not is_fd(files.errors[1])
            and self.is_namelist(self.path(files.errors[1]))
        ):
            self.files.unread.add(at, "the channel of errors")
        if not files.outs:
            self._let_errors_go(files)
            yield
            self._close(before)
            self._end_block(files, at, given, has_own=has_own)
            return
        outs = [(behind, word) for behind, word in files.outs if not self.is_null(word)]
        self.empty([word for behind, word in outs if not behind], at, known)
        printed, self.printed = self.printed, []
        places = self.places([word for _, word in outs[-1:]], at)
        self._let_errors_go(files, places)
        for each in places:
            self.opens(each)
        with self.printing(places[0] if places else "", thrown=not outs):
            self._tell_of_channels(files, at)
            yield
            self.files.doubt_moved(self.stdout, at)
            if self.stdout and self.is_namelist(self.stdout):
                for place in self.printed:
                    self.files.unread.add(*place)
            elif self.printed:
                self.files.doubt(self.stdout, at)
        self.printed = printed
        self._close(before)
        self._end_block(files, at, given, has_own=has_own)

    def _close(self, before: dict[str, str | None]) -> None:
        """Channels that were opened for a block are what they were."""
        for name, path in before.items():
            if path is None:
                self.channels.pop(name, None)
            else:
                self.channels[name] = path

    def _tell_of_channels(self, files: Redirections, at: str) -> None:
        """Those that are not read; errors may have what `set -x` prints among them."""
        word = files.errors[1] if files.errors else ""
        outs = [each for _, each in files.outs[-1:] if each not in (ERRORS, "/dev/stderr")]
        is_open = any(is_fd(each) and each != PRINTED and self.is_null(each) for each in outs)
        is_open |= is_fd(word) and word != PRINTED and self.is_null(word)
        for operator, word in files.channels:
            is_thrown = operator.endswith(">") and is_nowhere(expand(word, self.variables))
            self.channels[f"/dev/fd/{operator.rstrip('<>&|')}"] = NULL if is_thrown else ""
        if self.stdout and (is_open or (word and "xtrace" in self.variables.options)):
            self.printed.append((at, "what goes to another channel"))

    def tell_of_errors(self, at: str, files: Redirections | None = None) -> None:
        """Which are not known, and may go where what is printed does. files: of the command"""
        word = files.errors[1] if files and files.errors else ERRORS
        if not self.stdout or not is_fd(word) or self.is_null(word):
            return
        path = self.path(word)
        if path == self.stdout:
            self.printed.append((at, "what goes to the channel of errors"))
        else:
            self.files.doubt(path, at)

    def _let_errors_go(self, files: Redirections, places: Sequence[str] = ()) -> None:
        """places: of what is printed. Errors in a file of their own are not read."""
        if files.errors is None:
            return
        _, word = files.errors
        is_with_it = bool(files.outs) and word == files.outs[-1][1]
        is_hidden = self.hides_errors(files)
        self.channels[ERRORS] = NULL if is_hidden else ""
        if is_hidden:
            return
        if is_with_it and places:
            self.channels[ERRORS] = places[0]
        elif is_fd(word):
            self.channels[ERRORS] = "" if self.is_null(word) else self.path(word)

    def lines_before(self) -> list[str] | None:
        found: list[str] = []
        for part in self.stdin or ():
            if isinstance(part, str) or not all(isinstance(each, Written) for each in part):
                return None
            found += [each.text for each in part if isinstance(each, Written)]
        return None if self.stdin is None else found

    def take_line(self) -> None:
        """By `read`, of what a block gets."""
        lines = self.lines_before()
        if lines:
            parts = self.stdin or ()
            pieces = [each for part in parts for each in part if isinstance(each, Written)]
            self.stdin = [pieces[1:]] if pieces[1:] else []

    def given_by(self, files: Redirections, at: str) -> list[str | Sequence[Piece]] | None:
        """What a block, or the script behind `exec`, gets; None where that is not known."""
        if files.documents:
            return [self.lines_of(files.documents[-1])]
        is_program = bool(files.ins) and files.ins[-1].startswith("<(")
        if is_program or not (files.ins or files.strings):
            return None
        if files.strings:
            return [self.written(expand(files.strings[-1], self.variables), at)]
        places: list[str | Sequence[Piece]] = []
        for path in self.places(files.ins[-1:], at):
            pieces = self.pieces_of(path)
            places.append(path if pieces is None or self.is_namelist(path) else pieces)
        return places

    def take_all(self) -> None:
        """By `while read`, of what a block gets."""
        self.stdin = None if self.stdin is None else []

    def _end_block(
        self, files: Redirections, at: str, before: list[str | Sequence[Piece]] | None, *,
        has_own: bool,
    ) -> None:  # fmt: skip
        """What it got, and no `cat` in it took, went where it cannot be seen."""
        self.doubt_others(files, at)
        is_left = has_own and bool(self.stdin)
        if is_left or files.channels:
            self.watch.tell_of_block(files, at)
        self.stdin = before if has_own else self.stdin

    @contextmanager
    def captured(self) -> Iterator[Printed]:
        """What is printed, behind it."""
        self._captures += 1
        path, found = f"{CAPTURED}{self._captures}", Printed()
        printed, self.printed = self.printed, []
        with self.printing(path):
            yield found
        content = self.files.contents.pop(path, Content())
        pieces = self.lines_of_pieces(content.pieces)
        found.pieces = _whole_lines(pieces or [])
        found.is_ended = not pieces or not pieces[-1].text.endswith(NO_END)
        found.is_known = not self.printed and not content.doubtful and pieces is not None
        self.printed = printed

    @contextmanager
    def discarded(self) -> Iterator[None]:
        """What is captured there goes nowhere."""
        if not self.stdout.startswith(CAPTURED):
            yield
            return
        before = self.channels.get(ERRORS, "")
        with self.captured():
            if before.startswith(CAPTURED):
                self.channels[ERRORS] = self.stdout
            yield
        self.channels[ERRORS] = before

    @contextmanager
    def printing(self, path: str, *, thrown: bool = False) -> Iterator[None]:
        before = self.stdout, self.channels.get(PRINTED, "")
        self.stdout, self.channels[PRINTED] = path, NULL if thrown else path
        yield
        self.stdout, self.channels[PRINTED] = before

    def sink_of(self, command: Command) -> Redirections | None:
        """Of `tee -a FILE` and `cat > FILE` at the end of a pipeline; None of anything else."""
        if not isinstance(command, Simple):
            return None
        plain = self.expanded(command.plain())
        if plain.words == ["cat"] and len(plain.files.outs) == 1 and not plain.files.documents:
            return plain.files
        places = self.places_of_tee(plain) if plain.words[:1] == ["tee"] else []
        return Redirections(outs=places) if len(places) == 1 else None

    def places_of_tee(self, simple: Simple) -> list[tuple[bool, str]]:
        """Files that it writes, as in `Redirections.outs`; where what it prints goes, too."""
        is_behind = any("a" in each.lstrip("-") for each in simple.options())
        self.doubt_fed(simple.operands(), simple.at)
        places = [*((is_behind, word) for word in simple.operands()), *simple.files.outs]
        return [each for each in places if not (feeds(each[1]) or self.is_null(each[1]))]

    def into(
        self, target: str, sources: Sequence[str | Sequence[Piece]], at: str, *,
        sure: bool, replaces: bool,
    ) -> None:  # fmt: skip
        files, first = self.files, sources[0] if sources else ()
        is_copy = len(sources) == 1 and isinstance(first, str)
        if is_copy and replaces and files.real(str(first)) != files.real(target):
            files.copy(str(first), target, at, sure=sure)
        else:
            files.join(sources, target, at, sure=sure, replaces=replaces)

    def cat(self, simple: Simple, outs: Sequence[tuple[bool, str]], known: Known) -> bool:
        files, at = simple.files, simple.at
        is_known = bool(files.documents or files.ins or files.strings or self._operands(simple))
        if not is_known and self.stdin is None:
            return False
        if not outs:
            given = self.sources(simple)
            if self.stdout and not files.outs:
                self.into(self.stdout, given, at, sure=known.sure, replaces=False)
            return True
        sources = self.sources(simple)
        is_behind, word = outs[-1]
        self.empty([each for _, each in outs[:-1]], at, known)
        for each in self.places([word], at):
            if not is_behind:
                self.clobbers(each, at)
            self.into(each, sources, at, sure=known.sure, replaces=not is_behind)
        return True

    def tee(self, simple: Simple, sources: Sequence[str | Sequence[Piece]], known: Known) -> bool:
        for is_behind, word in self.places_of_tee(simple):
            for each in self.places([word], simple.at):
                self.into(each, sources, simple.at, sure=known.sure, replaces=not is_behind)
        if self.stdout and not simple.files.outs:
            self.into(self.stdout, sources, simple.at, sure=known.sure, replaces=False)
        return True

    def print_text(self, simple: Simple, outs: Sequence[tuple[bool, str]], known: Known) -> bool:
        """echo, print and printf into files, as far as their texts are known."""
        if not outs and (simple.files.outs or not self.stdout):
            return True
        name = simple.words[0]
        given = words_given(simple.words[1:], self.variables)
        text = None if given is None else OF_WORDS[name](given)
        text = f"{text}\n" if text is not None and name in WITHOUT_END else text
        if text == "" and outs:
            self.empty([word for is_behind, word in outs if not is_behind], simple.at, known)
            return True
        if text is None:
            return False
        text = text.removesuffix("\n") if text.endswith("\n") else text + NO_END
        pieces = self.written(text, simple.at)
        if not outs:
            self.into(self.stdout, [pieces], simple.at, sure=known.sure, replaces=False)
            return True
        is_behind, word = outs[-1]
        self.empty([each for _, each in outs[:-1]], simple.at, known)
        for each in self.places([word], simple.at):
            if not is_behind:
                self.clobbers(each, simple.at)
            self.into(each, [pieces], simple.at, sure=known.sure, replaces=not is_behind)
        return True

    def sources(self, simple: Simple) -> list[str | Sequence[Piece]]:
        """What `cat` puts one behind the other; a document, or `<`, where it names none, or -."""
        given: list[str | Sequence[Piece]] = [
            self.lines_of(each) for each in simple.files.documents[-1:]
        ]
        for text in simple.files.strings[-1:]:
            given = [self.written(expand(text, self.variables), simple.at)]
        given = given or [*self.places(simple.files.ins[-1:], simple.at)]
        operands = self._operands(simple) or ["-"]
        if not given and "-" in operands:
            given = self.stdin or []
            self.take_all()
        found: list[str | Sequence[Piece]] = []
        for word in operands:
            if word == "-":
                found += given
            elif not self.is_null(word):
                found += self.places([word], simple.at)
        return found

    def _operands(self, simple: Simple) -> list[str]:
        """Those that are there: "$@" may be none."""
        return [each for each in simple.operands() if each == "-" or self.texts([each])]

    def empty(self, words: Sequence[str], at: str, known: Known) -> None:
        for each in self.places(words, at):
            self.clobbers(each, at)
            self.files.put(each, [], at, sure=known.sure, replaces=True)

    def clobbers(self, path: str, at: str) -> None:
        """`set -C` lets > replace no file."""
        if "noclobber" in self.variables.options and self.files.is_there(path):
            self.files.unread.add(at, "'>' behind 'set -C'")


def _opened_by(files: Redirections) -> set[str]:
    found = {f"/dev/fd/{operator.rstrip('<>&|')}" for operator, _ in files.channels}
    return found | ({ERRORS} if files.errors else set())


def has_input(files: Redirections) -> bool:
    from_channel = any(operator in ("<", "<&", "0<", "0<&") for operator, _ in files.channels)
    return bool(files.documents or files.ins or files.strings) or from_channel


def _whole_lines(pieces: Sequence[Written]) -> list[Written]:
    """With those that `printf` and `echo -n` begin, and others go on with, in one."""
    found: list[Written] = []
    begun: Written | None = None
    for each in pieces:
        line = each if begun is None else begun._replace(text=begun.text + each.text)
        begun = line._replace(text=line.text[:-1]) if line.text.endswith(NO_END) else None
        found += [] if begun else [line]
    return found if begun is None else [*found, begun]
