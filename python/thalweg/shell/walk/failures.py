# SPDX-License-Identifier: Apache-2.0
"""What a script does where work fails that counts as done: it may have been done all the same."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.shell.files.commands import FileCommands
from thalweg.shell.tree.tree import Body, Braces, Command, Simple, simples
from thalweg.shell.values.conditions import is_condition
from thalweg.shell.values.variables import Variables
from thalweg.shell.walk.course import Course
from thalweg.shell.walk.sets import (
    DONE,
    LEAVES,
    Functions,
    as_body,
    names_set,
    redirections_in,
    simples_with,
)

_FARTHEST = 20  # functions that call one another
_QUIET = DONE | LEAVES | frozenset(
    {"true", ":", "export", "set", "unset", "local", "declare", "typeset", "readonly", "shift",
     "read", "sleep", "wait", "let", "trap", "shopt", "kill"}
)  # fmt: skip
_ARGUMENTS = frozenset({"set", "shift"})


@dataclass
class Failures:
    variables: Variables
    commands: FileCommands
    course: Course

    def may_have_run(self, body: Body, *, of_loop: bool = False) -> None:
        """What stands behind `cp A B ||`, or in the `else` of `if cp A B`, is open. What leaves
        there does not count: the script would not be here. of_loop: `break` leads here
        """
        functions = self.course.functions
        ends_loop = of_loop and _last_word(body) in ("break", "continue")
        has_left = leaves(body, functions)
        if not body or (has_left and _last_word(body) not in ("return", "break", "continue")):
            return
        for name in names_set(body, functions):
            self.variables.forget(name)
        if has_left and not ends_loop:
            return
        for files, at in redirections_in(body):
            for _, word in files.outs:
                if not self.commands.is_null(word):
                    self.commands.files.doubt(self.commands.path(word), at)
        for each in simples_with(body, functions):
            if each.words[:1] and each.words[0] in _ARGUMENTS:
                self.variables.forget_arguments()
            self.commands.doubt_named([self.commands.expanded(each.plain())])
            if self.commands.stdout and _prints(each, functions):
                self.commands.printed.append((each.at, "what follows a failure"))


def leaves(body: Body, functions: Functions, depth: int = 0) -> bool:
    """Whether nothing comes behind it."""
    command = _always_last(body)
    if isinstance(command, Braces):
        return leaves(command.body, functions, depth)
    if not isinstance(command, Simple) or not command.words or depth > _FARTHEST:
        return False
    called = functions.get(command.plain().words[0], ())
    return command.words[0] in LEAVES or (
        bool(called) and all(_exits(as_body(each), functions, depth + 1) for each in called)
    )


def _last_word(body: Body) -> str:
    command = body[-1].parts[-1][1].commands[-1] if body else None
    if isinstance(command, Braces):
        return _last_word(command.body)
    return command.words[0] if isinstance(command, Simple) and command.words else ""


def _exits(body: Body, functions: Functions, depth: int) -> bool:
    """Of a function that is called: a `return` there leaves nothing here."""
    command = _always_last(body)
    if isinstance(command, Braces):
        return _exits(command.body, functions, depth)
    if any(each.words[:1] == ["return"] for each in simples(body)):
        return False
    return leaves(body, functions, depth)


def _always_last(body: Body) -> Command | None:
    """The last command, if that is run in any case, and here."""
    last = body[-1] if body else None
    if last is None or len(last.parts) > 1 or last.in_background:
        return None
    return last.parts[0][1].commands[-1]


def _prints(simple: Simple, functions: Functions) -> bool:
    words = simple.plain().words
    if not words or simple.files.outs or is_condition(simple.words):
        return False
    return words[0] not in _QUIET and words[0] not in functions and not words[0].startswith("((")
