# SPDX-License-Identifier: Apache-2.0
"""Pass: which points of a sweep have to come before which points of a later one.

Sweeps that go over a tile of the grid together find each other's values in the caches. A sweep may
come to a point of a tile as soon as all is there that the point needs, and nothing is lost that
others still need (sparse tiling: Strout et al. 2004).
"""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.dsl import ir
from thalweg.dsl.grid import Group, Place, Relation
from thalweg.dsl.passes.sweeps import Plan, Sweep, reads, sets_all

Path = tuple[Relation, ...]  # from a point to those that it needs


@dataclass(frozen=True)
class Order:
    """The points that `path` leads to from a point of sweep `begins` are gone over in order.

    Those of sweep `earlier` first. An empty path leads to the point itself.
    """

    earlier: int
    later: int
    path: Path
    begins: int


def orders(plan: Plan, variables: dict[str, ir.Variable]) -> list[Order]:
    """All that must be kept, the last sweeps first."""
    read = [paths_read(sweep, variables) for sweep in plan.sweeps]
    set_ = [names_set(sweep) for sweep in plan.sweeps]
    found: dict[Order, None] = {}
    for earlier in reversed(range(len(plan.sweeps))):
        for later in range(earlier + 1, len(plan.sweeps)):
            for name, path in read[later]:
                if name in set_[earlier]:
                    found[Order(earlier, later, path, later if path else earlier)] = None
            for name, path in read[earlier]:
                if name in set_[later]:
                    found[Order(earlier, later, path, earlier)] = None
            if set_[earlier] & set_[later]:
                found[Order(earlier, later, (), earlier)] = None
    return list(found)


def in_rooms(plan: Plan) -> dict[str, Place]:
    """Local fields that need room for the points of some tiles only, and their places."""
    found = {}
    for name, variable in plan.locals.items():
        if plan.kept[name] != "field" or variable.type.place is None:
            continue
        first, *others = setters(plan, name)
        sweep = plan.sweeps[first]
        # What several sweeps set would have to be cleared where the first leaves levels out.
        if not others or sets_all(sweep, name, variable.type.level):
            found[name] = variable.type.place
    return found


def setters(plan: Plan, name: str) -> list[int]:
    """Numbers of the sweeps that set a local field."""
    return [number for number, sweep in enumerate(plan.sweeps) if name in names_set(sweep)]


def names_set(sweep: Sweep) -> set[str]:
    return {step.name for loop in sweep.loops for step in loop.steps}


def paths_read(sweep: Sweep, variables: dict[str, ir.Variable]) -> list[tuple[str, Path]]:
    found: dict[tuple[str, Path], None] = {}
    for each in reads([step for loop in sweep.loops for step in loop.steps]):
        kind = variables[each.name].type
        if kind.place is None:
            continue
        axes = [slot.axis for slot in reversed(ir.steps_of(each, kind))]
        found[each.name, tuple(axis for axis in axes if isinstance(axis, Relation))] = None
    return list(found)


def has_tiles(kernel: ir.KernelIR, plan: Plan) -> bool:
    """Whether several sweeps go over points of places. Groups of points lie in no tile."""
    whole = any(sweep.place is None for sweep in plan.sweeps)
    groups = any(isinstance(each, Group) for each in kernel.neighbour_tables())
    return len(plan.sweeps) > 1 and not whole and not groups


def seeds(kernel: ir.KernelIR) -> tuple[Place, list[tuple[Relation, bool]]]:
    """The place that is cut into tiles, and the tables that lead from it to all others.

    True: the points of a table lie in the tile of the first of those it names; False: the other way
    round.
    """
    tables, places = kernel.neighbour_tables(), kernel.places()
    ways = [(place, _ways(place, tables)) for place in places]
    return max(ways, key=lambda way: (len(way[1]), sum(forward for _, forward in way[1])))


def _ways(first: Place, tables: list[Relation]) -> list[tuple[Relation, bool]]:
    known, found = [first], list[tuple[Relation, bool]]()
    while True:
        forward = [t for t in tables if t.target in known and t.source not in known]
        backward = [t for t in tables if t.source in known and t.target not in known]
        if not forward and not backward:
            return found
        table = (forward or backward)[0]
        found.append((table, bool(forward)))
        known.append(table.source if forward else table.target)
