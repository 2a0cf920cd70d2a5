# SPDX-License-Identifier: Apache-2.0
"""Pass: which local values of a column have to be cleared at each point.

A level that is never set is NaN. Room for a column is used again at the next point, so it has to be
cleared, unless what is read there was set at this point, or is set at none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from thalweg.dsl import ir
from thalweg.dsl.passes.sweeps import Accumulate, LevelLoop, Step, Sweep, reads

Slots = tuple[int, ...]


def must_be_cleared(sweep: Sweep, name: str) -> bool:
    """Whether a value of an earlier point might be read in place of NaN."""
    return any(
        _is_left_over(sweep, name, slots) and not _is_set_before_read(sweep, name, slots)
        for slots in _slots_set(sweep, name)
    )


def is_whole(sweep: Sweep, name: str) -> bool:
    """Whether the sweep sets every level and slot of a local value, each before it is read."""
    return _sets_all_levels(sweep, name) and not must_be_cleared(sweep, name)


def _sets_all_levels(sweep: Sweep, name: str) -> bool:
    """Whether local `name` has every level, and every slot, once `sweep` has set it."""
    slots: set[tuple[int, ...]] = set()
    wanted = 1
    for loop in sweep.loops:
        levels = loop.levels
        if levels and (levels.begin, levels.end) != (ir.LevelAt("first", 0), ir.LevelAt("last", 1)):
            continue
        for step in loop.steps:
            if step.name == name and step.level in (None, ir.LevelAt(loop.name, 0)):
                slots.add(tuple(slot.index for slot in step.slots))
                wanted = math.prod(slot.axis.length for slot in step.slots)
    return len(slots) == wanted


def _slots_set(sweep: Sweep, name: str) -> set[Slots]:
    return {_slots(step) for loop in sweep.loops for step in loop.steps if step.name == name}


def _slots(step: Step) -> Slots:
    return tuple(slot.index for slot in step.slots)


def _is_left_over(sweep: Sweep, name: str, slots: Slots) -> bool:
    first: LevelLoop | None = None
    for loop in sweep.loops:
        setters = [step for step in loop.steps if (step.name, _slots(step)) == (name, slots)]
        if first is None:
            if any(_reads(step, name) for step in _before(loop, setters)):
                return True
            if not setters:
                continue
            first = loop
            if not all(_sets_its_level(step, loop) for step in setters):
                return True
            if any(_looks_ahead(read, loop) for step in loop.steps for read in _reads(step, name)):
                return True
        elif any(not _within(loop, first, step) for step in setters):
            return True
    return False


def _is_set_before_read(sweep: Sweep, name: str, slots: Slots) -> bool:
    """Whether free loops up to the last level, and levels below theirs one by one, set all levels
    before the first loop that reads any.
    """
    rest: int | None = None  # levels from this one on are set
    alone: set[int] = set()
    axes = {loop.levels.axis for loop in sweep.loops if loop.levels and _sets(loop, name)}
    if len(axes) != 1:
        return False
    for loop in sweep.loops:
        if any(_reads(step, name) for step in loop.steps):
            return rest is not None and alone >= set(range(rest))
        for step in loop.steps:
            if (step.name, _slots(step)) != (name, slots):
                continue
            if isinstance(step, Accumulate) or step.points != sweep.points:
                return False
            if loop.levels is None and step.level and step.level.base == "first":
                alone.add(step.level.shift)
            elif loop.levels and _goes_on_to_the_last(loop) and _sets_its_level(step, loop):
                begin = loop.levels.begin.shift
                rest = begin if rest is None else min(rest, begin)
    return False


def _sets(loop: LevelLoop, name: str) -> bool:
    return any(step.name == name for step in loop.steps)


def _goes_on_to_the_last(loop: LevelLoop) -> bool:
    levels = loop.levels
    return levels is not None and (
        levels.begin.base == "first" and levels.end == ir.LevelAt("last", 1)
    )


def _before(loop: LevelLoop, setters: list[Step]) -> Iterator[Step]:
    """Steps of the loop before the value is set; all of them where it is not."""
    for step in loop.steps:
        if step in setters:
            if not isinstance(step, Accumulate):
                yield step  # its own value is read first
            return
        yield step


def _reads(step: Step, name: str) -> list[ir.Read]:
    return [each for each in reads([step]) if each.name == name]


def _sets_its_level(step: Step, loop: LevelLoop) -> bool:
    here = None if loop.levels is None else ir.LevelAt(loop.name, 0)
    whole = not isinstance(step, Accumulate) or loop.group is not None
    return whole and step.level == here


def _looks_ahead(read: ir.Read, loop: LevelLoop) -> bool:
    """In the loop that sets it first: at a level that this loop has not come to."""
    if loop.levels is None:
        return read.level is not None
    if read.level is None or read.level.base != loop.name:
        return True
    shift = -read.level.shift if loop.levels.order == "downward" else read.level.shift
    return shift > 0 if loop.levels.order != "any" else shift != 0


def _within(loop: LevelLoop, first: LevelLoop, step: Step) -> bool:
    """Whether `step` sets no level but those that the first loop has set."""
    if first.levels is None or loop.levels is None:
        return first.levels is loop.levels and step.level is None
    whole = ir.LevelAt("first", 0), ir.LevelAt("last", 1)
    range_ = loop.levels.begin, loop.levels.end
    there = first.levels.begin, first.levels.end
    return _sets_its_level(step, loop) and there in (range_, whole)
