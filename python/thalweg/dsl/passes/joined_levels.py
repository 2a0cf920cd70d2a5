# SPDX-License-Identifier: Apache-2.0
"""Pass: loops over levels that become one where points are innermost.

There a loop over levels is in order anyway, and each goes through the values of a whole block of
points: what one loop sets and the next one reads has left the first cache between them. Loops are
joined where every level of each finds what it needs: what has been set so far, and nothing that a
later level of an earlier loop still has to read.
"""

from __future__ import annotations

import itertools
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
        for name in _used_by(loop)
        if plan.kept.get(name) == "column"
        if kept_in_one_loop(plan.locals[name], uses[name])
        if all(_sets_what_it_reads(part, plan.locals[name]) for part in _alone(loop, name))
    }
    return replace(plan, sweeps=sweeps, kept=plan.kept | values)


def _alone(loop: LevelLoop, name: str) -> list[LevelLoop]:
    """Parts that use a value at levels that not all parts have."""
    some = [part for part in loop.parts if _ends(part) != _ends(loop)]
    return [part for part in some if name in _used_by(part)]


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
    found: list[LevelLoop] = []
    for loop in sweep.loops:
        together = _join(found[-1], loop) if found and sweep.place else None
        if together:
            found[-1] = together
        else:
            found.append(loop)
    return found


def _join(first: LevelLoop, second: LevelLoop) -> LevelLoop | None:
    parts = first.parts or [first]
    if not all(_may_be_part(each) for each in (*parts, second)):
        return None
    second = replace(second, name=first.name, steps=renamed(second, first.name))
    orders = {each.levels.order for each in (*parts, second) if each.levels}
    directions = orders - {"any"} or {"upward"}
    parts = [*parts, second]
    pairs = itertools.combinations(parts, 2)  # those before, too: the direction may be another one
    if len(directions) > 1 or not all(_fit(*pair, directions) for pair in pairs):
        return None
    (order,) = directions
    begin = max(_ends(part)[0] for part in parts)
    last = min(parts, key=lambda part: _ends(part)[1]).levels
    assert last is not None
    levels = ir.LevelRange(last.axis, ir.LevelAt("first", begin), last.end, order)
    steps = [step for part in parts for step in part.steps]
    return LevelLoop(first.name, levels, steps, parts=parts)


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


def _fit(first: LevelLoop, second: LevelLoop, directions: set[str]) -> bool:
    """Whether `second` may come to a level before `first` comes to the next one."""
    sign = -1 if "downward" in directions else 1
    for name, early, sets in _uses(first):
        for other, late, sets_too in _uses(second):
            if other != name or not (sets or sets_too):
                continue
            # Of one level, what `first` does has to come at the same level or before it.
            if early is None or late is None or sign * (late - early) > 0:
                return False
    return True
