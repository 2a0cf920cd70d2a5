# SPDX-License-Identifier: Apache-2.0
"""Which commands are there to be asked whether something is so, and which do work that may fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from thalweg.errors import ThalwegError
from thalweg.shell.tree.parser import parse_script
from thalweg.shell.tree.tree import (
    Body,
    Braces,
    Brackets,
    Command,
    If,
    Pipeline,
    Redirections,
    Simple,
    bodies_of,
    simples,
)
from thalweg.shell.unresolved import has_unresolved, unresolved
from thalweg.shell.values.expansion import expand
from thalweg.shell.walk.calls import Calls
from thalweg.shell.walk.sets import DONE, as_body

_QUESTIONS = frozenset(
    {"[", "test", "grep", "egrep", "fgrep", "zgrep", "cmp", "diff", "ls", "which", "type", "hash",
     "stat", "pgrep", "pidof", "mountpoint", "read", "let", "awk", "expr", "eval", "false"}
)  # fmt: skip
_TESTS = frozenset({"[", "test", "grep", "egrep", "fgrep", "zgrep", "cmp", "diff", "false"})
_OF_STATUS = re.compile(
    r"(?:\[\[?|test|\(\()\s*\"?(\$\{?\w+\}?|\$\?|\w+)\"?\s*(?:(-ne|-eq|-gt|!=|==?|>)\s*\"?0\"?"
    r"\s*(?:\]\]?|\)\))?|\s*\)\))"
)
_FAILED = frozenset({"-ne", "-gt", "!=", ">"})
_BEFORE_A_NAME = frozenset({"command", "builtin", "env", "time"})
_PRINTED = re.compile(r"\$\((?!\()(.*)\)|`(.*)`", re.DOTALL)
_FARTHEST = 20  # functions that call one another


@dataclass
class Asking:
    calls: Calls
    _is_hidden: bool = False  # errors of what is looked at

    def asks(self, pipeline: Pipeline, depth: int = 0) -> bool:
        """Of functions and blocks: their last command, or what a `return` of theirs hangs on."""
        command = pipeline.commands[-1]
        if depth > _FARTHEST:
            return True
        if isinstance(command, Brackets) and self._returns_ask(command.body, depth, "exit"):
            return True
        if isinstance(command, (Braces, Brackets)):
            with self._within(command.files):
                return self._last_asks(command.body, depth + 1)
        if not isinstance(command, Simple):
            return True
        words = command.words[len(command.assigned()) :]
        if self._status_asked(pipeline):
            return False
        if not words:
            return any(
                self._last_asks(each, depth + 1) or self._exits_ask(each, depth + 1)
                for each in _printing(command)
            )
        if words[0] in DONE and command.may_fail_quietly(hides=self._hides(command.files)):
            return True
        if name := self.calls.called(command):
            functions = self.calls.course.functions[name]
            with self._within(command.files):
                return any(self._function_asks(each, depth + 1) for each in functions)
        if words[0] == "command" and words[1:] and words[1] in ("-v", "-V"):
            return True
        while len(words) > 1 and words[0] in _BEFORE_A_NAME:
            words = words[1:]
        [word, *_] = self.calls.commands.expanded(Simple(command.at, list(words))).words
        is_open = has_unresolved(word) or word[:1] == "$"
        return (
            (is_open and len(words) == 1)  # $IS_RESTART
            or word.rpartition("/")[2] in _QUESTIONS
            or word.startswith(("((", "[["))
        )

    def may_end_shell(self, pipeline: Pipeline, truth: bool | None) -> bool:
        """By its failure, behind `set -e`. Of blocks and functions the commands in them do; work
        that fails, and says so, is taken as done here, too.

        truth: whether it succeeds
        """
        commands = pipeline.commands
        fails = "pipefail" in self.calls.variables.options
        ones = [each for each in (commands if fails else commands[-1:]) if isinstance(each, Simple)]
        if pipeline.is_negated or truth is True:
            return False
        if isinstance(commands[-1], Brackets):
            return truth is False or self.asks(pipeline)
        if ones and self.calls.called(ones[-1]):
            return truth is False or self.asks(pipeline)
        return ones != [] and (truth is False or any(map(self._is_test, ones)))

    def _is_test(self, simple: Simple) -> bool:
        words = simple.plain().words
        if simple.words and len(simple.assigned()) == len(simple.words):
            return self.asks(Pipeline([simple]))
        is_quiet = words[:1] != [] and words[0] in DONE
        is_quiet = is_quiet and simple.may_fail_quietly(hides=self._hides(simple.files))
        word = "".join(words[:1])
        return is_quiet or word in _TESTS or word.startswith(("((", "[["))

    def is_question(self, pipeline: Pipeline) -> bool:
        """Of a command that is none of the script's functions."""
        command = pipeline.commands[-1]
        is_one = isinstance(command, Simple) and not self.calls.called(command)
        return is_one and self.asks(pipeline)

    def any_asks(self, pipelines: Sequence[Pipeline]) -> bool:
        return any(self.asks(each) for each in pipelines)

    def is_for_errors(self, condition: Body) -> bool:
        """`if ! srun ./icon; then`, `if [ $? -ne 0 ]`: it holds only if something fails"""
        if len(condition) != 1:
            return False
        parts = condition[0].parts
        if len(parts) == 1 and (sign := self._status_asked(parts[0][1])):
            return sign in _FAILED
        errors = [each.is_negated and not self.asks(each) for _, each in parts]
        return any(errors) if {joint for joint, _ in parts[1:]} == {"&&"} else all(errors)

    @contextmanager
    def _within(self, files: Redirections) -> Iterator[None]:
        """Of a block or function: what is in it has its errors thrown away where it has."""
        before, self._is_hidden = self._is_hidden, self._hides(files)
        yield
        self._is_hidden = before

    def _hides(self, files: Redirections) -> bool:
        is_hidden = self._is_hidden and files.errors is None
        return is_hidden or self.calls.commands.hides_errors(files)

    def is_for_success(self, condition: Body) -> bool:
        """`if [ $? -eq 0 ]`: it does not hold only if something fails"""
        parts = condition[0].parts if len(condition) == 1 else []
        sign = self._status_asked(parts[0][1]) if len(parts) == 1 else ""
        return sign != "" and sign not in _FAILED

    def _status_asked(self, pipeline: Pipeline) -> str:
        """How a test compares a status that work has left with 0; "" of anything else."""
        command = pipeline.commands[0]
        if len(pipeline.commands) > 1 or pipeline.is_negated or not isinstance(command, Simple):
            return ""
        found = _OF_STATUS.fullmatch(command.text)
        name = found[1].strip("${}") if found else ""
        variables = self.calls.variables
        if name == "?":
            return found[2] if found and expand("$?", variables) == unresolved("?") else ""
        return (found[2] or "!=") if found and name in variables.of_status else ""

    def _last_asks(self, body: Body, depth: int) -> bool:
        return bool(body) and self.asks(body[-1].parts[-1][1], depth)

    def _function_asks(self, command: Command, depth: int) -> bool:
        body = command.body if isinstance(command, (Braces, Brackets)) else []
        return self._last_asks(body, depth) or self._returns_ask(body, depth)

    def _exits_ask(self, body: Body, depth: int) -> bool:
        """In a shell of its own, and in functions that are called there."""
        functions = self.calls.course.functions
        called = [name for each in simples(body) for name in each.words[:1] if name in functions]
        bodies = [as_body(each) for name in called for each in functions[name]]
        return depth < _FARTHEST and any(
            self._returns_ask(each, depth, "exit") for each in (body, *bodies)
        )

    def _returns_ask(self, body: Body, depth: int, word: str = "return") -> bool:
        """Those that are not `work || return 1`; or exits."""
        for each in body:
            before: list[Pipeline] = []
            for joint, pipeline in each.parts:
                command = pipeline.commands[-1]
                words = command.words if isinstance(command, Simple) else []
                is_for_error = joint == "||" and not any(self.asks(p, depth) for p in before)
                if words[:1] == [word] and words[1:] != ["0"] and not is_for_error:
                    return True
                before = [pipeline] if joint == "||" else [*before, pipeline]
                bodies = bodies_of(command) if not is_for_error else []
                if isinstance(command, If) and bodies:
                    bodies = [
                        each
                        for pair in command.branches
                        if not self.is_for_errors(pair[0])
                        for each in pair
                    ] + [command.other]
                if any(self._returns_ask(inner, depth, word) for inner in bodies):
                    return True
        return False


def _printing(command: Simple) -> Iterator[Body]:
    """Of $(...) in what it assigns, whose status is that of the assignment."""
    for word in command.words:
        for found in _PRINTED.finditer(word):
            yield _body_of(found[1] or found[2] or "")


def _body_of(text: str) -> Body:
    try:
        return parse_script(text.split("\n"), "")
    except ThalwegError:
        return []
