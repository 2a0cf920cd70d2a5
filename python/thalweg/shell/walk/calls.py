# SPDX-License-Identifier: Apache-2.0
"""Functions that a script calls, scripts that it sources, and texts that it evaluates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from thalweg.shell.files.contents import is_called_namelist
from thalweg.shell.files.output import Known
from thalweg.shell.files.scripts import is_made_unread, lines_of_script
from thalweg.shell.paths import last_of
from thalweg.shell.tree.parser import parse_script
from thalweg.shell.tree.tree import (
    AndOr,
    Body,
    Braces,
    Command,
    Pipeline,
    Redirections,
    Simple,
    simples,
    simples_of,
)
from thalweg.shell.unresolved import (
    has_unresolved,
    known_beginning,
    unresolved_names,
    without_marks,
)
from thalweg.shell.values.expansion import expand
from thalweg.shell.values.words import ONE_WORD
from thalweg.shell.walk.arguments import Arguments
from thalweg.shell.walk.sets import names_set
from thalweg.shell.walk.ways import Way, Ways

_NAME_IS_OPEN = re.compile(
    r"(?:(?:export|declare|typeset|readonly|local)\s+(?:-\w+\s+)*)?\w*(?:\x02[^\x03]*\x03\w*)+="
)  # behind what is evaluated
# Which set what no namelist has in it, as paths.
_OF_TOOLS = re.compile(
    r"`(?:module\w*|ml|lmod|ssh|conda|mamba|micromamba|spack|direnv|dircolors|pyenv|opam|brew)`"
)
_STREAM = re.compile(r"(<\()|/dev/(?:stdin|fd/0)$")
_SAYS = re.compile(r"\s*(?:(?:echo|print|printf|exit|date|cat)\b[^;&|<>`]*(?:>&2)?[\s;]*)*")
_SAYING = frozenset({"echo", "print", "printf", "exit", "date", "cat", "local", "return"})
PRINTS_FAILURES = "`trap`"  # as an option
_FARTHEST = 20  # functions that call one another


@dataclass
class Calls:
    """run: a body, as one that may or may not be run"""

    ways: Ways
    run: Callable[[Body, Known], bool | None]

    def __post_init__(self) -> None:
        self.variables, self.commands = self.ways.variables, self.ways.commands
        self.course, self.arguments = self.ways.course, Arguments(self.ways.variables)

    def called(self, command: Command) -> str:
        """The function that it calls; "" where it calls none."""
        if not isinstance(command, Simple) or not self.course.functions:
            return ""
        own = command.words[len(command.assigned()) :]
        if (
            own and not command.is_program and own[0] in self.course.functions
        ):  # also one that is called as a program is
            return own[0]
        plain = self.commands.expanded(command.plain())
        is_other = plain.is_program or (own and own[0] in ("command", "builtin"))
        name = plain.words[0] if plain.words and not is_other else ""
        return name if name in self.course.functions else ""

    def may_call(self, plain: Simple, known: Known) -> None:
        """Functions that a command may be whose name is open in part: `f_$(hostname)`."""
        word = expand(plain.words[0], self.variables) if plain.words else ""
        if plain.is_program or not has_unresolved(word) or len(without_marks(word, "")) < 2:
            return
        pattern = re.compile(".*".join(map(re.escape, without_marks(word, "\0").split("\0"))))
        for name in [each for each in self.course.functions if pattern.fullmatch(each)]:
            given = self.commands.given(plain.words[1:])
            with self.ways.maybe(), self.course.deeper(plain.at, 2) as may_run:
                if may_run and self.course.may_turn(plain.at):
                    with self.arguments.of_function(given, ()):
                        self._call(name, Known(False, known.there))

    @contextmanager
    def _entered(self, simple: Simple, known: Known) -> Iterator[bool]:
        """What a function or a script prints goes where the command says; whether it may be run."""
        with (
            self.course.deeper(simple.at, 2) as is_not_deep,
            self.commands.redirected(simple.files, simple.at, known),
        ):
            yield is_not_deep and self.course.may_turn(simple.at)

    def call(self, simple: Simple, plain: Simple, known: Known) -> bool | None:
        """A function: whether what it returns is 0."""
        name = self.called(simple)  # as long as $1 is that of who calls it
        with self._entered(simple, known) as may_run:
            if not may_run:
                return None
            given = self.commands.given(plain.words[1:])
            self.variables.printed = None
            with self.arguments.of_function(given, simple.assigned()):
                return self._call(name, known)

    def source(
        self, simple: Simple, plain: Simple, known: Known
    ) -> tuple[bool | None, bool | None]:
        """A script: whether it is there, None where it is not run, and whether it succeeds."""
        with self._entered(simple, known) as may_run:
            if not may_run:
                return None, None
            return self._source(plain, simple.assigned(), known)

    def evaluate(self, plain: Simple, assigned: Sequence[str], known: Known) -> bool | None:
        """assigned: words such as x=1 before it"""
        text = " ".join(self.commands.arguments(plain.words[1:]))
        if not set(unresolved_names(text)) <= ONE_WORD:
            for each in plain.words[1:]:
                for name in re.findall(r"([A-Za-z_]\w*)=", each):
                    self.variables.forget(name)
            is_of_tools = _OF_TOOLS.search(text) is not None
            is_any = not known_beginning(text).strip() or _NAME_IS_OPEN.match(text) is not None
            self.variables.sets_unknown |= is_any and not is_of_tools
            self.commands.tell(plain)
            if is_called_namelist(text):
                self.commands.files.unread.add(plain.at, "'eval'")
            return None
        file, _, line = plain.at.rpartition(":")
        with (
            self.course.deeper(plain.at, 2) as may_run,
            self.commands.redirected(plain.files, plain.at, known),
            self.arguments.before_command(assigned),
        ):
            self.variables.printed = None
            if may_run and self.course.may_turn(plain.at):
                return self.run(parse_script(text.split("\n"), file, int(line)), known)
        return None

    def alias(self, plain: Simple) -> None:
        """As a function; in a script it means something only where that is asked for."""
        file, _, line = plain.at.rpartition(":")
        for word in plain.words[1:] if "expand_aliases" in self.variables.options else ():
            name, sign, text = expand(word, self.variables).partition("=")
            if sign and not has_unresolved(text):
                is_value = re.fullmatch(r"\w+=\S*", text) is not None
                body = parse_script([text if is_value else f'{text} "$@"'], file, int(line))
                self.course.functions[name] = [Braces(plain.at, body, Redirections())]

    def _source(
        self, plain: Simple, assigned: Sequence[str], known: Known
    ) -> tuple[bool, bool | None]:
        """A script that this one wrote, or that lies beside it."""
        if len(plain.words) < 2:
            return False, None
        path, found = "", self._of_stream(plain)
        if found is None and not _STREAM.match(plain.words[1]):
            path = self.commands.path(plain.words[1])
            found = self._of_file(path)
        if found is None:
            return False, None
        is_asked_for = bool(path) and known.there == path
        given = self.commands.given(plain.words[2:]) if plain.words[2:] else None
        with self.arguments.before_command(assigned), self.arguments.of_script(given):
            return True, self._run_within(found, plain.words[1], Known(known.sure or is_asked_for))

    def _of_stream(self, plain: Simple) -> Body | None:
        """`. <(sed s/a/b/ FILE)` and `. /dev/stdin <<< "x=1"`"""
        if not (stream := _STREAM.match(plain.words[1])):
            return None
        if stream[1]:
            text = self.commands.text_of(plain.words[1][2:-1])
            lines = None if text is None else text.split("\n")
        else:
            lines = self.commands.lines_given(plain.files)
        if lines is None or any(map(has_unresolved, lines)):
            self.variables.sets_unknown = True
            return None
        file, _, line = plain.at.rpartition(":")
        return parse_script(lines, file, int(line))

    def _of_file(self, path: str) -> Body | None:
        """One that the script wrote, or that lies beside it. What it sets may be known in part."""
        files = self.commands.files
        written = lines_of_script(files, path)
        if written is not None:
            return parse_script(written, f"{last_of(path)} (written by the script)")
        if is_made_unread(files, path):
            self.variables.sets_unknown = True
            for name in names_set(parse_script(self.commands.lines_in(path), path), {}):
                self.variables.forget(name)
            return None
        return self.course.source(path)

    def _call(self, name: str, known: Known) -> bool | None:
        """One function, or each of those that it may be."""
        choices = self.course.functions[name]
        if len(choices) == 1:
            return self._run_within([AndOr([("", Pipeline([choices[0]]))])], name, known)
        ends: list[Way] = []
        for command in choices:
            before, body = self.ways.here(), [AndOr([("", Pipeline([command]))])]
            if end := self.ways.end_of(partial(self._run_within, body, name, Known(sure=False))):
                ends.append(end)
            self.ways.go_back(before)
        if ends:
            self.ways.meet(ends)
        return None

    def _run_within(self, body: Body, name: str, known: Known) -> bool | None:
        """Whether what it returns is 0."""
        course = self.course
        course.running.append(name)
        truth = self.run(body, known)
        truth = course.status if course.left == "return" else truth
        truth = None if self.ways.is_doubtful() else truth
        self.ways.ends_function()
        course.running.pop()
        return truth

    def tell_later(self, words: Sequence[str], depth: int = 0, *, of_end: bool = False) -> None:
        """Of functions that may be called at another time: `trap cleanup EXIT`; of_end: what they
        remove the model has read
        """
        for word in words:
            for command in self.course.functions.get(word.strip("'\""), ()):
                for each in simples_of(command):
                    if not (of_end and each.plain().words[:1] == ["rm"]):
                        self.commands.tell(each)
                    if depth < _FARTHEST:
                        self.tell_later(each.words[:1], depth + 1, of_end=of_end)

    def _only_says(self, text: str) -> bool:
        """Itself, or by a function."""
        words = text.split()
        body = self.course.functions.get(words[0], ()) if words else ()
        own = [each.words[:1] for command in body for each in simples_of(command)]
        return _SAYS.fullmatch(text) is not None or (
            bool(own) and all(each and each[0] in _SAYING for each in own) and ";" not in text
        )

    def tell_trap(self, plain: Simple) -> None:
        """`trap "cp a NAMELIST" EXIT`"""
        text = "".join(self.commands.arguments(plain.words[1:2]))
        of_failures = {"ERR", "DEBUG", "RETURN"} & set(plain.words[2:]) and text not in ("", "-")
        if of_failures and not self._only_says(text):
            self.course.told.append(f"{plain.at}: what this 'trap' does is not followed")
        if of_failures and re.search(r"\b(?:echo|print|printf|cat|date)\b(?!.*>&2)", text):
            self.variables.options.add(PRINTS_FAILURES)
        if " " in text and not has_unresolved(text):
            file, _, line = plain.at.rpartition(":")
            for each in simples(parse_script(text.split("\n"), file, int(line))):
                if each.plain().words[:1] != ["rm"]:
                    self.commands.tell(each)
