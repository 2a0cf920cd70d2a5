# SPDX-License-Identifier: Apache-2.0
"""Pass: how far beyond its own points a rank needs the values of others, and when they are stale.

A point is n steps away if n tables of neighbours lead there from own points. Statements that are
done n steps beyond a rank's own points need what they read through s tables n + s steps away. So a
rank may compute what it needs of others' points itself, with a deeper halo, or every statement is
done at own points alone, and what has been set since it was exchanged is exchanged again before it
is read elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.dsl import ir
from thalweg.dsl.grid import Group

Steps = dict[str, int]


@dataclass(frozen=True)
class Halos:
    """Of arguments and statements that none is named for, nothing beyond own points is needed.

    alone      argument: steps to which it is valid at the call, if nothing is exchanged within it
    beyond     number of a statement: steps beyond own points that it is done for that
    exchanged  argument: steps to which it is valid at the call, if statements exchange
    exchanges  number of a statement: what is exchanged before it then, and to how many steps
    reduced    number of a statement: it goes over groups, whose points may be those of other ranks
    """

    alone: Steps
    beyond: dict[int, int]
    exchanged: Steps
    exchanges: dict[int, Steps]
    reduced: tuple[int, ...]


def find_halos(kernel: ir.KernelIR) -> Halos:
    alone, beyond = _without_exchanges(kernel)
    exchanged, exchanges = _with_exchanges(kernel)
    reduced = [
        number
        for number, statement in enumerate(kernel.body)
        if any(isinstance(each, ir.Reduce) and isinstance(each.over, Group)
               for each in ir.walk((statement,)))
    ]  # fmt: skip
    return Halos(alone, beyond, exchanged, exchanges, tuple(reduced))


def _without_exchanges(kernel: ir.KernelIR) -> tuple[Steps, dict[int, int]]:
    """From the last statement to the first: what is needed of what was set before."""
    needed: Steps = {}
    beyond: dict[int, int] = {}
    for number, statement in reversed(list(enumerate(kernel.body))):
        assigns = ir.assigns_of(statement)
        # In a loop over levels a value may come of the level before, so of any assignment.
        depth = max(needed.get(assign.name, 0) for assign in assigns)
        if depth:
            beyond[number] = depth
        for assign in assigns:
            if _is_whole(kernel, statement, assign):
                needed.pop(assign.name, None)
        for name, steps in _reads(kernel, statement).items():
            if depth + steps:
                needed[name] = max(needed.get(name, 0), depth + steps)
    return {name: needed[name] for name in kernel.arguments if name in needed}, beyond


def _with_exchanges(kernel: ir.KernelIR) -> tuple[Steps, dict[int, Steps]]:
    """From the first statement to the last: what is stale where it is read."""
    at_call: Steps = {}
    exchanges: dict[int, Steps] = {}
    last: dict[str, Steps] = {}  # name: where its steps are counted since it was set
    stale: set[str] = set()
    for number, statement in enumerate(kernel.body):
        for name, steps in _reads(kernel, statement).items():
            if not steps:
                continue
            if name in stale:
                stale.remove(name)
                last[name] = exchanges.setdefault(number, {})
            counted = last.setdefault(name, at_call)
            counted[name] = max(counted.get(name, 0), steps)
        stale.update(assign.name for assign in ir.assigns_of(statement))
    return at_call, exchanges


def _is_whole(kernel: ir.KernelIR, statement: ir.Statement, assign: ir.Assign) -> bool:
    """Whether nothing is left of what was there before."""
    axes = kernel.variables[assign.name].type.axes
    is_all = not isinstance(statement, ir.ForLevels) and assign.level is None
    return is_all and not assign.points and not axes


def _reads(kernel: ir.KernelIR, statement: ir.Statement) -> Steps:
    """Steps through which each name is read; numbers that have no place are none's and all's."""
    found: Steps = {}
    for each in ir.walk((statement,)):
        if not isinstance(each, ir.Read) or each.name not in kernel.variables:
            continue
        kind = kernel.variables[each.name].type
        if kind.place is None:
            continue
        ways = [slot for slot in ir.steps_of(each, kind) if not isinstance(slot.axis, Group)]
        found[each.name] = max(found.get(each.name, 0), len(ways))
    return found
