# SPDX-License-Identifier: Apache-2.0
"""Where the walk through a script is: what is running, how it is left, and how much it may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from thalweg.config.shell_tree import Body, Command
from thalweg.config.shell_variables import State, Variables

_MOST_TURNS_IN_ALL = 20_000  # of loops, functions and scripts that are sourced
_MOST_COMMANDS = 300_000
_DEEPEST = 70  # blocks, and functions or scripts twice, one in another

_OF_LOOPS = ("break", "continue")

Source = Callable[[str], Body | None]


@dataclass(frozen=True)
class Doubt:
    """A `return`, `break` or `continue` that need not have been run, and the values there.

    levels: of loops that it leaves
    """

    kind: str
    levels: int
    state: State


@dataclass
class Course:
    """Of a script, its functions and those that it sources.

    left       "exit", "return", "break" or "continue", on the way out to where that ends
    levels     of loops that are left
    doubts     those that need not have been run
    status     of the function that has just been left, as far as one can tell
    functions  commands that a name may be, each with whether it is sure
    """

    source: Source
    functions: dict[str, list[tuple[Command, bool]]] = field(default_factory=dict)
    running: list[str] = field(default_factory=list)  # functions, scripts, and "for" of loops
    left: str = ""
    levels: int = 0
    doubts: list[Doubt] = field(default_factory=list)
    status: bool | None = None
    turns: int = 0
    commands: int = 0
    depth: int = 0
    told: list[str] = field(default_factory=list)

    def ends_loop(self, variables: Variables, *, at_last: bool) -> bool:
        """Behind a turn of a loop: whether no other one follows. at_last: in any case. What ways
        that leave it have set is open where they meet the others.
        """
        left = self.left
        ends = left != "" and not (left == "continue" and self.levels <= 1)
        found: list[Doubt] = []
        meeting: list[State] = []
        for each in self.doubts:
            is_kept = each.kind not in _OF_LOOPS or not (at_last or ends)
            is_over = each.kind == "continue" and each.levels <= 1
            if is_kept and not is_over:
                found.append(each)
            elif each.levels > 1:
                found.append(replace(each, levels=each.levels - 1))
            else:
                meeting.append(each.state)
        self.doubts = found
        if meeting:
            variables.merge([variables.state(), *meeting])
        if left not in _OF_LOOPS:
            return left != ""
        self.levels -= 1
        self.left = left if self.levels > 0 else ""
        return left == "break" or self.levels > 0

    def ends_function(self, variables: Variables) -> None:
        meeting = [each.state for each in self.doubts if each.kind == "return"]
        if meeting:
            variables.merge([variables.state(), *meeting])
        self.left = "" if self.left == "return" else self.left
        self.doubts = [each for each in self.doubts if each.kind != "return"]

    def may_turn(self, at: str) -> bool:
        self.turns += 1
        what = f"more than {_MOST_TURNS_IN_ALL} turns of loops and calls of functions"
        return self._is_within(self.turns, _MOST_TURNS_IN_ALL, at, what)

    def may_run(self, at: str) -> bool:
        self.commands += 1
        return self._is_within(
            self.commands, _MOST_COMMANDS, at, f"more than {_MOST_COMMANDS} commands to run"
        )

    @contextmanager
    def deeper(self, at: str, levels: int) -> Iterator[bool]:
        """Whether blocks, functions and scripts are not too deep in one another."""
        self.depth += levels
        yield self._is_within(self.depth, _DEEPEST, at, "blocks or calls too deep in one another")
        self.depth -= levels

    def _is_within(self, number: int, most: int, at: str, what: str) -> bool:
        if number > most and not any(what in each for each in self.told):
            self.told.append(f"{at}: the script has {what}: what these write is not counted")
        return number <= most
