# SPDX-License-Identifier: Apache-2.0
"""The loops of a sweep in CUDA: a thread for each point, or for each point and level."""

from __future__ import annotations

from dataclasses import replace

from thalweg.dsl import ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.passes.sweeps import Accumulate, LevelLoop, Plan, Sweep, reads
from thalweg.dsl.targets.cpp_loops import Loops, is_free

LEVEL = "level_of_thread"


def on_device(plan: Plan) -> Plan:
    """Columns of local values are fields: a thread has no room for one."""
    kept = {name: "field" if how == "column" else how for name, how in plan.kept.items()}
    return replace(plan, kept=kept)


def by_levels(sweep: Sweep) -> bool:
    """Whether each level of a point may be a thread of its own: none needs another one of what the
    sweep sets, and nothing is set once a point.
    """
    own: dict[str, ir.LevelAt] = {}
    for loop in sweep.loops:
        if loop.levels is None or loop.group is not None or not is_free(loop):
            return False
        if any(isinstance(step, Accumulate) for step in loop.steps):
            return False
        for step in loop.steps:
            if step.level is None or step.level.base != loop.name:
                return False
            own.setdefault(step.name, step.level)
    return bool(sweep.loops) and all(
        each.level is not None
        and (each.level.base, each.level.shift) == (loop.name, own[each.name].shift)
        for loop in sweep.loops
        for each in (*loop.steps, *reads(loop.steps))
        if each.name in own
    )


class CudaLoops(Loops):
    """Statements of a thread; every layout is an index of the point."""

    def __init__(self, kernel: ir.KernelIR, configuration: Configuration, plan: Plan) -> None:
        super().__init__(kernel, configuration, plan, {})
        self.by_blocks = self.is_told = False
        self.is_by_levels = False

    def of(self, sweep: Sweep) -> list[str]:
        self.point = sweep.place.name if sweep.place else ""
        self.neighbours = {}
        self.is_by_levels = by_levels(sweep)
        lines = []
        for loop in sweep.loops:
            lines += self._over_members(loop, self._over_levels(loop, self._steps(loop)))
        return [*self._found_neighbours(), *lines]

    def _over_levels(self, loop: LevelLoop, inner: list[str]) -> list[str]:
        if loop.levels is None or not self.is_by_levels:
            return super()._over_levels(loop, inner)
        begin, end = self._ends(loop)
        within = [] if begin == "0" else [f"{LEVEL} >= {begin}"]
        within.append(f"{LEVEL} < {end}")
        return [
            f"if ({' && '.join(within)}) {{",
            f"  const std::int64_t {loop.name} = {LEVEL};",
            *(f"  {line}" for line in inner),
            "}",
        ]

    def _has_lanes(self, kind: ArgumentType) -> bool:
        return False
