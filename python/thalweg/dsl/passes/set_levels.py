# SPDX-License-Identifier: Apache-2.0
"""Pass: what is read of a local value, or of an `Out`, has been set before: each level and slot.

Another one would be NaN, or whatever lay in memory, as of the point before. Statements are followed
on columns of every length up to one in which all shifts of the kernel lie apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from thalweg.dsl import ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.problem import KernelError

Key = tuple[str, tuple[int, ...], int]  # name, one of each axis of its own, level
Numbers = Mapping[str, int]  # the level that the name of a loop stands for


def least_levels_set(kernel: ir.KernelIR, least: int) -> int:
    """From how many levels on, `least` or more, nothing is read that was not set. After `levels`,
    which refuses large shifts. Raises KernelError where no column is long enough.
    """
    longest = max(4 * max(_shifts(kernel), default=0) + 4, least)
    _Column(kernel, longest).follow()
    shorter = range(longest - 1, least - 1, -1)
    return next((levels + 1 for levels in shorter if not _is_long_enough(kernel, levels)), least)


def _is_long_enough(kernel: ir.KernelIR, levels: int) -> bool:
    try:
        _Column(kernel, levels).follow()
    except KernelError:
        return False
    return True


class _Column:
    def __init__(self, kernel: ir.KernelIR, levels: int) -> None:
        self.levels = levels
        self.variables = kernel.variables
        self.body = kernel.body
        self.set: set[Key] = set()

    def follow(self) -> None:
        for statement in self.body:
            if not isinstance(statement, ir.ForLevels):
                self._assign(statement, [{}])
                continue
            name = statement.name
            at = [{name: k} for k in self._range(statement.levels)]
            if statement.levels.order == "any":
                for assign in statement.body:
                    self._assign(assign, at)
                continue
            for one, assign in itertools.product(at, statement.body):
                self._assign(assign, [one])

    def _assign(self, assign: ir.Assign, at: list[dict[str, int]]) -> None:
        """At each of these levels at a time: none needs what another one sets."""
        for numbers in at:
            self._look(assign.value, numbers)
        kind = self.variables[assign.name].type
        for numbers in at:
            self.set.update(self._keys(assign.name, kind, assign.slots, assign.level, numbers))

    def _look(self, value: ir.Expression, numbers: Numbers) -> None:
        if isinstance(value, ir.Apply):
            for each in value.args:
                self._look(each, numbers)
        elif isinstance(value, ir.Reduce):
            if not isinstance(value.over, ir.LevelRange):
                self._look(value.body, numbers)
                return
            for k in self._range(value.over):
                self._look(value.body, {value.name: k, **numbers})
        elif isinstance(value, ir.Read):
            self._read(value, numbers)

    def _read(self, read: ir.Read, numbers: Numbers) -> None:
        kind = self.variables[read.name].type
        if kind.role not in ("local", "out"):
            return
        for key in self._keys(read.name, kind, read.slots, read.level, numbers):
            if key in self.set:
                continue
            raise KernelError(
                read.spot,
                f"'{read.name}' is read{self._where(key, kind)}, which is not set before",
                "what no statement sets is no number"
                if kind.role == "local"
                else "values of an 'Out' that no statement sets are whatever lay in memory",
                "set it, too, or read fewer levels, as in Level[1:]"
                if kind.level
                else "set it, too",
            )

    def _keys(
        self,
        name: str,
        kind: ArgumentType,
        slots: tuple[ir.Slot, ...],
        level: ir.LevelAt | None,
        numbers: Numbers,
    ) -> Iterator[Key]:
        own = [
            range(slot.axis.length) if slot.name else (slot.index,)
            for slot in ir.own_slots(slots, kind)
        ]
        for which in itertools.product(*own):
            for k in self._levels(kind, level, numbers):
                yield name, which, k

    def _levels(self, kind: ArgumentType, level: ir.LevelAt | None, numbers: Numbers) -> range:
        if kind.level is None:
            return range(1)
        size = self.levels + kind.level.extra
        if level is None and not numbers:
            return range(size)
        if level is None:
            k = next(iter(numbers.values()))  # of the loop inside of all
        elif level.base == "last":
            k = size - 1 + level.shift
        else:
            k = numbers.get(level.base, 0) + level.shift
        return range(k, k + 1)

    def _range(self, levels: ir.LevelRange) -> list[int]:
        size = self.levels + levels.axis.extra
        begin, end = (
            at.shift + (size - 1 if at.base == "last" else 0) for at in (levels.begin, levels.end)
        )
        found = list(range(begin, end))
        return found[::-1] if levels.order == "downward" else found

    def _where(self, key: Key, kind: ArgumentType) -> str:
        slots = "".join(
            f"{', ' if i else ' in '}{axis.name}.{axis.names[key[1][i]]}"
            for i, axis in enumerate(kind.axes)
        )
        return f"{slots} at its {self._level_name(key[2], kind)} level" if kind.level else slots

    def _level_name(self, k: int, kind: ArgumentType) -> str:
        last = self.levels - 1 + (kind.level.extra if kind.level else 0)
        if k in (0, last):
            return "first" if k == 0 else "last"
        return f"{k + 1}." if k < self.levels // 2 else f"last but {last - k}"


def _shifts(kernel: ir.KernelIR) -> Iterator[int]:
    ranges = [each.levels for each in kernel.body if isinstance(each, ir.ForLevels)]
    at = [each.level for one in kernel.body for each in ir.assigns_of(one)]
    for each in ir.walk(kernel.body):
        if isinstance(each, ir.Read):
            at.append(each.level)
        elif isinstance(each, ir.Reduce) and isinstance(each.over, ir.LevelRange):
            ranges.append(each.over)
    at += [end for levels in ranges for end in (levels.begin, levels.end)]
    return (abs(each.shift) for each in at if each is not None)
