# SPDX-License-Identifier: Apache-2.0
"""What each way through a script has of its own: kept, gone back to, and brought together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from thalweg.shell.files.commands import FileCommands
from thalweg.shell.tree.tree import Command
from thalweg.shell.values.variables import State, Variables
from thalweg.shell.walk.course import Course


@dataclass(frozen=True)
class Way:
    """Where one of several ways through a script is.

    folders: the one it is in, the one before, and those of pushd
    """

    state: State
    functions: dict[str, list[Command]]
    folders: tuple[str, str, list[str]]


@dataclass
class Ways:
    variables: Variables
    commands: FileCommands
    course: Course

    def here(self) -> Way:
        folders = self.commands.files.folders.state()
        return Way(self.variables.state(), dict(self.course.functions), folders)

    def go_back(self, way: Way) -> None:
        """It is used up."""
        self.variables.set_state(way.state)
        self.course.functions = way.functions
        self.commands.files.folders.set_state(way.folders)

    def meet(self, ends: Sequence[Way]) -> None:
        """What differs between them is open."""
        self.variables.merge([each.state for each in ends])
        self.course.meet([each.functions for each in ends])
        folders = self.commands.files.folders
        folders.set_state(ends[0].folders)
        if any(each.folders[0] != folders.here for each in ends):
            folders.lose()

    @contextmanager
    def maybe(self) -> Iterator[None]:
        """Of what need not be run."""
        before = self.here()
        self.course.branches += 1
        yield
        self.course.branches -= 1
        if self.course.part(self.variables):
            self.go_back(before)
        else:
            self.meet([before, self.here()])

    def end_of(self, run: Callable[[], object]) -> Way | None:
        """Where one of several ways leads; None where it has left: that comes back further on."""
        self.course.branches += 1
        run()
        self.course.branches -= 1
        return None if self.course.part(self.variables) else self.here()

    @contextmanager
    def apart(self) -> Iterator[None]:
        """In a shell of its own: of what it does only files stay."""
        before, course = self.here(), self.course
        kept = course.left, course.target, [*course.doubts]
        yield
        course.left, course.target, course.doubts = kept
        self.go_back(before)

    @contextmanager
    def tried(self) -> Iterator[None]:
        """Without what it does with files: everything is as it was behind it."""
        files, course, variables = self.commands.files, self.course, self.variables
        outer = files.is_tried, files.unread.is_quiet
        spent = course.turns, course.commands, [*course.told]
        stdin = [*self.commands.stdin]
        overridden = {name: dict(each) for name, each in variables.overridden.items()}
        files.is_tried = files.unread.is_quiet = True
        with self.apart():
            yield
        files.is_tried, files.unread.is_quiet = outer
        course.turns, course.commands, course.told = spent
        self.commands.stdin, variables.overridden = stdin, overridden
