# SPDX-License-Identifier: Apache-2.0
"""Where the walk through a script is: what is running, how it is left, and how much it may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from thalweg.shell.tree.tree import Body, Braces, Command, Redirections
from thalweg.shell.values.variables import Variables

_MOST_TURNS_IN_ALL = 20_000  # of loops, functions and scripts that are sourced
_MOST_COMMANDS = 300_000
_DEEPEST = 70  # blocks, and functions or scripts twice, one in another


Source = Callable[[str], Body | None]


@dataclass
class Course:
    """Of a script, its functions and those that it sources.

    left       "exit", "return", "break" or "continue", on the way out to where that ends: `target`
    branches   blocks that need not be run, in which this is
    status     of the function that has just been left, as far as one can tell
    functions  commands that a name may be, by name
    """

    source: Source
    functions: dict[str, list[Command]] = field(default_factory=dict)
    running: list[str] = field(default_factory=list)  # functions, scripts, and "for" of loops
    left: str = ""
    target: int = 0
    branches: int = 0
    status: bool | None = None
    turns: int = 0
    commands: int = 0
    depth: int = 0
    told: list[str] = field(default_factory=list)

    def meet(self, ways: Sequence[Mapping[str, list[Command]]]) -> None:
        """Functions of ways that come together: what differs may be any, or none."""
        first, *others = ways
        found = dict(first)
        for other in others:
            for name in {*found, *other}:
                if found.get(name) != other.get(name):
                    choices = [*found.get(name, []), *other.get(name, [])]
                    if name not in found or name not in other:
                        choices.append(Braces("", [], Redirections()))
                    found[name] = [
                        each for i, each in enumerate(choices) if each not in choices[:i]
                    ]
        self.functions = found

    def leave(self, kind: str, count: int = 1) -> bool:
        """count: of loops. Whether there is something to leave."""
        loops = 0
        while loops < len(self.running) and self.running[-1 - loops] == "for":
            loops += 1
        is_loop = kind in ("break", "continue")
        if (is_loop and loops == 0) or (kind == "return" and loops == len(self.running)):
            return False
        self.left = kind
        self.target = len(self.running) - (min(max(count, 1), loops) if is_loop else loops + 1)
        return True

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

    def tell_of(self, at: str, variables: Variables) -> None:
        """Keys of `declare -A`, which each shell has in an order of its own, and values of what is
        `readonly`, at which some shells end and others leave out the rest of the line.
        """
        for name in sorted(variables.in_order):
            sentence = f"elements of '{name}' are gone over as they were given; a shell has another"
            self.tell_once(at, f"{sentence} order")
        for name in sorted(variables.refused):
            self.tell_once(at, f"'{name}' is readonly: a shell gives it no other value and may end")
        variables.in_order.clear()
        variables.refused.clear()

    def tell_once(self, at: str, sentence: str) -> None:
        if not any(sentence in each for each in self.told):
            self.told.append(f"{at}: {sentence}")

    def _is_within(self, number: int, most: int, at: str, what: str) -> bool:
        if number > most and not any(what in each for each in self.told):
            self.told.append(f"{at}: the script has {what}: what these write is not counted")
        return number <= most
