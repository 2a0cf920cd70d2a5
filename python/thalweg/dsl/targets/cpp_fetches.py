# SPDX-License-Identifier: Apache-2.0
"""Rows that are called into a cache before they are needed, in C++.

The processor does not see where a table leads. That a point's own rows follow one another it sees,
but stops at every page, and has forgotten it where a point's arithmetic is long.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator

from thalweg.dsl import ir
from thalweg.dsl.grid import Group, Relation
from thalweg.dsl.layout import Layout
from thalweg.dsl.passes.sweeps import LevelLoop, Plan, Step, Sweep, reads

LOCALITY = {"first": 3, "second": 1}  # what __builtin_prefetch calls the caches
CODE = """// Calls a row into the {cache} cache.
template <class Real>
__attribute__((always_inline)) static inline void fetch(const Real* row, std::int64_t count) {{
  constexpr std::int64_t line = 64 / sizeof(Real);
  for (std::int64_t i = 0; i < count; i += line) __builtin_prefetch(row + i, 0, {locality});
}}
"""


def code(cache: str) -> str:
    """Of `fetch`."""
    return CODE.format(cache=cache, locality=LOCALITY[cache])


def fetches(
    sweep: Sweep, variables: dict[str, ir.Variable], layout: Layout, point: str, is_there: str
) -> list[str]:
    """For a point that comes later, if it does: rows of `variables` that it needs."""
    wanted: dict[tuple[str, tuple[Relation, ...]], bool] = {}  # may a table have -1 there?
    for loop in sweep.loops:
        for each in reads(loop.steps):
            steps = _steps(each, variables) if each.name in variables else None
            if steps is not None:
                way = ir.steps_of(each, variables[each.name].type)
                lacks = bool(sweep.points) or any(not slot.name for slot in way[1:])
                wanted[each.name, steps] = wanted.get((each.name, steps), False) or lacks
    lines = []
    for (name, steps), lacks in wanted.items():
        at = point
        for depth, relation in enumerate(reversed(steps)):
            count = f"n{depth or ''}"
            table = layout.table(relation, at, 0)
            lines.append(
                f"{'  ' * depth}for (int {count} = 0; {count} < {relation.length}; ++{count})"
            )
            at = f"{relation.full_name}[{table} + {count}]"
            if lacks and depth + 1 < len(steps):  # -1, which nobody reads, is in no table
                at = f"std::max({at}, 0)"
        kind = variables[name].type
        row = layout.start(kind, at)
        lines.append(f"{'  ' * len(steps)}fetch(&{name}[{row}], {layout.values(kind)});")
    if not lines:
        return []
    return [f"if ({is_there}) {{", *(f"  {line}" for line in lines), "}"]


def _steps(read: ir.Read, variables: dict[str, ir.Variable]) -> tuple[Relation, ...] | None:
    """From the place of the field to that of the loop; None for what has no row of a point."""
    kind = variables[read.name].type
    axes = [slot.axis for slot in ir.steps_of(read, kind)]
    if not kind.level or not kind.place or any(isinstance(axis, Group) for axis in axes):
        return None
    return tuple(axis for axis in axes if isinstance(axis, Relation))


class Fetched:
    """What a block of points has of its own in memory, and whether it was called already."""

    def __init__(self, kernel: ir.KernelIR, plan: Plan) -> None:
        fields = [name for name, how in plan.kept.items() if how == "field"]
        every = {**kernel.arguments, **plan.locals}
        self.types = {
            name: every[name].type
            for name in (*kernel.arguments, *fields)
            if every[name].type.place and every[name].type.level
        }
        self.touched: set[str] = set()

    def begin_sweep(self) -> None:
        self.touched = set()

    def by(
        self, loop: LevelLoop, ahead: int, written: Collection[Step]
    ) -> Iterator[tuple[str, tuple[int, ...], int]]:
        """Name, number of each axis, and how far from the level of the loop, if it is the first
        that needs it. What is `written` past the caches is not read.
        """
        if loop.levels is None or loop.group:
            return
        sign = -1 if loop.levels.order == "downward" else 1
        farthest: dict[tuple[str, tuple[int, ...]], int] = {}
        steps = [step for step in loop.steps if step not in written]
        for each in (*reads(loop.steps), *steps):
            kind = self.types.get(each.name)
            at = each.level
            if kind is None or at is None or at.base != loop.name or each.name in self.touched:
                continue
            if isinstance(each, ir.Read) and ir.steps_of(each, kind):
                continue
            own = ir.own_slots(each.slots, kind)
            for numbers in itertools.product(
                *(range(slot.axis.length) if slot.name else (slot.index,) for slot in own)
            ):
                shift = farthest.setdefault((each.name, numbers), at.shift)
                farthest[each.name, numbers] = sign * max(sign * shift, sign * at.shift)
        self.touched |= {name for name, _ in farthest}
        for (name, numbers), shift in farthest.items():
            yield name, numbers, shift + sign * ahead
