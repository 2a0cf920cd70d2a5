# SPDX-License-Identifier: Apache-2.0
"""Pass: which values travel between ranks, and between which sweeps they are on their way.

A rank computes its own points alone. What a sweep reads at neighbours and was set since it last
travelled is stale beyond them. As much as possible travels at once, and as early as it is known, so
that sweeps which need none of it, and points whose neighbours are all own ones, are done meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.dsl import ir
from thalweg.dsl.grid import Group, Relation
from thalweg.dsl.passes.sweeps import Plan, Sweep, reads
from thalweg.errors import ThalwegError

Step = tuple[Relation, int | None]  # to the neighbour of a number, or to all of them
Way = tuple[Step, ...]  # from a point to the one whose value is read


@dataclass(frozen=True)
class Exchange:
    """names: what travels, in one message to each neighbour

    given   of these, arguments that the kernel has not set before: they may be current already
    begin   number of the sweep before which values can leave
    needed  number of the sweep that reads them at neighbours
    """

    names: tuple[str, ...]
    given: frozenset[str]
    begin: int
    needed: int


@dataclass(frozen=True)
class Schedule:
    """changed: arguments that were set after they last travelled, if they did"""

    exchanges: tuple[Exchange, ...]
    changed: tuple[str, ...]


def find_exchanges(kernel: ir.KernelIR, plan: Plan) -> Schedule:
    """Raises a sentence for a kernel whose groups may have points of other ranks."""
    for each in ir.walk(kernel.body):
        if isinstance(each, ir.Reduce) and isinstance(each.over, Group):
            raise ThalwegError(
                f"{each.spot.file}:{each.spot.line}: kernel '{kernel.name}' goes over groups, whose"
                " points may be those of other ranks; ranks exchange values of neighbours only"
            )
    ways = [ways_of(kernel, plan, sweep) for sweep in plan.sweeps]
    sets = [_set_in(sweep) for sweep in plan.sweeps]
    stale = {name for name, each in kernel.arguments.items() if each.type.place}
    last_set: dict[str, int] = {}  # name: number of a sweep
    found: list[Exchange] = []
    for number, needed in enumerate(ways):
        if stale & needed.keys():
            names = _together(stale, ways, sets, number)
            begin = max(last_set.get(name, -1) + 1 for name in names)
            if found:
                begin = max(begin, found[-1].needed + 1)
            given = frozenset(name for name in names if name not in last_set)
            found.append(Exchange(tuple(names), given, begin, number))
            stale -= set(names)
        last_set.update(dict.fromkeys(sets[number], number))
        stale |= sets[number]
    changed = [name for name in kernel.arguments if name in last_set and name in stale]
    return Schedule(tuple(found), tuple(changed))


def ways_of(kernel: ir.KernelIR, plan: Plan, sweep: Sweep) -> dict[str, list[Way]]:
    """What a sweep reads at neighbours: through which relations."""
    found: dict[str, list[Way]] = {}
    steps = [step for loop in sweep.loops for step in loop.steps]
    for each in reads(steps):
        variable = kernel.arguments.get(each.name) or plan.locals[each.name]
        relations = tuple(
            (slot.axis, None if slot.name else slot.index)
            for slot in reversed(ir.steps_of(each, variable.type))
            if isinstance(slot.axis, Relation)
        )
        if variable.type.place and relations and relations not in found.setdefault(each.name, []):
            found[each.name].append(relations)
    return {name: ways for name, ways in found.items() if ways}


def _together(
    stale: set[str], ways: list[dict[str, list[Way]]], sets: list[set[str]], number: int
) -> list[str]:
    """What sweep `number` needs, and what later ones need of what is known by then."""
    open_, found = set(stale), []
    for needed, set_ in zip(ways[number:], sets[number:], strict=True):
        found += [name for name in needed if name in open_]
        open_ -= needed.keys() | set_
    return found


def _set_in(sweep: Sweep) -> set[str]:
    return {step.name for loop in sweep.loops for step in loop.steps}
