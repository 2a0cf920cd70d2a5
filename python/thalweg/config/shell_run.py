# SPDX-License-Identifier: Apache-2.0
"""Walks through the commands of a script as a shell would, and keeps what it sets and writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from thalweg.config.namelist import begins_group
from thalweg.config.shell_arguments import Arguments
from thalweg.config.shell_assignments import Assignments, is_assignment, is_let
from thalweg.config.shell_commands import FileCommands, Known
from thalweg.config.shell_conditions import holds
from thalweg.config.shell_course import Course, Source
from thalweg.config.shell_folders import last_of
from thalweg.config.shell_loops import counted_turns, sets, turns_of
from thalweg.config.shell_parser import parse_script
from thalweg.config.shell_tree import (
    AndOr,
    Body,
    Braces,
    Brackets,
    Case,
    Command,
    For,
    Function,
    If,
    Loop,
    Pipeline,
    Simple,
    simples,
    simples_of,
)
from thalweg.config.shell_words import Variables, expand, fits, pattern_of
from thalweg.config.unresolved import has_unresolved

_MOST_TURNS = 1000  # of a loop over words
_EXISTS = re.compile(r"(?:\[\[?|test)\s+-[aefrsw]\s+([^\s\]]+)\s*(?:\]\]?)?\s*")
_SUBSTITUTED = re.compile(r"(?:\$\(|`)\s*([\w-]+)")
_DECLARES_LOCAL = frozenset({"local", "declare", "typeset"})
_FARTHEST = 20  # functions that call one another
_DIGITS = re.compile("[0-9]+")
_QUESTIONS = frozenset({"[", "test", "grep", "egrep", "fgrep", "cmp", "diff", "ls", "which"})
_LEAVES = frozenset({"exit", "return", "break", "continue"})
_LATER = frozenset({"trap", "xargs", "parallel", "export", "srun", "mpirun", "bash", "sh"})
# Commands of which a script goes on as if they had been done.
_DONE = frozenset(
    {"cp", "mv", "ln", "rm", "cat", "mkdir", "cd", "pushd", "popd", "echo", "printf", "export",
     "touch", "chmod", "tee", "set", "true", ":", "source", ".", "module", "ulimit", "unset", "let"}
)  # fmt: skip


def run_script(
    body: Body, variables: Variables, commands: FileCommands, source: Source = lambda _: None
) -> list[str]:
    """Sentences on what was not run.

    source: of a script that this one sources, by its path; None where it is not there
    """
    walk = _Walk(variables, commands, Course(source), Arguments(variables))
    walk.run(body, Known())
    return list(dict.fromkeys(walk.course.told))


def _asks(pipeline: Pipeline | None) -> bool:
    """Whether it is there to be asked, and not to do something that may fail."""
    command = pipeline.commands[-1] if pipeline else None
    word = (command.words or [""])[0] if isinstance(command, Simple) else ""
    return word in _QUESTIONS or word.startswith(("((", "[["))


def _leaves_at_once(pipeline: Pipeline) -> bool:
    command = pipeline.commands[0]
    return isinstance(command, Simple) and command.words[:1] != [] and command.words[0] in _LEAVES


def _is_for_errors(condition: Body) -> bool:
    """`if ! srun ./icon; then`"""
    pipeline = condition[0].parts[0][1] if len(condition) == 1 else None
    return pipeline is not None and pipeline.is_negated and not _asks(pipeline)


def _ends_script(body: Body) -> bool:
    """Whether an `exit` in it asks for nothing."""
    firsts = [each.parts[0][1].commands for each in body]
    return any(
        len(each) == 1 and isinstance(each[0], Simple) and each[0].words[:1] == ["exit"]
        for each in firsts
    )


@dataclass
class _Walk:
    variables: Variables
    commands: FileCommands
    course: Course
    arguments: Arguments

    def run(self, body: Body, known: Known) -> bool | None:
        """Whether the last command succeeds, as far as one can tell."""
        truth: bool | None = True
        for i, each in enumerate(body):
            truth = self._list(each, known.but(sure=not self.course.doubts))
            if self.course.left:
                if self.course.left == "exit":
                    self._tell_unread(body[i + 1 :])
                break
        return truth

    def _tell_unread(self, body: Body) -> None:
        for each in simples(body):
            lines = [line for document in each.files.documents for _, line in document.lines]
            if any(map(begins_group, lines)):
                self.course.told.append(
                    f"{each.at}: the script has ended by 'exit' before this namelist is written: "
                    "it is not counted"
                )

    def _list(self, each: AndOr, known: Known) -> bool | None:
        """Commands joined by && and ||: each where the ones before it let it."""
        if each.in_background:
            with self._apart():
                self._list(replace(each, in_background=False), known)
            return True
        truth: bool | None = True
        there = known.there
        folders = self.commands.files.folders
        before: Pipeline | None = None
        for joint, pipeline in each.parts:
            goes_on = None if truth is None else truth is (joint != "||")
            is_for_errors = joint == "||" and not _asks(before) and _leaves_at_once(pipeline)
            before = pipeline
            if goes_on is not False and not (goes_on is None and is_for_errors):
                here, is_sure = folders.here, known.sure and goes_on is True
                found = self._pipeline(pipeline, Known(is_sure, there))
                if not is_sure and folders.here != here:
                    folders.lose()
                truth = found if goes_on else found if found is (joint == "||") else None
                if self.course.left:
                    break
            there = self._asked_for(pipeline) if known.sure else ""
        return truth

    def _asked_for(self, pipeline: Pipeline) -> str:
        """The file whose existence decides."""
        command = pipeline.commands[0]
        if len(pipeline.commands) > 1 or pipeline.is_negated or not isinstance(command, Simple):
            return ""
        exists = _EXISTS.fullmatch(command.text)
        return self.commands.path(exists[1]) if exists else ""

    def _pipeline(self, pipeline: Pipeline, known: Known) -> bool | None:
        commands = pipeline.commands
        if len(commands) == 1:
            truth = self._command(commands[0], known)
        elif all(isinstance(each, Simple) for each in commands) and not any(
            map(self._called, commands)
        ):
            parts = [each for each in commands if isinstance(each, Simple)]
            self.commands.run(parts, known)
            truth = True if parts[-1].plain().words[:1] == ["tee"] else None
        else:
            for each in commands:
                with self._apart(), self.commands.printing(""):
                    self._command(each, known)
            truth = None
        return truth if truth is None or not pipeline.is_negated else not truth

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """In a shell of its own: of what it does only files stay."""
        course, folders = self.course, self.commands.files.folders
        assigned, functions = dict(self.variables.assigned), dict(course.functions)
        arrays, arguments = dict(self.variables.arrays), self.variables.arguments
        kept = course.left, list(course.doubts)
        place = folders.state()
        yield
        self.variables.assigned, self.variables.arrays = assigned, arrays
        self.variables.arguments = arguments
        course.functions = functions
        course.left, course.doubts = kept
        folders.set_state(place)

    def _command(self, command: Command, known: Known) -> bool | None:
        if isinstance(command, Simple):
            return self._simple(command, known)
        if isinstance(command, Function):
            before = self.course.functions.get(command.name, []) if not known.sure else []
            self.course.functions[command.name] = [*before, (command.command, known.sure)]
            return True
        with (
            self.course.deeper(command.at, 1) as may_run,
            self.commands.redirected(command.files, command.at, known),
        ):
            if not may_run:
                return None
            if isinstance(command, Braces):
                return self.run(command.body, known)
            if isinstance(command, Brackets):
                with self._apart():
                    return self.run(command.body, known)
            if isinstance(command, If):
                return self._if(command, known)
            if isinstance(command, For):
                self._for(command, known)
            elif isinstance(command, Loop):
                self._loop(command, known)
            else:
                self._case(command, known)
        return None

    def _if(self, command: If, known: Known) -> bool | None:
        """Branches that cannot hold are left out; after one that holds there is no other."""
        folders = self.commands.files.folders
        here = folders.here
        ends: set[str] = set()
        sure, truth = known.sure, None
        for condition, body in command.branches:
            truth = self.run(condition, replace(known, sure=sure))
            if self.course.left:
                return None
            if truth is not False:
                begin, doubts = folders.here, list(self.course.doubts)
                there = self._there(condition) if sure else ""
                self.run(body, Known(sure and truth is True, there))
                if truth is None and _is_for_errors(condition):
                    self.course.doubts = doubts
                ends.add(folders.here)
                if truth is True:
                    break
                folders.stand_in(begin)
            sure = sure and truth is not None
        else:
            self.run(command.other, Known(sure))
            ends.add(folders.here)
        if len(ends) > 1 or (not known.sure and folders.here != here):
            folders.lose()
        return None

    def _there(self, condition: Body) -> str:
        one = len(condition) == 1 and len(condition[0].parts) == 1
        return self._asked_for(condition[0].parts[0][1]) if one else ""

    def _for(self, command: For, known: Known) -> None:
        name, turns = command.name, None
        if command.counted:
            name, turns = counted_turns(command.counted, self.variables, _MOST_TURNS)
            if any(sets(each.text, name) for each in simples(command.body)):
                turns = None
        else:
            turns = turns_of(command.words, self.variables, self.commands.turns, _MOST_TURNS)
        if turns is None:
            self._maybe(command.body)
            return
        course = self.course
        course.running.append("for")
        for i, word in enumerate(turns):
            if not course.may_turn(command.at):
                break
            self.variables.assign(name, word)
            self.run(command.body, known)
            if course.ends_loop(at_last=i + 1 == len(turns)):
                break
        course.running.pop()

    def _maybe(self, body: Body) -> None:
        """Of a loop that may have any number of turns."""
        folders, course = self.commands.files.folders, self.course
        here = folders.here
        course.running.append("for")
        self.run(body, Known(sure=False))
        course.ends_loop(at_last=True)
        course.running.pop()
        if folders.here != here:
            folders.lose()

    def _loop(self, command: Loop, known: Known) -> None:
        if command.word == "select":
            self._maybe(command.body)
            return
        truth = self.run(command.condition, known)
        if truth is None or truth is (command.word == "while"):
            self._maybe(command.body)
            if truth is not None and known.sure and _ends_script(command.body):
                self.course.left = "exit"

    def _case(self, command: Case, known: Known) -> None:
        """The first branch whose pattern fits; all that may, unsure, where that is open."""
        folders = self.commands.files.folders
        here, ends = folders.here, set[str]()
        word, sure, falls = expand(command.word, self.variables), known.sure, False
        for patterns, body, end in command.branches:
            is_one = True if falls else self._fits(word, patterns)
            falls = end == ";&" and is_one is not False
            if is_one is False:
                continue
            folders.stand_in(here)
            self.run(body, Known(sure and is_one is True))
            ends.add(folders.here)
            if is_one is True and end not in (";&", ";;&"):
                break
            here = folders.here if is_one is True else here
            sure = sure and is_one is True
        else:
            ends.add(here)
        if len(ends) > 1:
            folders.lose()

    def _fits(self, word: str, patterns: Sequence[str]) -> bool | None:
        found = [pattern_of(each, self.variables) for each in patterns]
        if not has_unresolved(word):
            if any(fits(word, each) for each in found if not has_unresolved(each)):
                return True
            return None if any(map(has_unresolved, found)) else False
        return True if "*" in found else None

    def _simple(self, simple: Simple, known: Known) -> bool | None:
        """Whether it succeeds, as far as one can tell."""
        if not self.course.may_run(simple.at):
            return None
        text, assignments = simple.text, Assignments(self.variables)
        if text.startswith(("[", "test ", "((")) and not is_let(text):
            truth = holds(text, self.variables)
            assignments.take(text, known.sure)
            return truth
        plain = self.commands.expanded(simple.plain())
        name = (plain.words or [""])[0]
        self._tell_substituted(text)
        if name in _LEAVES and self._leaves(plain, known):
            return None
        if name in _DECLARES_LOCAL:
            self.arguments.keep_local(plain.words[1:])
        assignments.take(text, known.sure)
        if is_assignment(text) and len(simple.assigned()) == len(simple.words):
            if simple.files.outs:
                self.commands.run([replace(simple, words=[])], known)
            return True
        if self._changes_variables(plain, known):
            return True
        if name == "exec" and len(plain.words) > 1 and known.sure:  # instead of the rest
            self.commands.run([replace(plain, words=plain.words[1:])], known)
            self.course.left = "exit"
            return None
        if name == "eval":
            self._evaluate(plain, known)
            return None
        if self._called(simple) or name in (".", "source"):
            return self._runs(simple, plain, known)
        if name in _LATER:
            self._tell_later(plain.words[1:])
        if self.commands.run([simple], known) or name in _DONE or is_assignment(text):
            return True
        return {"false": False, "true": True}.get(name)

    def _leaves(self, plain: Simple, known: Known) -> bool:
        """Whether it leaves anything. An `exit` that need not be run is one for errors."""
        name, running = plain.words[0], self.course.running
        count = "".join(plain.words[1:2])
        is_in_loop = bool(running) and running[-1] == "for"
        if name in ("break", "continue") and not is_in_loop:
            return False
        if name == "return" and all(each == "for" for each in running):
            return False
        self.course.levels = max(int(count), 1) if _DIGITS.fullmatch(count) else 1
        if known.sure:
            self.course.left = name
        elif name != "exit":
            self.course.doubts.append((name, self.course.levels))
        return True

    def _changes_variables(self, plain: Simple, known: Known) -> bool:
        """shift, set --, unset, read"""
        name, words = (plain.words or [""])[0], plain.words[1:]
        if name == "shift":
            self.arguments.shift(int(words[0]) if words and _DIGITS.fullmatch(words[0]) else 1)
        elif name == "set" and words[:1] == ["--"]:
            self.arguments.give(self.commands.arguments(words[1:]))
        elif name in ("unset", "read", "mapfile", "readarray", "printf", "getopts"):
            if name == "printf" and words[:1] != ["-v"]:
                return False
            names = [each for each in words if each.isidentifier() or "[" in each]
            names = [each.partition("[")[0] for each in names]
            if words[:1] == ["-f"]:
                for each in names:
                    self.course.functions.pop(each, None)
                return True
            for each in names:
                if name == "unset" and known.sure and "[" not in "".join(words):
                    self.variables.arrays.pop(each, None)
                    self.variables.assign(each, "")
                else:
                    self.variables.forget(each)
            return name == "unset"
        else:
            return False
        return True

    def _called(self, command: Command) -> str:
        """The function that it calls; "" where it calls none."""
        if not isinstance(command, Simple) or not self.course.functions:
            return ""
        own = command.words[len(command.assigned()) :]
        words = self.commands.expanded(command.plain()).words
        name = words[0] if words and own[0] not in ("command", "builtin") else ""
        return name if name in self.course.functions and not self.commands.links(name) else ""

    def _runs(self, simple: Simple, plain: Simple, known: Known) -> bool | None:
        """Calls a function, or sources a script that is there."""
        name = self._called(simple)
        with (
            self.course.deeper(simple.at, 2) as is_not_deep,
            self.commands.redirected(simple.files, simple.at, known),
        ):
            if not is_not_deep or not self.course.may_turn(simple.at):
                return None
            if not name:
                self._source(plain, known)
                return True
            given = self.commands.arguments(plain.words[1:])
            with self.arguments.of_function(given, simple.assigned()):
                for each in simple.assigned():
                    Assignments(self.variables).take(each, known.sure)
                self._call(name, known)
        return None

    def _evaluate(self, plain: Simple, known: Known) -> None:
        text = " ".join(self.commands.arguments(plain.words[1:]))
        if has_unresolved(text):
            for each in plain.words[1:]:
                for name in re.findall(r"([A-Za-z_]\w*)=", each):
                    self.variables.forget(name)
            self.commands.tell(plain)
            return
        file, _, line = plain.at.rpartition(":")
        with self.course.deeper(plain.at, 2) as may_run:
            if may_run and self.course.may_turn(plain.at):
                self.run(parse_script(text.split("\n"), file, int(line)), known)

    def _source(self, plain: Simple, known: Known) -> None:
        """A script that this one wrote, or that lies beside it."""
        if len(plain.words) < 2:
            return
        path = self.commands.path(plain.words[1])
        written = self.commands.files.script(path)
        if written is None:
            found = self.course.source(path)
        else:
            found = parse_script(written, f"{last_of(path)} (written by the script)")
        if found is None:
            return
        is_asked_for = bool(path) and known.there == path
        given = self.commands.arguments(plain.words[2:]) if plain.words[2:] else None
        with self.arguments.given(given):
            self._run_within(found, plain.words[1], Known(known.sure or is_asked_for))

    def _call(self, name: str, known: Known) -> None:
        choices = self.course.functions[name]
        for command, is_sure in choices:
            sure = known.sure and is_sure and len(choices) == 1
            self._run_within([AndOr([("", Pipeline([command]))])], name, Known(sure))

    def _run_within(self, body: Body, name: str, known: Known) -> None:
        course = self.course
        course.running.append(name)
        self.run(body, known)
        course.running.pop()
        course.ends_function()

    def _tell_substituted(self, text: str) -> None:
        """x=$(f): what f writes."""
        for name in _SUBSTITUTED.findall(text) if self.course.functions else ():
            self._tell_later([name])

    def _tell_later(self, words: Sequence[str], depth: int = 0) -> None:
        """Of functions that may be called at another time: `trap cleanup EXIT`."""
        for word in words:
            for command, _ in self.course.functions.get(word.strip("'\""), ()):
                for each in simples_of(command):
                    self.commands.tell(each)
                    if depth < _FARTHEST:
                        self._tell_later(each.words[:1], depth + 1)
