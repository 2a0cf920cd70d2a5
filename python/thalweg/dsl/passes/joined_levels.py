# SPDX-License-Identifier: Apache-2.0
"""Pass: loops over levels that become one where points are innermost.

There a loop over levels is in order anyway, and each goes through the values of a whole block of
points: what one loop sets and the next one reads has left the first cache between them. Loops are
joined where every level of each finds what it needs: what has been set so far, and nothing that a
later level of an earlier loop still has to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from thalweg.dsl import ir
from thalweg.dsl.passes.sweeps import (
    Accumulate,
    LevelLoop,
    Plan,
    Sweep,
    is_set_first,
    kept_in_one_loop,
    reads,
    renamed,
    uses_of,
)


def joined(plan: Plan) -> Plan:
    """Loops of several parts go over the levels that all parts have."""
    sweeps = [replace(sweep, loops=_joined(sweep)) for sweep in plan.sweeps]
    uses = uses_of(sweeps)
    values = {
        name: "scalar"
        for sweep in sweeps
        for loop in sweep.loops
        for name, alone in _alone(loop).items()
        if plan.kept.get(name) == "column"
        if kept_in_one_loop(plan.locals[name], uses[name])
        if all(_sets_what_it_reads(part, plan.locals[name]) for part in alone)
    }
    return replace(plan, sweeps=sweeps, kept=plan.kept | values)


def _alone(loop: LevelLoop) -> dict[str, list[LevelLoop]]:
    """Of each name that the loop uses, the parts that do at levels that not all parts have."""
    found: dict[str, list[LevelLoop]] = {name: [] for name in _used_by(loop)}
    for part in loop.parts:
        if _ends(part) != _ends(loop):
            for name in _used_by(part):
                found[name].append(part)
    return found


def _sets_what_it_reads(part: LevelLoop, variable: ir.Variable) -> bool:
    """No other part has to be at work at the same level."""
    if variable.type.axes:
        return is_set_first(variable, part)
    for step in part.steps:
        if any(each.name == variable.name for each in reads([step])):
            return False
        if step.name == variable.name:
            return True
    return True


def _used_by(loop: LevelLoop) -> set[str]:
    return {each.name for each in (*loop.steps, *reads(loop.steps))}


def _joined(sweep: Sweep) -> list[LevelLoop]:
    if not sweep.place:
        return sweep.loops
    found: list[_Together] = []
    for loop in sweep.loops:
        if not (found and found[-1].takes(loop)):
            found.append(_Together(loop))
    return [each.loop() for each in found]


class _Together:
    """Loops that become one, as long as they can."""

    def __init__(self, first: LevelLoop) -> None:
        self.parts, self.can_grow = [first], _may_be_part(first)
        self.order = first.levels.order if first.levels else "any"
        self.used = _Used()
        self.used.add(first)

    def takes(self, loop: LevelLoop) -> bool:
        """Whether the loop can be part of these; it is one of them then."""
        if not (self.can_grow and _may_be_part(loop)):
            return False
        name, levels = self.parts[0].name, loop.levels
        assert levels is not None
        loop = replace(loop, name=name, steps=renamed(loop, name))
        orders = {self.order, levels.order} - {"any"}
        if len(orders) > 1:
            return False
        order = next(iter(orders), "any")
        # Levels without an order go upward: if this one turns them, those before have to fit again.
        turns = order == "downward" and self.order == "any"
        used, new = (_Used(), [*self.parts, loop]) if turns else (self.used, [loop])
        for part in new:
            if not used.fits(part, -1 if order == "downward" else 1):
                return False
            used.add(part)
        self.parts.append(loop)
        self.used, self.order = used, order
        return True

    def loop(self) -> LevelLoop:
        if len(self.parts) == 1:
            return self.parts[0]
        first = self.parts[0]
        begin = max(_ends(part)[0] for part in self.parts)
        last = min(self.parts, key=lambda part: _ends(part)[1]).levels
        assert last is not None
        order = "upward" if self.order == "any" else self.order
        levels = ir.LevelRange(last.axis, ir.LevelAt("first", begin), last.end, order)
        steps = [step for part in self.parts for step in part.steps]
        return LevelLoop(first.name, levels, steps, parts=self.parts)


class _Used:
    """How far from the level of their loop names are set and read; None: a level by itself."""

    def __init__(self) -> None:
        self.set: dict[str, set[int | None]] = {}
        self.read: dict[str, set[int | None]] = {}

    def add(self, loop: LevelLoop) -> None:
        for name, shift, is_set in _uses(loop):
            (self.set if is_set else self.read).setdefault(name, set()).add(shift)

    def fits(self, loop: LevelLoop, sign: int) -> bool:
        """Whether `loop` may come to a level before those that are here come to the next one."""
        for name, late, sets in _uses(loop):
            # Of one level, what comes first there has to come at the same level or before it.
            for early in self.set.get(name, set()) | (
                self.read.get(name, set()) if sets else set()
            ):
                if early is None or late is None or sign * (late - early) > 0:
                    return False
        return True


def _may_be_part(loop: LevelLoop) -> bool:
    """From so many levels above the first to so many below the last, at a level of its own."""
    levels = loop.levels
    if levels is None or loop.group or (levels.begin.base, levels.end.base) != ("first", "last"):
        return False
    if any(isinstance(step, Accumulate) for step in loop.steps):
        return False
    set_ = {step.name for step in loop.steps}
    own = {(name, shift) for name, shift, _ in _uses(loop) if name in set_}
    if levels.order == "any" and len(own) > len(set_):
        return False
    return all(shift is not None for _, shift in own)


def _ends(loop: LevelLoop) -> tuple[int, int]:
    """Above the first level, and above the last one of a column's layers."""
    assert loop.levels is not None
    return loop.levels.begin.shift, loop.levels.end.shift + loop.levels.axis.extra


def _uses(loop: LevelLoop) -> Iterator[tuple[str, int | None, bool]]:
    """Name, how far from the level of the loop (None: a level by itself, or none), is it set?"""
    for is_set, uses in ((True, loop.steps), (False, reads(loop.steps))):
        for each in uses:
            at = each.level
            yield each.name, at.shift if at and at.base == loop.name else None, is_set
