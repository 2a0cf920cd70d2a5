# SPDX-License-Identifier: Apache-2.0
"""Walks through the commands of a script as a shell would, and keeps what it sets and writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from thalweg.errors import ThalwegError
from thalweg.shell.files.commands import FileCommands
from thalweg.shell.files.output import Known, Printed
from thalweg.shell.lines import begins_group
from thalweg.shell.tree.parser import parse_script
from thalweg.shell.tree.tree import (
    AndOr,
    Body,
    Braces,
    Brackets,
    Command,
    Function,
    Loop,
    Pipeline,
    Simple,
    simples,
)
from thalweg.shell.values.printed import printed_by_words
from thalweg.shell.values.variables import Variables
from thalweg.shell.walk.asking import Asking
from thalweg.shell.walk.blocks import Blocks
from thalweg.shell.walk.calls import PRINTS_FAILURES
from thalweg.shell.walk.course import Course, Source
from thalweg.shell.walk.defaults import default_taken
from thalweg.shell.walk.failures import Failures, leaves
from thalweg.shell.walk.simple import SimpleCommands
from thalweg.shell.walk.ways import Ways

READS = (["read"], ["mapfile"], ["readarray"])  # give variables values
_EXISTS = re.compile(r"(?:\[\[?|test)\s+-[aefrsw]\s+([^\s\]]+)\s*(?:\]\]?)?\s*")


def run_script(
    body: Body, variables: Variables, commands: FileCommands, source: Source = lambda _: None
) -> list[str]:
    """Sentences on what was not run.

    source: of a script that this one sources, by its path; None where it is not there
    """
    walk = _Walk(variables, commands, Course(source))
    walk.run(body, Known())
    return list(dict.fromkeys(walk.course.told))


@dataclass
class _Walk:
    variables: Variables
    commands: FileCommands
    course: Course

    def __post_init__(self) -> None:
        self.ways = Ways(self.variables, self.commands, self.course)
        self.simple = SimpleCommands(self.ways, self.run)
        self.asking = Asking(self.simple.calls)
        self.failures = Failures(self.variables, self.commands, self.course)
        self.blocks = Blocks(
            self.ways, self.run, self.asked_for, self.asking.is_for_errors,
            self.asking.is_for_success, self.failures,
            lambda: self.simple.is_taken_as_done,
        )  # fmt: skip
        self.variables.substitute = self._substitute
        self.commands.text_of = self._printed
        self.variables.exists = self.commands.files.lines_written

    def run(self, body: Body, known: Known) -> bool | None:
        """Whether the last command succeeds, as far as one can tell."""
        truth: bool | None = True
        for i, each in enumerate(body):
            truth = self._list(each, known.but(sure=not self.ways.doubts))
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
        """Commands joined by && and ||: each where the ones before it let it. One that is taken as
        done may have failed: values that are set behind its || are open.
        """
        if each.in_background:
            with self.ways.apart(goes_on=True):
                self._list(replace(each, in_background=False), known)
            return True
        truth: bool | None = True
        of_last: bool | None = True
        may_fail = False  # one that is taken as done
        there, before = known.there, list[Pipeline]()  # those of which one has failed behind ||
        for number, (joint, pipeline) in enumerate(each.parts, 1):
            goes_on = None if truth is None else truth is (joint != "||")
            body = [AndOr([("", pipeline)])]
            ends_work = self._ends_work(joint, body, before)
            before = [pipeline] if joint == "||" else [*before, pipeline]
            of_last = True
            if goes_on is True:
                with self.ways.asked(where=number < len(each.parts)):
                    truth = of_last = self._pipeline(pipeline, Known(known.sure, there))
                if truth is None and number == len(each.parts) - 1:
                    then = [AndOr([("", each.parts[number][1])])]
                    truth = default_taken(body, then, self.variables)
            elif goes_on is None and not ends_work:
                with self.ways.maybe(), self.ways.asked(where=number < len(each.parts)):
                    of_last = found = self._pipeline(pipeline, Known(False, there))
                truth = found if found is (joint == "||") else None
            elif goes_on is None or (joint == "||" and may_fail):
                self.failures.may_have_run(body)
            may_fail |= self.simple.is_taken_as_done
            if self.course.left:
                break
            there = self.asked_for(pipeline) if known.sure else ""
        may_end = self.ways.ends_by_failure and not self.course.left
        if may_end and self.asking.may_end_shell(each.parts[-1][1], of_last):
            self.ways.may_end_shell()
        if of_last is False and known.sure and self.ways.ends_script and not self.course.left:
            last = each.parts[-1][1]
            if self.asking.may_end_shell(last, of_last):
                self.course.tell_once(
                    _at(last.commands[-1]), "this fails, and 'set -e' ends the script here"
                )
                if self.commands.files.started.at:  # it came as far as that
                    self.course.leave("exit")
        return truth

    def _ends_work(self, joint: str, body: Body, before: Sequence[Pipeline]) -> bool:
        """`work || exit 1`, `[ $? -ne 0 ] && exit 1`: the script is not there any more."""
        if joint == "" or not leaves(body, self.course.functions):
            return False
        if joint == "||":
            return not self.asking.any_asks(before)
        return self.asking.is_for_errors([AndOr([("", before[-1])])])

    def asked_for(self, pipeline: Pipeline) -> str:
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
        elif self._are_plain(commands):
            parts = [each for each in commands if isinstance(each, Simple)]
            for each in parts:
                self.commands.start(each, self.commands.expanded(each.plain()), known)
            before = self.variables.state()
            self.commands.run(parts, known)
            self.variables.set_state(before)  # each is a shell of its own
            truth = True if parts[-1].plain().words[:1] == ["tee"] else None
        else:
            truth = self._of_blocks(commands, known)
        if pipeline.is_timed:
            self.commands.tell_of_errors(_at(commands[0]))
        truth = truth if truth is None or not pipeline.is_negated else not truth
        if not self.course.left:
            self.variables.status = self._status(truth)
            self.variables.is_of_test = truth is None and self.asking.is_question(pipeline)
        return truth

    def _are_plain(self, commands: Sequence[Command]) -> bool:
        """No functions and blocks, and nothing that gives variables values here."""
        last = commands[-1]
        reads = isinstance(last, Simple) and last.plain().words[:1] in READS
        stays = {"lastpipe", "?lastpipe"} & self.variables.options
        return (
            all(isinstance(each, Simple) for each in commands)
            and not any(map(self.simple.calls.called, commands))
            and not (reads and stays)
        )

    def _status(self, truth: bool | None) -> str | None:
        """$?: one that is not 0 is known of a function and a test."""
        if truth is None or truth:
            return "0" if truth and not self.simple.is_taken_as_done else None
        known = self.variables.status
        return known if known not in (None, "0") else "1"

    def _of_blocks(self, commands: Sequence[Command], known: Known) -> bool | None:
        """`{ ...; } | tee FILE`, `f | cat > FILE` print there; `f | while read x` gets lines."""
        first, *others = commands
        apart = partial(self.ways.apart, goes_on="pipefail" not in self.variables.options)
        files = self.commands.sink_of(others[-1]) if len(others) == 1 else None
        if files is not None:
            with apart(), self.commands.redirected(files, _at(others[-1]), known):
                self._command(first, known)
            return True
        with apart(), self.commands.captured() as printed:
            self._command(first, known)
        rest = [each for each in others if isinstance(each, Simple)]
        reads = rest[-1:] and rest[-1].plain().words[:1] in READS
        if len(rest) == len(others) and not reads and not any(map(self.simple.calls.called, rest)):
            if not self.commands.pass_on(printed, rest, known):
                self.commands.tell_of_pipeline(printed, rest)
            return None
        for each in others[:-1]:
            through = self.commands.pipelines.through(printed, each)
            if not through.is_known:
                with apart(), self.commands.captured() as through:
                    self._gets(printed, each, known)
            printed = through
        return self._last(printed, others[-1], known)

    def _last(self, printed: Printed, command: Command, known: Known) -> bool | None:
        """Of a pipeline: in a shell of its own, but with `lastpipe`."""
        options = self.variables.options
        if "lastpipe" in options:
            return self._gets(printed, command, known)
        if "?lastpipe" in options:
            with self.ways.maybe():
                self._gets(printed, command, known)
            return None
        with self.ways.apart(goes_on="pipefail" not in options):
            self._gets(printed, command, known)
        return None

    def _gets(self, printed: Printed, command: Command, known: Known) -> bool | None:
        before, self.commands.stdin = self.commands.stdin, None
        if printed.is_known and (printed.is_ended or not isinstance(command, Loop)):
            self.commands.stdin = [printed.pieces]
        truth = self._command(command, known)
        self.commands.stdin = before
        return truth

    def _substitute(self, command: str) -> str | None:
        """As $(...) has it."""
        text = self._printed(command)
        return None if text is None else text.rstrip("\n")

    def _printed(self, command: str) -> str | None:
        """What a command prints, by its words or by running it; None where that is not known."""
        by_words = printed_by_words(command, self.variables, self.course.functions)
        if by_words is not None:
            return by_words
        try:
            body = parse_script(command.split("\n"), *self.simple.place)
        except ThalwegError:
            return None
        if {"errtrace", PRINTS_FAILURES} <= self.variables.options:
            return None
        before, self.variables.printed = self.variables.printed, None
        is_taken_as_done = self.simple.is_taken_as_done
        with self.course.deeper(":".join(map(str, self.simple.place)), 2) as may_run:
            if not may_run or not self.course.may_turn(":".join(map(str, self.simple.place))):
                return None
            doubts = len(self.ways.doubts)
            with self.ways.apart(goes_on=True), self.commands.captured() as printed:
                self.variables.options -= {"errexit"}
                truth = self.run(body, Known())
                is_known = len(self.ways.doubts) == doubts
                status = self.variables.status
            self.variables.truth = truth if is_known else None
            self.variables.status = status if is_known else None
            self.variables.printed = before
            self.simple.has_printed_done = self.simple.is_taken_as_done
            self.simple.is_taken_as_done = is_taken_as_done
            return printed.text if printed.is_known and is_known else None

    def _command(self, command: Command, known: Known) -> bool | None:
        if isinstance(command, Simple):
            return self.simple.run_one(command, known)
        if isinstance(command, Function):
            self.course.functions[command.name] = [command.command]
            return True
        command = replace(command, files=self.simple.counted(command.files))
        with (
            self.course.deeper(command.at, 1) as may_run,
            self.commands.redirected(command.files, command.at, known),
        ):
            if not may_run:
                return None
            if isinstance(command, Braces):
                return self.run(command.body, known)
            if isinstance(command, Brackets):
                doubts = len(self.ways.doubts)
                with self.ways.apart():
                    truth = self.run(command.body, known)
                    may_have_ended = len(self.ways.doubts) > doubts
                if may_have_ended:
                    self.ways.may_end_shell()
                return None if may_have_ended else truth
            self.blocks.run_one(command, known)
        return None


def _at(command: Command) -> str:
    return command.at
