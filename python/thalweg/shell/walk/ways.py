# SPDX-License-Identifier: Apache-2.0
"""What each way through a script has of its own: kept, gone back to, and brought together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from thalweg.shell.files.commands import FileCommands
from thalweg.shell.tree.tree import Command
from thalweg.shell.values.state import State
from thalweg.shell.values.variables import Variables
from thalweg.shell.walk.course import Course


@dataclass(frozen=True)
class Way:
    """Where one of several ways through a script is.

    folders: the one it is in, the one before, and those of pushd
    """

    state: State
    functions: dict[str, list[Command]]
    folders: tuple[str, str, list[str]]


@dataclass(frozen=True)
class Doubt:
    """A way that has left by `return`, `break` or `continue`, where another one goes on.

    target: place in `running` of the function or loop that it leaves, or of which it takes the next
    turn
    """

    kind: str
    target: int
    way: Way


@dataclass
class Ways:
    """doubts: ways that have left and come back further on"""

    variables: Variables
    commands: FileCommands
    course: Course
    doubts: list[Doubt] = field(default_factory=list)
    shells: int = 0  # of their own, in which this is
    goes_on: bool = False  # behind one of these, where it ends by `set -e`
    ignored: int = 0  # conditions in which this is: failures end nothing there

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
        if self._parts():
            self.go_back(before)
        else:
            self.meet([before, self.here()])

    def end_of(self, run: Callable[[], object]) -> Way | None:
        """Where one of several ways leads; None where it has left: that comes back further on."""
        self.course.branches += 1
        run()
        self.course.branches -= 1
        return None if self._parts() else self.here()

    @contextmanager
    def apart(self, *, goes_on: bool = False) -> Iterator[None]:
        """In a shell of its own: of what it does only files stay.

        goes_on: the script, where `set -e` that was given before ends this shell
        """
        before = self.goes_on
        self.goes_on |= goes_on or "errexit" not in self.variables.options
        self.shells += 1
        with self._kept():
            yield
        self.shells -= 1
        self.goes_on = before

    @property
    def ends_by_failure(self) -> bool:
        """This shell, behind `set -e`; the script goes on behind it."""
        is_on = {"errexit", "?errexit"} & self.variables.options
        return bool(self.shells and self.goes_on and is_on and not self.ignored)

    @property
    def ends_script(self) -> bool:
        """A failure, behind `set -e`."""
        return not self.shells and "errexit" in self.variables.options and not self.ignored

    def may_end_shell(self) -> None:
        if self.ends_by_failure:
            self.doubts.append(Doubt("exit", -1, self.here()))

    @contextmanager
    def asked(self, *, where: bool = True) -> Iterator[None]:
        """A condition, or what stands before && and ||: `set -e` is ignored there."""
        self.ignored += where
        yield
        self.ignored -= where

    @contextmanager
    def _kept(self) -> Iterator[None]:
        before, course, channels = self.here(), self.course, dict(self.commands.channels)
        kept = course.left, course.target, [*self.doubts]
        yield
        course.left, course.target, self.doubts = kept
        self.commands.channels = channels
        self.go_back(before)

    @contextmanager
    def tried(self) -> Iterator[None]:
        """Without what it does with files: everything is as it was behind it."""
        files, course, variables = self.commands.files, self.course, self.variables
        outer = files.is_tried, files.unread.is_quiet
        spent = course.turns, course.commands, [*course.told]
        stdin = self.commands.stdin
        overridden = {name: dict(each) for name, each in variables.overridden.items()}
        files.is_tried = files.unread.is_quiet = True
        with self._kept(), self.commands.discarded():
            yield
        files.is_tried, files.unread.is_quiet = outer
        course.turns, course.commands, course.told = spent
        self.commands.stdin, variables.overridden = stdin, overridden

    def _parts(self) -> bool:
        """Behind what need not be run: whether that has left. One that ends a script comes back
        nowhere; those that come back to one place go on as one.
        """
        course = self.course
        kind, course.left = course.left, ""
        if kind == "exit" and self.shells:  # behind that shell it goes on
            self.doubts.append(Doubt(kind, -1, self.here()))
        if kind in ("", "exit"):
            return kind != ""
        way = self.here()
        if others := self._back(kind, course.target):
            here = self.here()
            self.meet([*others, way])
            way = self.here()
            self.go_back(here)
        self.doubts.append(Doubt(kind, course.target, way))
        return True

    def ends_turn(self) -> bool:
        """Of the loop that runs: whether there is a way into the next turn."""
        course = self.course
        here = len(course.running) - 1
        if course.left == "continue" and course.target == here:
            course.left = ""
        others = self._back("continue", here)
        self._join(others)
        return course.left == "" or bool(others)

    def ends_loop(self) -> None:
        self._ends("break")

    def ends_function(self) -> None:
        self._ends("return")

    def is_doubtful(self) -> bool:
        """Whether the function that runs may have returned before."""
        here = len(self.course.running) - 1
        return any(each.target == here for each in self.doubts)

    def _ends(self, kind: str) -> None:
        """All ways that lead behind the loop or function that runs come together."""
        course = self.course
        here = len(course.running) - 1
        others = self._back(kind, here)
        if course.left == kind and course.target == here:
            course.left = ""
        self._join(others)

    def _join(self, others: Sequence[Way]) -> None:
        """With the way that is gone here, if that does not leave farther."""
        if others and self.course.left and self._parts():
            self.meet(others)
        elif others:
            self.meet([self.here(), *others])

    def _back(self, kind: str, here: int) -> list[Way]:
        """Ways that come back here; they are none any more."""
        found = [each.way for each in self.doubts if (each.kind, each.target) == (kind, here)]
        self.doubts = [each for each in self.doubts if (each.kind, each.target) != (kind, here)]
        return found
