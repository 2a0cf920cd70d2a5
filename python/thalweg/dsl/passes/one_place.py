# SPDX-License-Identifier: Apache-2.0
"""Pass: a loop over levels with an order goes over the points of one place.

Each point goes through all levels before the next one begins. So all that the loop sets lies on one
place. Beside it may stand local values without a place, if each point finds them as if it were the
first: they come of nothing that the loop leaves for its next level, and no other statement sets or
reads them.
"""

from __future__ import annotations

from thalweg.dsl import ir
from thalweg.dsl.grid import Place
from thalweg.dsl.problem import KernelError


def check_one_place(kernel: ir.KernelIR) -> None:
    """Raises KernelError for a loop that sets values of two places."""
    for statement in kernel.body:
        if isinstance(statement, ir.ForLevels) and statement.levels.order != "any":
            _check(kernel, statement)


def _check(kernel: ir.KernelIR, loop: ir.ForLevels) -> None:
    first: Place | None = None
    for assign in loop.body:
        place = kernel.variables[assign.name].type.place
        if place and first and place is not first:
            raise KernelError(
                assign.spot,
                f"'{assign.name}' has values on {place.plural}, others of this loop on "
                f"{first.plural}",
                "in a loop with an order each point goes through all levels by itself",
                "a loop for each place",
            )
        first = first or place
    if first:
        _check_others(kernel, loop, first)


def _check_others(kernel: ir.KernelIR, loop: ir.ForLevels, place: Place) -> None:
    """Values without a place that the loop sets, once for each point of `place`."""
    others = {each.name for each in loop.body if not kernel.variables[each.name].type.place}
    if not others:
        return
    elsewhere = tuple(each for each in kernel.body if each is not loop)
    used = {each.name for each in ir.walk(elsewhere) if isinstance(each, ir.Read)}
    used |= {each.name for statement in elsewhere for each in ir.assigns_of(statement)}
    here = ir.LevelAt(loop.name, 0)
    set_: set[tuple[str, ir.LevelAt | None]] = set()
    for assign in loop.body:
        for each in ir.walk((assign,)):
            if not isinstance(each, ir.Read) or each.name not in others:
                continue
            at = here if kernel.variables[each.name].type.level else None
            if each.level not in (at, None) or (each.name, at) not in set_:
                raise _refused(each.name, assign, place)
        if assign.name in others:
            is_left = assign.name in kernel.arguments or assign.name in used
            if is_left or assign.slots or assign.level not in (here, None):
                raise _refused(assign.name, assign, place)
            has_levels = kernel.variables[assign.name].type.level is not None
            set_.add((assign.name, here if has_levels else None))


def _refused(name: str, assign: ir.Assign, place: Place) -> KernelError:
    return KernelError(
        assign.spot,
        f"'{name}' has one value for all {place.plural}, and would be set anew at each of them",
        "in a loop with an order each point goes through all levels by itself",
        "a loop of its own, before",
    )
