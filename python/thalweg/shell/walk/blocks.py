# SPDX-License-Identifier: Apache-2.0
"""Runs the branches and loops of a script, as far as their conditions and turns are known. Where
ways meet that may both have been gone, values that differ are open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from thalweg.shell.files.output import Known, has_input
from thalweg.shell.tree.tree import Body, Case, For, If, Loop, Pipeline, Simple
from thalweg.shell.unresolved import has_unresolved, known_beginning
from thalweg.shell.values.assignments import Assignments
from thalweg.shell.values.expansion import expand, fits, pattern_of
from thalweg.shell.values.home import with_home
from thalweg.shell.walk.defaults import default_taken
from thalweg.shell.walk.failures import Failures
from thalweg.shell.walk.loops import counted_loop, turns_of
from thalweg.shell.walk.sets import names_set, simples_with
from thalweg.shell.walk.ways import Way, Ways

_MOST_TURNS = 10_000  # of a loop that is tried
_WRITES = frozenset({"cp", "mv", "ln", "sed", "tee", "install", "cat"})
_PLAIN = re.compile(r"[\w=.:,/-]*")
_MOST_NAMES = 4  # that are told


def _ends_script(body: Body) -> bool:
    """Whether an `exit` in it asks for nothing."""
    firsts = [each.parts[0][1].commands for each in body]
    return any(
        len(each) == 1 and isinstance(each[0], Simple) and each[0].words[:1] == ["exit"]
        for each in firsts
    )


def _may_write(simple: Simple) -> bool:
    words = simple.plain().words
    files = simple.files
    return bool(files.outs or files.documents) or (words[:1] != [] and words[0] in _WRITES)


@dataclass
class Blocks:
    """run     a body
    asked_for  the file whose existence a condition asks for
    is_for_errors  whether a condition holds only if something fails
    is_for_success  whether it does not hold only if something fails
    is_taken_as_done  whether the last command is, and may have failed
    """

    ways: Ways
    run: Callable[[Body, Known], bool | None]
    asked_for: Callable[[Pipeline], str]
    is_for_errors: Callable[[Body], bool]
    is_for_success: Callable[[Body], bool]
    failures: Failures
    is_taken_as_done: Callable[[], bool]

    def __post_init__(self) -> None:
        self.variables, self.commands = self.ways.variables, self.ways.commands
        self.course = self.ways.course

    def run_one(self, command: If | For | Loop | Case, known: Known) -> None:
        if isinstance(command, If):
            self._if(command, known)
        elif isinstance(command, For):
            self._for(command, known)
        elif isinstance(command, Loop):
            self._loop(command, known)
        else:
            self._case(command, known)

    def _if(self, command: If, known: Known) -> None:
        """Branches that cannot hold are left out; after one that holds there is no other."""
        ends: list[Way] = []
        sure, may_fail = known.sure, False
        is_failed = False  # of work that a branch before asks for
        branches = [*command.branches, ([], command.other)]
        for number, (condition, body) in enumerate(branches):
            for_errors, for_success = self.is_for_errors(condition), self.is_for_success(condition)
            with self.ways.asked():
                truth = self.run(condition, replace(known, sure=sure))
            if truth is None and not ends:
                truth = default_taken(condition, body, self.variables)
            may_fail |= bool(condition) and self.is_taken_as_done()
            if self.course.left:
                break
            if truth is True and not ends:
                self.run(body, Known(sure, self._there(condition) if sure else ""))
                for i, (_, other) in enumerate(branches if may_fail else ()):
                    if i != number:
                        self.failures.may_have_run(other)
                return
            if truth is not False:
                before, doubts = self.ways.here(), [*self.ways.doubts]
                of_branch = Known(sure and truth is True, self._there(condition) * sure)
                end = self.ways.end_of(partial(self.run, body, of_branch))
                if (truth is None and for_errors) or is_failed:
                    self.ways.doubts = doubts
                is_failed = truth is None and for_success
                if end:
                    ends.append(end)
                self.ways.go_back(before)
                if truth is True:
                    break
                sure = False
        if ends:
            self.ways.meet(ends)

    def _there(self, condition: Body) -> str:
        one = len(condition) == 1 and len(condition[0].parts) == 1
        return self.asked_for(condition[0].parts[0][1]) if one else ""

    def _for(self, command: For, known: Known) -> None:
        if command.counted:
            self._counted(command, known)
            return
        turns = turns_of(command.words, self.commands.turns, _MOST_TURNS)
        if turns is None or any(map(has_unresolved, turns)):
            self._tell_of_errors(command.at, command.words)
        if turns is None:
            self._any_turns(command.body, [command.name])
            return
        with self._loops():
            for word in turns:
                if not self.course.may_turn(command.at):
                    break
                Assignments(self.variables).turn(command.name, word)
                self.course.tell_of(command.at, self.variables)
                self._turn(command.body, known)
                if not self.ways.ends_turn():
                    break

    def _tell_of_errors(self, at: str, words: Sequence[str]) -> None:
        """Of commands that print them, and of what cannot be computed."""
        if any("$(" in word or "`" in word for word in words):
            self.commands.tell_of_errors(at)

    def _turn(self, body: Body, known: Known) -> None:
        self.run(body, known.but(sure=not self.ways.doubts))

    def _counted(self, command: For, known: Known) -> None:
        """((i = 0; i < 3; i++))"""
        parts = counted_loop(command.counted, command.at)
        if parts is None:
            self._any_turns(command.body, [])
            return
        begin, condition, step = parts
        self.run(begin, known)
        self._while(Loop(command.at, "while", condition, command.body, command.files), step, known)

    @contextmanager
    def _loops(self) -> Iterator[None]:
        self.course.running.append("for")
        yield
        self.ways.ends_loop()
        self.course.running.pop()

    def _any_turns(self, body: Body, names: Sequence[str]) -> None:
        """Of a loop that may have any number of turns: what one sets, another may find."""
        touched = set() if self.commands.files.is_tried else self._touched_by(body)
        with self.ways.maybe():
            for name in {*names, *touched, *names_set(body, self.course.functions)} - {"@"}:
                self.variables.forget(name)
            if "@" in touched:
                self.variables.forget_arguments()
            self._one_turn(body)

    def _touched_by(self, body: Body) -> set[str]:
        with self.ways.tried():
            before, self.variables.touched = self.variables.touched, set()
            self._one_turn(body)
            touched, self.variables.touched = self.variables.touched, before
        return touched

    def _one_turn(self, body: Body) -> None:
        with self._loops():
            self.run(body, Known(sure=False))
            self.ways.ends_turn()

    def _loop(self, command: Loop, known: Known) -> None:
        if command.word == "select":
            words = command.condition[0].parts[0][1].commands[0] if command.condition else None
            self._any_turns(command.body, words.words[:1] if isinstance(words, Simple) else [])
            return
        rows = self.commands.rows(command)
        if rows is None:
            self._while(command, [], known)
            return
        gets = not has_input(command.files)
        self.commands.stdin = None if gets else self.commands.stdin  # another may take of it
        with self._loops():
            for row in rows:
                if not self.course.may_turn(command.at):
                    break
                for name, value in row.items():
                    self.variables.give(name, value)
                self._turn(command.body, known)
                if not self.ways.ends_turn():
                    break
            else:
                for name in rows[0] if rows else ():
                    self.variables.change(name, "")
        self.commands.stdin = [] if gets else self.commands.stdin

    def _while(self, command: Loop, step: Body, known: Known) -> None:
        """Turn by turn, if all of them are known before the first: else it may have any number."""
        wants = command.word == "while"
        body = [*command.condition, *command.body, *step]
        if self.commands.files.is_tried:
            if not self._turns(command, step, wants, known):
                self._any_turns(body, [])
            return
        with self.ways.tried():
            ends = self._turns(command, step, wants, known)
        if ends:
            self._turns(command, step, wants, known)
            if self.is_taken_as_done():
                self.failures.may_have_run(command.body, of_loop=True)
            return
        with self.ways.asked():
            truth = self.run(command.condition, known)
        if truth is wants and known.sure:
            self._first_and_others(command, step, body, known)
        elif truth is None or truth is wants:
            self._any_turns(body, [])
        if truth is wants and known.sure and _ends_script(command.body):
            self.course.leave("exit")

    def _first_and_others(self, command: Loop, step: Body, body: Body, known: Known) -> None:
        """One turn that is sure, and any number of others. Files stay as the first one leaves them;
        where others may write something else, that is told.
        """
        files = self.commands.files
        started = files.started.at
        with self._loops():
            self._turn(command.body, known)
            if not self.ways.ends_turn():
                return
            self.run(step, known)
            if files.started.at != started:
                files.started.at = ""  # another turn may start it again
            values = dict(self.variables.assigned)
            outer = files.is_tried, files.unread.is_quiet
            files.is_tried = files.unread.is_quiet = True
            self._any_turns(body, [])
            files.is_tried, files.unread.is_quiet = outer
        if files.is_tried:
            return
        writes = [each for each in simples_with(body, self.course.functions) if _may_write(each)]
        for each in writes:
            for path in [self.commands.path(word) for behind, word in each.files.outs if behind]:
                if self.commands.is_namelist(path):
                    files.doubt(path, each.at)
        now = self.variables.assigned
        differ = sorted(name for name, text in now.items() if values.get(name) != text)
        if differ and writes:
            names = ", ".join(f"'{name}'" for name in differ[:_MOST_NAMES])
            self.course.told.append(
                f"{command.at}: how often this loop turns the script does not tell, and {names} "
                "may change in it: files count as its first turn leaves them"
            )

    def _turns(self, command: Loop, step: Body, wants: bool, known: Known) -> bool:
        """Whether it is known that there are no others."""
        course = self.course
        with self._loops():
            for _ in range(_MOST_TURNS):
                before = self.variables.state()
                with self.ways.asked():
                    truth = self.run(command.condition, known)
                if truth is not wants or course.left:
                    return truth is not None or course.left != ""
                if not course.may_turn(command.at):
                    return True
                self._turn(command.body, known)
                if not self.ways.ends_turn():
                    return True
                self.run(step, known)
                if self.variables.state() == before:
                    return False  # it has no end that is known
        return False

    def _case(self, command: Case, known: Known) -> None:
        """The first branch whose pattern fits; all that may, unsure, where that is open."""
        ends: list[Way] = []
        word, sure, falls = expand(with_home(command.word), self.variables), known.sure, False
        if has_unresolved(word):
            self._tell_of_errors(command.at, [command.word])
        for patterns, body, end in command.branches:
            is_one = True if falls else self._fits(word, patterns)
            falls = end == ";&" and is_one is not False
            if is_one is False:
                continue
            if is_one is True and not ends:
                self.run(body, Known(sure))
                if end not in (";&", ";;&") or self.course.left:
                    return
                continue
            before = self.ways.here()
            if end_of_branch := self.ways.end_of(partial(self.run, body, Known(False))):
                ends.append(end_of_branch)
            if is_one is True and end not in (";&", ";;&"):
                break
            self.ways.go_back(before)
            sure = False
        else:
            if ends:
                ends.append(self.ways.here())
        if ends:
            self.ways.meet(ends)

    def _fits(self, word: str, patterns: Sequence[str]) -> bool | None:
        found = [pattern_of(each, self.variables) for each in patterns]
        ignores = {"nocasematch", "?nocasematch"} & self.variables.options and found != ["*"]
        truths = (
            [None if has_unresolved(each) or ignores else _may_fit(word, each) for each in found]
            if has_unresolved(word)
            else [
                None if has_unresolved(each) else fits(word, each, self.variables) for each in found
            ]
        )
        return True if True in truths else None if None in truths else False


def _may_fit(word: str, pattern: str) -> bool | None:
    """Of a word that is open behind its first letters."""
    known, plain = known_beginning(word), _PLAIN.match(pattern)
    begin = plain[0] if plain else ""
    if not known.startswith(begin[: len(known)]):
        return False
    return True if pattern == f"{begin}*" and known.startswith(begin) else None
