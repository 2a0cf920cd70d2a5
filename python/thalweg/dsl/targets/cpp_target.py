# SPDX-License-Identifier: Apache-2.0
"""Target `serial`: readable C++20 with a C interface."""

from __future__ import annotations

from thalweg.dsl import ir
from thalweg.dsl.grid import Relation
from thalweg.dsl.layout import Layout
from thalweg.dsl.passes.sweeps import (
    Accumulate,
    LevelLoop,
    Plan,
    Step,
    Sweep,
    find_sweeps,
    sets_all_levels,
)
from thalweg.dsl.targets.cpp_text import CppText
from thalweg.dsl.translation import size_names, table_names

HEAD = """#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>
"""


def translate(kernel: ir.KernelIR, layout: Layout) -> str:
    """One C++ file with one function. Arrays lie as `layout` says, tables as [point, neighbour]."""
    return _Writer(kernel, layout, find_sweeps(kernel)).text()


class _Writer:
    def __init__(self, kernel: ir.KernelIR, layout: Layout, plan: Plan) -> None:
        self.kernel, self.layout, self.plan = kernel, layout, plan
        self.variables = {**kernel.arguments, **plan.locals}
        self.expressions = CppText(self._read)
        self.neighbours: dict[str, str] = {}  # names of a point's neighbours: how they are found
        self.point = ""

    def text(self) -> str:
        lines = [f"// {self.kernel.file}:{self.kernel.line}", HEAD, *self._constants()]
        lines += [f"// {line}".rstrip() for line in self.kernel.doc.splitlines()]
        lines += [f'extern "C" void {self.kernel.name}({", ".join(self._parameters())}) {{']
        lines += [f"  {line}" for line in [*self._storage(), *self._sweeps()]]
        return "\n".join([*lines, "}", ""])

    def _constants(self) -> list[str]:
        found = {
            each.name: each for each in ir.walk(self.kernel.body) if isinstance(each, ir.Constant)
        }
        return [f"constexpr double {name} = {each.value!r};" for name, each in found.items()]

    def _parameters(self) -> list[str]:
        words = [f"std::int64_t {name}" for name in size_names(self.kernel)]
        words += [f"const std::int32_t* __restrict {name}" for name in table_names(self.kernel)]
        for name, each in self.kernel.arguments.items():
            if each.type.role == "parameter":
                words.append(f"double {name}")
            elif each.type.role == "points":
                words += [f"const std::int64_t* {name}", f"std::int64_t {name}_parts"]
            else:
                const = "" if each.type.is_written else "const "
                words.append(f"{const}double* __restrict {name}")
        return words

    def _storage(self) -> list[str]:
        found = []
        for name, kept in self.plan.kept.items():
            kind = self.plan.locals[name].type
            sizes = [kind.place.plural] if kind.place and kept == "field" else []
            sizes += [str(axis.length) for axis in kind.axes]
            sizes += [self.layout.levels(kind)] if kind.level else []
            if kept in ("field", "column"):
                size = " * ".join(sizes) or "1"
                found.append(f"std::vector<double> {name}(static_cast<std::size_t>({size}), NAN);")
        return found

    def _sweeps(self) -> list[str]:
        found: list[str] = []
        for sweep in self.plan.sweeps:
            if sweep.place is None:
                found += self._loops(sweep)
                continue
            self.point, self.neighbours = sweep.place.name, {}
            inner = self._loops(sweep)
            here = [
                f"const std::int64_t {name} = {text};" for name, text in self.neighbours.items()
            ]
            begin = [f"double {name};" for name in self._set_in(sweep, "point")]
            begin += [
                f"std::fill({name}.begin(), {name}.end(), NAN);"
                for name in self._set_in(sweep, "column")
                if not sets_all_levels(sweep, name)
            ]
            found += self._over_points(sweep, [*here, *begin, *inner])
        return found

    def _over_points(self, sweep: Sweep, inner: list[str]) -> list[str]:
        """A loop over all points of a place, or over the ranges of an argument of type Points."""
        assert sweep.place is not None
        begin, end, point = "0", sweep.place.plural, self.point
        around, shift = [], ""
        if sweep.points:
            around = [f"for (std::int64_t part = 0; part < {sweep.points}_parts; ++part) {{"]
            begin, end = f"{sweep.points}[2 * part]", f"{sweep.points}[2 * part + 1]"
            shift = "  "
        head = f"for (std::int64_t {point} = {begin}; {point} < {end}; ++{point}) {{"
        lines = [head, *(f"  {line}" for line in inner), "}"]
        return [*around, *(shift + line for line in lines), *(["}"] if around else [])]

    def _set_in(self, sweep: Sweep, kept: str) -> list[str]:
        names = [step.name for loop in sweep.loops for step in loop.steps]
        return [name for name in dict.fromkeys(names) if self.plan.kept.get(name) == kept]

    def _loops(self, sweep: Sweep) -> list[str]:
        found: list[str] = []
        for loop in sweep.loops:
            inner = self._steps(loop)
            if loop.levels is None:
                found += inner
                continue
            begin, end = self._level(loop.levels.begin, loop), self._level(loop.levels.end, loop)
            name = loop.name
            head = f"for (std::int64_t {name} = {begin}; {name} < {end}; ++{name}) {{"
            if loop.levels.order == "downward":
                head = f"for (std::int64_t {name} = {end} - 1; {name} >= {begin}; --{name}) {{"
            found += [head, *(f"  {line}" for line in inner), "}"]
        return found

    def _steps(self, loop: LevelLoop) -> list[str]:
        found, declared = [], set[str]()
        for step in loop.steps:
            name = step.name
            scalar = self.plan.kept.get(name) == "scalar"
            kind = "double " if scalar and name not in declared else ""
            declared.add(name)
            found.append(kind + self._step(step, loop))
        return found

    def _step(self, step: Step, loop: LevelLoop) -> str:
        value = self.expressions.text(step.value)
        target = self._read(ir.Read(step.name, step.slots, step.level, step.spot), {})
        if not isinstance(step, Accumulate):
            return f"{target} = {value};"
        first = f"{loop.name} == {self._level(step.begin, loop)}"
        sum_ = step.op == "sum"
        joined = f"{target} + ({value})" if sum_ else f"std::{step.op}({target}, {value})"
        return f"{target} = {first} ? {value} : {joined};"

    def _level(self, at: ir.LevelAt, loop: LevelLoop | None, extra: int = 0) -> str:
        more = loop.levels.axis.extra if loop and loop.levels else extra
        if at.base == "first":
            return str(at.shift)
        base, shift = ("levels", at.shift - 1 + more) if at.base == "last" else (at.base, at.shift)
        return f"{base} {'+' if shift > 0 else '-'} {abs(shift)}" if shift else base

    def _read(self, read: ir.Read, slots: dict[str, int]) -> str:
        kind = self.variables[read.name].type
        kept = self.plan.kept.get(read.name)
        if kind.role == "parameter" or kept in ("scalar", "point"):
            return read.name
        own: dict[object, int] = {}
        point = self.point
        for slot in read.slots:
            number = slots[slot.name] if slot.name else slot.index
            if slot.axis in kind.axes:
                own[slot.axis] = number
            else:
                assert isinstance(slot.axis, Relation)
                point = self._neighbour(slot.axis, number)
        axes = [(own[axis], axis.length) for axis in kind.axes]
        extra = kind.level.extra if kind.level else 0
        level = self._level(read.level, None, extra) if read.level else None
        place = kind.place.plural if kind.place and kept != "column" else None
        index = self.layout.index(kind, place and point, level, axes)
        return f"{read.name}[{index}]"

    def _neighbour(self, relation: Relation, number: int) -> str:
        name = f"{relation.name}_{relation.names[number]}"
        at = f"{self.point} * {relation.length}" + (f" + {number}" if number else "")
        self.neighbours[name] = f"{relation.full_name}[{at}]"
        return name
