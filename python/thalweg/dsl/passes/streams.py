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
    are not set, too.
    """

    name: str
    is_read: bool = False


def streamed(kernel: ir.KernelIR, plan: Plan, *, by_points: bool) -> dict[Step, Row]:
    """`by_points`: the levels of a point follow each other."""
    loops = [(sweep, loop) for sweep in plan.sweeps for loop in sweep.loops]
    steps = [step for _, loop in loops for step in loop.steps]
    read = {each.name for each in reads(steps)}
    found = {}
    for sweep, loop in loops:
        for step in loop.steps:
            argument = kernel.arguments.get(step.name)
            once = [_target(each) for each in steps].count(_target(step)) == 1
            if not (sweep.place and argument and once and _is_row(step, loop)):
                continue
            slots = [slot.axis.names[slot.index] for slot in step.slots]
            name = "_".join([step.name, *slots, "row"])
            if step.name not in read and _is_whole(loop):
                found[step] = Row(name)
            elif by_points and step.name in read and _serves_all(plan, sweep, loop, step, argument):
                found[step] = Row(name, is_read=True)
    return found


def _target(step: Step) -> tuple[object, ...]:
    return step.name, tuple((slot.axis, slot.index) for slot in step.slots)


def _is_row(step: Step, loop: LevelLoop) -> bool:
    return (
        loop.levels is not None
        and loop.levels.order == "any"
        and loop.group is None
        and not isinstance(step, Accumulate)
        and step.level == ir.LevelAt(loop.name, 0)
    )


def _is_whole(loop: LevelLoop) -> bool:
    return loop.levels is not None and (loop.levels.begin, loop.levels.end) == WHOLE


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
