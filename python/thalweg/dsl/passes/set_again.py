# SPDX-License-Identifier: Apache-2.0
"""Pass: whether a loop has to do its statements in order, for the sake of what it sets.

A compiler may take a loop that sets several values apart, with each piece before those that need
it. GCC 12.2 gets that wrong where the order hangs on what is set, and it does not know whether two
places lie apart: what was added to a value, say, is cleared afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from thalweg.dsl import ir
from thalweg.dsl.passes.sweeps import Accumulate, LevelLoop, Plan, Step, Sweep, reads


@dataclass(frozen=True)
class _Use:
    """Of a place in memory, by statement `number` of a loop. What is read into a local value of one
    point and level is read for each `piece`, a statement that sets memory, which needs that.
    """

    number: int
    piece: int
    is_set: bool
    name: str
    slots: tuple[ir.Slot, ...]
    level: ir.LevelAt | None

    def is_at(self, other: _Use) -> bool:
        return (self.name, self.slots, self.level) == (other.name, other.slots, other.level)

    def may_meet(self, other: _Use) -> bool:
        """Not at two of the first levels, nor of the last ones, or one of each."""
        if self.name != other.name or not _same_slots(self.slots, other.slots):
            return False
        bases = {each.level.base for each in (self, other) if each.level}
        return self.level == other.level or not bases <= {"first", "last"}


def sets_again(plan: Plan, others: Collection[str] = ()) -> bool:
    """`others`: arguments of which the code does not say that they lie apart, as it does of those
    with `__restrict`, and does not of local values.
    """
    rooms = {name for name, how in plan.kept.items() if how in ("field", "column")} | {*others}
    return any(
        _has_order(uses, rooms) and _is_unclear(uses, rooms)
        for sweep in plan.sweeps
        for uses in _loops(sweep, plan, rooms)
    )


def _loops(sweep: Sweep, plan: Plan, rooms: Collection[str]) -> Iterator[list[_Use]]:
    """What each innermost loop uses. That is the one over points where none goes over levels, or
    only over a few that a compiler writes one after the other.
    """
    is_one = all(_is_short(loop) for loop in sweep.loops)
    for loops in [sweep.loops] if is_one else [[loop] for loop in sweep.loops]:
        yield _uses([step for loop in loops for step in loop.steps], plan, rooms)


def _uses(steps: list[Step], plan: Plan, rooms: Collection[str]) -> list[_Use]:
    """Each once, without those of arrays that nothing sets here."""
    counted = {step.name for step in steps} | {*rooms}
    found: dict[_Use, None] = {}
    of_locals: dict[tuple[str, tuple[ir.Slot, ...]], dict[_Use, None]] = {}
    for number, step in enumerate(steps):
        read: dict[_Use, None] = {}
        for each in reads([step]):
            if plan.kept.get(each.name) == "scalar":
                for (name, slots), uses in of_locals.items():
                    read |= uses if name == each.name and _same_slots(slots, each.slots) else {}
            elif each.name in counted:
                read[_Use(number, number, False, each.name, each.slots, each.level)] = None
        if plan.kept.get(step.name) == "scalar":
            before = of_locals.get((step.name, step.slots), {})
            is_more = isinstance(step, Accumulate)
            of_locals[step.name, step.slots] = before | read if is_more else read
        else:
            found |= {replace(use, piece=number): None for use in read}
            found[_Use(number, number, True, step.name, step.slots, step.level)] = None
    return list(found)


def _is_short(loop: LevelLoop) -> bool:
    return loop.levels is None or loop.levels.begin.base == loop.levels.end.base


def _same_slots(first: tuple[ir.Slot, ...], second: tuple[ir.Slot, ...]) -> bool:
    """Those of a loop over an axis stand for each of it."""
    return any(slot.name for slot in (*first, *second)) or first == second


def _has_order(uses: list[_Use], rooms: Collection[str]) -> bool:
    """Does a statement have to come after another one that sets what it uses, or the reverse?"""
    return any(
        early.number < late.number
        and early.piece != late.piece
        and (early.is_set or late.is_set)
        and early.may_meet(late)
        and not _is_known(early, late, uses, rooms)
        for early in uses
        for late in uses
    )


def _is_known(early: _Use, late: _Use, uses: list[_Use], rooms: Collection[str]) -> bool:
    """A value that was just set is read from no memory: nothing between may have changed it."""
    return (
        early.is_set
        and not late.is_set
        and early.is_at(late)
        and not any(
            each.is_set and early.number < each.number < late.number and _may_be(early, each, rooms)
            for each in uses
        )
    )


def _is_unclear(uses: list[_Use], rooms: Collection[str]) -> bool:
    """Are there two places that may be one, as far as a compiler sees?"""
    return any(_may_be(first, second, rooms) for first in uses if first.is_set for second in uses)


def _may_be(first: _Use, second: _Use, rooms: Collection[str]) -> bool:
    if first.name == second.name:
        return not first.is_at(second)
    return first.name in rooms and second.name in rooms
