# SPDX-License-Identifier: Apache-2.0
"""Pass: which values are written past the caches, because memory is not asked for them again.

A store into the cache first reads what it replaces. A row that is written whole need not be read.
Where levels of a point follow each other, later loops of its sweep read the row instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.dsl import ir
from thalweg.dsl.passes.sweeps import Accumulate, LevelLoop, Plan, Step, Sweep, reads

WHOLE = ir.LevelAt("first", 0), ir.LevelAt("last", 1)


@dataclass(frozen=True)
class Row:
    """What values are collected in before they are written. If it `is_read` it has the levels that
    are not set, too. It is written if it `is_whole` after its step: not before the last of those
    that set its pieces.
    """

    name: str
    is_read: bool = False
    is_whole: bool = True


def streamed(kernel: ir.KernelIR, plan: Plan, *, by_points: bool) -> dict[Step, Row]:
    """`by_points`: the levels of a point follow each other."""
    loops = [(sweep, loop) for sweep in plan.sweeps for loop in sweep.parts]
    read = {each.name for each in reads([step for _, loop in loops for step in loop.steps])}
    pieces: dict[_Target, list[tuple[Step, LevelLoop]]] = {}
    for _, loop in loops:
        for step in loop.steps:
            if step.name in kernel.arguments:
                target = _target(step, kernel.arguments[step.name])
                pieces.setdefault(target, []).append((step, loop))
    names = _names(list(pieces), {*kernel.arguments, *plan.locals})
    found = {}
    for sweep, loop in loops:
        for step in loop.steps:
            argument = kernel.arguments.get(step.name)
            if not (sweep.place and argument):
                continue
            target = _target(step, argument)
            name, all_of_it = names[target], pieces[target]
            is_one = len(all_of_it) == 1 and _is_row(step, loop, argument)
            if is_one and step.name not in read and _is_whole([_levels_of(step, loop)]):
                found[step] = Row(name)
            elif not by_points:
                continue
            elif is_one and step.name in read and _serves_all(plan, sweep, loop, step, argument):
                found[step] = Row(name, is_read=True)
            elif not is_one and step.name not in read and _fit(sweep, all_of_it, argument):
                found[step] = Row(name, is_whole=step is all_of_it[-1][0])
    return found


_Target = tuple[str, tuple[str, ...]]


def _target(step: Step, argument: ir.Variable) -> _Target:
    """What it sets, and the names of slots, in the order in which they lie."""
    slots = ir.own_slots(step.slots, argument.type)
    return step.name, tuple(slot.axis.names[slot.index] for slot in slots)


def _names(targets: list[_Target], taken: set[str]) -> dict[_Target, str]:
    """Of their rows."""
    found: dict[_Target, str] = {}
    for name, slots in targets:
        row = "_".join([name, *slots, "row"])
        while {row, f"{row}_room"} & taken or row in found.values():
            row += "_"
        found[name, slots] = row
    return found


def _is_row(step: Step, loop: LevelLoop, argument: ir.Variable) -> bool:
    return (
        loop.levels is not None
        and loop.levels.axis == argument.type.level  # else its last is another one
        and loop.levels.order == "any"
        and loop.group is None
        and not isinstance(step, Accumulate)
        and step.level == ir.LevelAt(loop.name, 0)
    )


def _levels_of(step: Step, loop: LevelLoop) -> tuple[ir.LevelAt, ir.LevelAt]:
    """Levels that it sets: the first, and that after the last."""
    if loop.levels is not None:
        return loop.levels.begin, loop.levels.end
    assert step.level is not None
    return step.level, ir.LevelAt(step.level.base, step.level.shift + 1)


def _is_whole(pieces: list[tuple[ir.LevelAt, ir.LevelAt]]) -> bool:
    """Does one begin where another ends, from the first level to the last?"""
    at, end = WHOLE
    for _ in pieces:
        at = next((to for begin, to in pieces if begin == at), at)
    return at == end


def _fit(sweep: Sweep, pieces: list[tuple[Step, LevelLoop]], argument: ir.Variable) -> bool:
    """Do they make a row together, within `sweep`?"""
    for step, loop in pieces:
        is_level = (
            loop.levels is None
            and loop.group is None
            and step.level is not None
            and step.level.base in ("first", "last")
            and not isinstance(step, Accumulate)
        )
        if loop not in sweep.loops or not (is_level or _is_row(step, loop, argument)):
            return False
    return _is_whole([_levels_of(step, loop) for step, loop in pieces])


def _serves_all(
    plan: Plan, sweep: Sweep, loop: LevelLoop, step: Step, argument: ir.Variable
) -> bool:
    """Is what the step sets read by later loops of its sweep alone, at the point itself?"""
    later = sweep.loops[sweep.loops.index(loop) + 1 :]
    for each in (loop for one in plan.sweeps for loop in one.loops):
        for value in reads(each.steps):
            if value.name != step.name:
                continue
            if each not in later or argument.type.axes or ir.steps_of(value, argument.type):
                return False
    return True
