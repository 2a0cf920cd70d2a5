# SPDX-License-Identifier: Apache-2.0
"""Runs the branches and loops of a script, as far as their conditions and turns are known. Where
ways meet that may both have been gone, values that differ are open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from thalweg.config.shell_commands import FileCommands
from thalweg.config.shell_conditions import is_condition
from thalweg.config.shell_course import Course
from thalweg.config.shell_loops import counted_loop, turns_of
from thalweg.config.shell_output import Known
from thalweg.config.shell_sets import names_set
from thalweg.config.shell_tree import Body, Case, For, If, Loop, Pipeline, Simple
from thalweg.config.shell_variables import State, Variables
from thalweg.config.shell_words import expand, fits, pattern_of
from thalweg.config.unresolved import has_unresolved

_MOST_TURNS = 1000  # of a loop


def _asks(pipeline: Pipeline) -> bool:
    command = pipeline.commands[-1]
    return isinstance(command, Simple) and is_condition(command.words)


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
class Blocks:
    """run: a body. asked_for: the file whose existence a condition asks for"""

    variables: Variables
    commands: FileCommands
    course: Course
    run: Callable[[Body, Known], bool | None]
    asked_for: Callable[[Pipeline], str]

    def run_one(self, command: If | For | Loop | Case, known: Known) -> None:
        if isinstance(command, If):
            self._if(command, known)
        elif isinstance(command, For):
            self._for(command, known)
        elif isinstance(command, Loop):
            self._loop(command, known)
        else:
            self._case(command, known)

    @contextmanager
    def maybe(self) -> Iterator[None]:
        """Of what need not be run."""
        folders = self.commands.files.folders
        here, before = folders.here, self.variables.state()
        self.course.branches += 1
        yield
        self.course.branches -= 1
        if self.course.part(self.variables.state()):
            self.variables.set_state(before)
            folders.stand_in(here)
        else:
            self._meet([(here, before), (folders.here, self.variables.state())])

    def _meet(self, ends: Sequence[tuple[str, State]]) -> None:
        """Of ways that end in a folder each."""
        folders = self.commands.files.folders
        self.variables.merge([state for _, state in ends])
        places = {here for here, _ in ends}
        if len(places) > 1:
            folders.lose()
        else:
            folders.here = places.pop()

    def _if(self, command: If, known: Known) -> None:
        """Branches that cannot hold are left out; after one that holds there is no other."""
        folders = self.commands.files.folders
        ends: list[tuple[str, State]] = []
        sure = known.sure
        for condition, body in [*command.branches, ([], command.other)]:
            truth = self.run(condition, replace(known, sure=sure))
            if self.course.left:
                break
            if truth is True and not ends:
                self.run(body, Known(sure, self._there(condition) if sure else ""))
                return
            if truth is not False:
                here, before, doubts = folders.here, self.variables.state(), [*self.course.doubts]
                self.course.branches += 1
                self.run(body, Known(sure and truth is True, self._there(condition) * sure))
                self.course.branches -= 1
                has_parted = self.course.part(self.variables.state())
                if truth is None and _is_for_errors(condition):
                    self.course.doubts = doubts
                if not has_parted:
                    ends.append((folders.here, self.variables.state()))
                folders.stand_in(here)
                self.variables.set_state(before)
                if truth is True:
                    break
                sure = False
        if ends:
            self._meet(ends)

    def _there(self, condition: Body) -> str:
        one = len(condition) == 1 and len(condition[0].parts) == 1
        return self.asked_for(condition[0].parts[0][1]) if one else ""

    def _for(self, command: For, known: Known) -> None:
        if command.counted:
            self._counted(command, known)
            return
        turns = turns_of(command.words, self.commands.turns, _MOST_TURNS)
        if turns is None:
            self._any_turns(command.body, [command.name])
            return
        with self._loops():
            for word in turns:
                if not self.course.may_turn(command.at):
                    break
                self.variables.assign(command.name, word)
                self._turn(command.body, known)
                if not self.course.ends_turn(self.variables):
                    break

    def _turn(self, body: Body, known: Known) -> None:
        self.run(body, known.but(sure=not self.course.doubts))

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
        self.course.ends_loop(self.variables)
        self.course.running.pop()

    def _any_turns(self, body: Body, names: Sequence[str]) -> None:
        """Of a loop that may have any number of turns: what one sets, another may find."""
        with self.maybe():
            for name in {*names, *names_set(body, self.course.functions)}:
                self.variables.forget(name)
            with self._loops():
                self.run(body, Known(sure=False))
                self.course.ends_turn(self.variables)

    def _loop(self, command: Loop, known: Known) -> None:
        if command.word == "select":
            words = command.condition[0].parts[0][1].commands[0] if command.condition else None
            self._any_turns(command.body, words.words[:1] if isinstance(words, Simple) else [])
            return
        rows = self.commands.rows(command)
        if rows is None:
            self._while(command, [], known)
            return
        with self._loops():
            for row in rows:
                if not self.course.may_turn(command.at):
                    break
                for name, value in row.items():
                    self.variables.change(name, value)
                self._turn(command.body, known)
                if not self.course.ends_turn(self.variables):
                    break
            else:
                for name in rows[0] if rows else ():
                    self.variables.change(name, "")

    def _while(self, command: Loop, step: Body, known: Known) -> None:
        """Turn by turn, as long as it is known whether there is another one, and all of them are
        known before the first: else it may have any number.
        """
        wants = command.word == "while"
        if not self._ends(command, step, wants, known):
            truth = self.run(command.condition, known)
            if truth is None or truth is wants:
                self._any_turns([*command.condition, *command.body, *step], [])
                if truth is not None and known.sure and _ends_script(command.body):
                    self.course.leave("exit")
            return
        with self._loops():
            while self.run(command.condition, known) is wants:
                if self.course.left or not self.course.may_turn(command.at):
                    break
                self._turn(command.body, known)
                if not self.course.ends_turn(self.variables):
                    break
                self.run(step, known)

    def _ends(self, command: Loop, step: Body, wants: bool, known: Known) -> bool:
        """Tried out, without what it does with files."""
        files, course = self.commands.files, self.course
        if files.is_tried:
            return True
        kept = course.left, [*course.doubts], dict(course.functions), [*course.running]
        before, place = self.variables.state(), files.folders.state()
        files.is_tried = files.unread.is_quiet = True
        try:
            return self._turns_end(command, step, wants, known)
        finally:
            files.is_tried = files.unread.is_quiet = False
            course.left, course.doubts, course.functions, course.running = kept
            self.variables.set_state(before)
            files.folders.set_state(place)

    def _turns_end(self, command: Loop, step: Body, wants: bool, known: Known) -> bool:
        course = self.course
        with self._loops():
            for _ in range(_MOST_TURNS):
                truth = self.run(command.condition, known)
                if truth is not wants or course.left:
                    return truth is not None
                self._turn(command.body, known)
                if not course.ends_turn(self.variables):
                    return True
                self.run(step, known)
        return False

    def _case(self, command: Case, known: Known) -> None:
        """The first branch whose pattern fits; all that may, unsure, where that is open."""
        folders = self.commands.files.folders
        ends: list[tuple[str, State]] = []
        word, sure, falls = expand(command.word, self.variables), known.sure, False
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
            here, before = folders.here, self.variables.state()
            self.course.branches += 1
            self.run(body, Known(False))
            self.course.branches -= 1
            if not self.course.part(self.variables.state()):
                ends.append((folders.here, self.variables.state()))
            if is_one is True and end not in (";&", ";;&"):
                break
            folders.stand_in(here)
            self.variables.set_state(before)
            sure = False
        else:
            if ends:
                ends.append((folders.here, self.variables.state()))
        if ends:
            self._meet(ends)

    def _fits(self, word: str, patterns: Sequence[str]) -> bool | None:
        found = [pattern_of(each, self.variables) for each in patterns]
        if has_unresolved(word):
            return True if "*" in found else None
        truths = [
            None if has_unresolved(each) else fits(word, each, self.variables) for each in found
        ]
        return True if True in truths else None if None in truths else False
