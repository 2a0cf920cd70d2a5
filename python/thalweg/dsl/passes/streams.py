# SPDX-License-Identifier: Apache-2.0
"""Pass: which values are written past the caches, because the kernel does not read them again.

A store into the cache first reads what it replaces. A row that is written whole need not be read.
"""

from __future__ import annotations

from thalweg.dsl import ir
from thalweg.dsl.passes.sweeps import Accumulate, LevelLoop, Plan, Step, reads

WHOLE = ir.LevelAt("first", 0), ir.LevelAt("last", 1)


def streamed(kernel: ir.KernelIR, plan: Plan) -> dict[Step, str]:
    """Statement: name of the row that its values are collected in before they are written."""
    loops = [(sweep, loop) for sweep in plan.sweeps for loop in sweep.loops]
    steps = [step for _, loop in loops for step in loop.steps]
    read = {each.name for each in reads(steps)}
    found = {}
    for sweep, loop in loops:
        for step in loop.steps:
            argument = kernel.arguments.get(step.name)
            once = [_target(each) for each in steps].count(_target(step)) == 1
            if sweep.place and argument and step.name not in read and once and _is_row(step, loop):
                slots = [slot.axis.names[slot.index] for slot in step.slots]
                found[step] = "_".join([step.name, *slots, "row"])
    return found


def _target(step: Step) -> tuple[object, ...]:
    return step.name, tuple((slot.axis, slot.index) for slot in step.slots)


def _is_row(step: Step, loop: LevelLoop) -> bool:
    levels = loop.levels
    return (
        levels is not None
        and levels.order == "any"
        and (levels.begin, levels.end) == WHOLE
        and loop.group is None
        and not isinstance(step, Accumulate)
        and step.level == ir.LevelAt(loop.name, 0)
    )
