# SPDX-License-Identifier: Apache-2.0
"""What simple commands of a script do with its variables and functions, and where it goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from thalweg.shell.files.commands import FileCommands
from thalweg.shell.files.filters import FILTERS
from thalweg.shell.files.output import Known
from thalweg.shell.files.watch import is_start
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
from thalweg.shell.unresolved import has_unresolved, unresolved
from thalweg.shell.values.assignments import ARITHMETIC, DECLARES, Assignments, is_assignment
from thalweg.shell.values.conditions import holds, is_condition
from thalweg.shell.values.programs import OF_WORDS
from thalweg.shell.values.rows import read_marks, read_row
from thalweg.shell.values.variables import State, Variables, split_at
from thalweg.shell.values.words import expand, words_given
from thalweg.shell.walk.arguments import Arguments
from thalweg.shell.walk.course import Course

LEAVES = frozenset({"exit", "return", "break", "continue"})
_DECLARES_LOCAL = frozenset({"local", "declare", "typeset", "integer", "nameref"})
_FARTHEST = 20  # functions that call one another
_DIGITS = re.compile("[0-9]+")
_LATER = frozenset({"trap", "xargs", "parallel", "export", "srun", "mpirun", "bash", "sh"})
_OPTIONS = {"C": "noclobber", "a": "allexport"}  # of `set`; others change nothing that is read
# Commands of which a script goes on as if they had been done.
_DONE = frozenset(
    {"cp", "mv", "ln", "rm", "cat", "mkdir", "cd", "pushd", "popd", "touch", "chmod", "tee",
     "source", ".", "module", "ulimit", "install"}
)  # fmt: skip
_QUESTIONS = frozenset({"[", "test", "grep", "egrep", "fgrep", "cmp", "diff", "ls", "which"})
_SUCCEEDS = frozenset({"echo", "print", "printf", "export", "set", "true", ":", "unset", "shopt"})
_NAMES = re.compile(r"[A-Za-z_]\w*")
_COUNTS = re.compile(
    r"\$\(\((?:[^()]|\([^()]*\))*(?:\+\+|--|[^=!<>]=[^=])(?:[^()]|\([^()]*\))*\)\)"
)


@dataclass
class SimpleCommands:
    """run: a body, as one that may or may not be run"""

    variables: Variables
    commands: FileCommands
    course: Course
    arguments: Arguments
    run: Callable[[Body, Known], bool | None]

    def __post_init__(self) -> None:
        self.is_taken_as_done = False
        self.place = ("", 1)
        self.entered = 0  # how many branches the function that runs is in

    def run_one(self, simple: Simple, known: Known) -> bool | None:
        """Whether it succeeds, as far as one can tell."""
        if not self.course.may_run(simple.at):
            return None
        file, _, line = simple.at.rpartition(":")
        self.place, self.is_taken_as_done = (file, int(line)), False
        before, self.variables.printed = self.variables.printed, {}
        files = self.counted(simple.files)
        words = [self._counted_once(word) for word in simple.words]
        simple = replace(simple, words=words, files=files)
        truth = self._run(simple, known)
        self.variables.printed = before
        return truth

    @contextmanager
    def with_values(self, simple: Simple) -> Iterator[None]:
        """`X=1 command`: as long as it runs."""
        before = self.variables.state()
        Assignments(self.variables).take(Simple(simple.at, ["export", *simple.assigned()]))
        yield
        self.variables.set_state(before)

    def counted(self, files: Redirections) -> Redirections:
        """Their words are expanded more than once."""
        outs = [(behind, self._counted_once(word)) for behind, word in files.outs]
        return replace(files, outs=outs)

    def _counted_once(self, word: str) -> str:
        """With the value of $((i++)) in it, which is expanded more than once else. Where a part
        before it has the same name, or it is in $(...), it is open.
        """
        if "$((" not in word or not _COUNTS.search(word) or word.startswith("'"):
            return word
        for each in _COUNTS.finditer(word):
            for name in _NAMES.findall(each[0]):
                if re.search(rf"\$\{{?{name}\b|\$\((?!\()|`", word[: each.start()]):
                    self.variables.forget(name)
        return _COUNTS.sub(lambda found: expand(found[0], self.variables), word)

    def _run(self, simple: Simple, known: Known) -> bool | None:
        assignments = Assignments(self.variables)
        if is_condition(simple.words):
            return holds(simple.words, self.variables)
        plain = self.commands.expanded(simple.plain())
        name = (plain.words or [""])[0]
        if name in LEAVES and self._leaves(plain):
            return None
        if name in _DECLARES_LOCAL:
            is_sure = self.course.branches == self.entered
            named = [
                word if word[:1] not in "\"'$" else expand(word, self.variables)
                for word in plain.words[1:]
            ]
            self.arguments.keep_local(named, sure=is_sure)
        if ARITHMETIC.match(plain.text):
            return assignments.calculate(plain.text)
        if name == "getopts" and self.variables.value("#") == "0":
            return False
        self.variables.truth = True
        assignments.take(plain if name in DECLARES | {"setenv", "set"} else simple)
        if simple.words and len(simple.assigned()) == len(simple.words):
            if simple.files.outs:
                self.commands.run([replace(simple, words=[])], known)
            return self.variables.truth
        if self._changes_variables(plain, simple):
            return True
        if name == "exec" and len(plain.words) > 1:  # instead of the rest
            self.commands.run([replace(plain, words=plain.words[1:])], known)
            self.course.leave("exit")
            return None
        if simple.words[:2] == ["command", "-v"] or name in ("which", "type", "hash"):
            return True if set(simple.words[1:]) & FILTERS else None
        if name == "@":  # of a C shell
            return assignments.calculate(f"(({' '.join(plain.words[1:])}))")
        if name == "eval":
            return self._evaluate(plain, known)
        if name == "alias":
            self._alias(plain)
        if self.called(simple) or name in (".", "source"):
            return self._runs(simple, plain, known)
        if name in _LATER:
            self._tell_later(plain.words[1:])
        if name == "trap":
            self._tell_trap(plain)
        if is_start(simple.words, plain.words):
            self.commands.files.start(simple.at)
        if name == "envsubst" and simple.assigned():
            with self.with_values(simple):
                return self.commands.run([simple], known) or None
        is_done = self.commands.run([simple], known)
        if is_assignment(simple) or name in _SUCCEEDS:
            return True
        if is_done or name in _DONE:
            self.is_taken_as_done = True
            return True
        return {"false": False, "true": True}.get(name)

    def _leaves(self, plain: Simple) -> bool:
        """Whether it leaves anything."""
        count = "".join(self.commands.arguments(plain.words[1:2]))
        number = int(count) if _DIGITS.fullmatch(count) else None
        if not self.course.leave(plain.words[0], 1 if number is None else number):
            return False
        if number is not None:
            self.variables.status = str(number)
        status = self.variables.status
        self.course.status = None if status is None else status == "0"
        return True

    def _changes_variables(self, plain: Simple, simple: Simple) -> bool:
        """shift, set, shopt, unset, read"""
        name, words = (plain.words or [""])[0], plain.words[1:]
        if name == "shift":
            count = "".join(self.commands.arguments(words[:1])) if words else "1"
            if _DIGITS.fullmatch(count):
                self.variables.shift(int(count))
            else:
                self.variables.forget_arguments()
        elif name == "set":
            self._set(words)
        elif name == "shopt":
            self._switch("-s" in words, [each for each in words if each[:1] != "-"])
        elif name == "unset":
            self._unset(words)
        elif name in ("read", "mapfile", "readarray", "getopts") or (
            name == "printf" and words[:1] == ["-v"]
        ):
            self._give(plain, simple)
            return name == "printf"
        else:
            return False
        return True

    def _set(self, words: Sequence[str]) -> None:
        """`set -- a b`, `set a b`, `set -C`, `set -A x a b` of ksh; not `set x = 1` of a C shell"""
        words = list(words)
        if words[:1] == ["-A"] and len(words) > 1:
            values = self.commands.arguments(words[2:])
            if not any(map(has_unresolved, values)):
                self.variables.assign_array(words[1], values)
            else:
                self.variables.forget(words[1])
            return
        while words and re.match(r"[-+]", words[0]):
            word = words.pop(0)
            if word in ("--", "-"):
                break
            names = [words.pop(0)] if word[1:].endswith("o") and words else []
            names += [_OPTIONS[letter] for letter in word[1:] if letter in _OPTIONS]
            self._switch(word[0] == "-", names)
        else:
            if not words or "=" in "".join(words[:2]):
                return
        self.variables.give_arguments(*self.commands.given(words))

    def _switch(self, on: bool, names: Sequence[str]) -> None:
        if on:
            self.variables.options |= set(names)
        else:
            self.variables.options -= set(names)

    def _unset(self, words: Sequence[str]) -> None:
        words = [expand(each, self.variables) for each in words]
        if words[:1] == ["-f"]:
            for each in words[1:]:
                self.course.functions.pop(each, None)
            return
        for each in words:
            name = each.partition("[")[0]
            if name != each:
                self.variables.forget(name)
            elif name.isidentifier():
                self.variables.unset(name)

    def _give(self, plain: Simple, simple: Simple) -> None:
        """`read a b <<< "1 2"` and `printf -v x %02d 1`; what others give is not known."""
        name, words = plain.words[0], [expand(each, self.variables) for each in plain.words[1:]]
        if name == "printf" and len(words) > 2 and words[1].isidentifier():
            given = words_given(plain.words[3:], self.variables)
            text = None if given is None else OF_WORDS["printf"](given)
            self.variables.change(words[1], unresolved(words[1]) if text is None else text)
            return
        names = [each.partition("[")[0] for each in words if each[:1] != "-"]
        if self._gives_array(name, words, plain, simple):
            return
        lines = self.commands.lines_given(plain.files) if name == "read" else None
        row = None if lines is None else read_row((lines or [""])[0], simple, self.variables)
        if name == "read" and not (plain.files.ins or plain.files.documents or plain.files.strings):
            self.commands.take_line()
        if row is not None:
            for each, value in row.items():
                self.variables.change(each, value)
            return
        if name == "getopts":
            names += ["OPTIND", "OPTARG"]
        for each in names or ["REPLY"]:
            if each.isidentifier():
                self.variables.forget(each)

    def _gives_array(self, name: str, words: Sequence[str], plain: Simple, simple: Simple) -> bool:
        """`mapfile -t a < FILE` and `read -ra a <<< "1 2"`"""
        options = "".join(word[1:] for word in words if word[:1] == "-")
        lines = self.commands.lines_given(plain.files)
        if lines is None or not words or not words[-1].isidentifier():
            return False
        if name in ("mapfile", "readarray") and options == "t":
            self.variables.assign_array(words[-1], lines)
            return True
        if name == "read" and options in ("ra", "a", "ar"):
            marks = read_marks(simple, self.variables)
            if not has_unresolved("".join([marks, *lines])) and "\\" not in lines[0]:
                self.variables.assign_array(words[-1], split_at(lines[0], marks))
                return True
        return False

    def asks(self, pipeline: Pipeline) -> bool:
        """Whether it is there to be asked, and not to do something that may fail."""
        command = pipeline.commands[-1]
        if not isinstance(command, Simple) or self.called(command) or is_assignment(command):
            return True
        word = (command.words or [""])[0]
        return word in _QUESTIONS or word.startswith(("((", "[["))

    def called(self, command: Command) -> str:
        """The function that it calls; "" where it calls none."""
        if not isinstance(command, Simple) or not self.course.functions:
            return ""
        own = command.words[len(command.assigned()) :]
        words = self.commands.expanded(command.plain()).words
        name = words[0] if words and own[0] not in ("command", "builtin") else ""
        return name if name in self.course.functions and not self.commands.links(name) else ""

    def _runs(self, simple: Simple, plain: Simple, known: Known) -> bool | None:
        """Calls a function, or sources a script that is there."""
        name = self.called(simple)
        with (
            self.course.deeper(simple.at, 2) as is_not_deep,
            self.commands.redirected(simple.files, simple.at, known),
        ):
            if not is_not_deep or not self.course.may_turn(simple.at):
                return None
            if not name:
                self.is_taken_as_done = not self._source(plain, known)
                return True
            given = self.commands.given(plain.words[1:])
            entered, self.entered = self.entered, self.course.branches
            self.variables.printed = None
            with self.arguments.of_function(given, simple.assigned()):
                for each in simple.assigned():
                    Assignments(self.variables).take_word(each)
                truth = self._call(name, known)
            self.entered = entered
            return truth

    def _evaluate(self, plain: Simple, known: Known) -> bool | None:
        text = " ".join(self.commands.arguments(plain.words[1:]))
        if has_unresolved(text):
            for each in plain.words[1:]:
                for name in re.findall(r"([A-Za-z_]\w*)=", each):
                    self.variables.forget(name)
            self.commands.tell(plain)
            return None
        file, _, line = plain.at.rpartition(":")
        with (
            self.course.deeper(plain.at, 2) as may_run,
            self.commands.redirected(plain.files, plain.at, known),
        ):
            self.variables.printed = None
            if may_run and self.course.may_turn(plain.at):
                return self.run(parse_script(text.split("\n"), file, int(line)), known)
        return None

    def _alias(self, plain: Simple) -> None:
        """As a function; in a script it means something only where that is asked for."""
        file, _, line = plain.at.rpartition(":")
        for word in plain.words[1:] if "expand_aliases" in self.variables.options else ():
            name, sign, text = expand(word, self.variables).partition("=")
            if sign and not has_unresolved(text):
                is_value = re.fullmatch(r"\w+=\S*", text) is not None
                body = parse_script([text if is_value else f'{text} "$@"'], file, int(line))
                self.course.functions[name] = [Braces(plain.at, body, Redirections())]

    def _source(self, plain: Simple, known: Known) -> bool:
        """A script that this one wrote, or that lies beside it. Whether it is there."""
        if len(plain.words) < 2:
            return False
        path = self.commands.path(plain.words[1])
        written = self.commands.files.script(path)
        if written is None:
            found = self.course.source(path)
        else:
            found = parse_script(written, f"{last_of(path)} (written by the script)")
        if found is None:
            return False
        is_asked_for = bool(path) and known.there == path
        given = self.commands.given(plain.words[2:]) if plain.words[2:] else None
        with self.arguments.given(given):
            self._run_within(found, plain.words[1], Known(known.sure or is_asked_for))
        return True

    def _call(self, name: str, known: Known) -> bool | None:
        """One function, or each of those that it may be."""
        choices = self.course.functions[name]
        if len(choices) == 1:
            return self._run_within([AndOr([("", Pipeline([choices[0]]))])], name, known)
        ends: list[State] = []
        for command in choices:
            before = self.variables.state()
            self.course.branches += 1
            self._run_within([AndOr([("", Pipeline([command]))])], name, Known(sure=False))
            self.course.branches -= 1
            if not self.course.part(self.variables):
                ends.append(self.variables.state())
            self.variables.set_state(before)
        if ends:
            self.variables.merge(ends)
        return None

    def _run_within(self, body: Body, name: str, known: Known) -> bool | None:
        """Whether what it returns is 0."""
        course = self.course
        course.running.append(name)
        truth = self.run(body, known)
        truth = course.status if course.left == "return" else truth
        here = len(course.running) - 1
        truth = None if any(each.target == here for each in course.doubts) else truth
        course.ends_function(self.variables)
        course.running.pop()
        return truth

    def _tell_later(self, words: Sequence[str], depth: int = 0) -> None:
        """Of functions that may be called at another time: `trap cleanup EXIT`."""
        for word in words:
            for command in self.course.functions.get(word.strip("'\""), ()):
                for each in simples_of(command):
                    self.commands.tell(each)
                    if depth < _FARTHEST:
                        self._tell_later(each.words[:1], depth + 1)

    def _tell_trap(self, plain: Simple) -> None:
        """`trap "cp a NAMELIST" EXIT`"""
        text = "".join(self.commands.arguments(plain.words[1:2]))
        if " " in text and not has_unresolved(text):
            file, _, line = plain.at.rpartition(":")
            for each in simples(parse_script(text.split("\n"), file, int(line))):
                self.commands.tell(each)
