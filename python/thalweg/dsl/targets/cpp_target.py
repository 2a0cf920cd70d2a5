# SPDX-License-Identifier: Apache-2.0
"""Targets `serial`, `openmp` and `simd`: readable C++20 with a C interface."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import replace

from thalweg.dsl import ir
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.layout import factor, levels_in_lines, levels_of, room_values
from thalweg.dsl.passes.joined_levels import joined
from thalweg.dsl.passes.precision import in_precision
from thalweg.dsl.passes.set_again import sets_again
from thalweg.dsl.passes.sweeps import Accumulate, Plan, Sweep, reads, sets_all
from thalweg.dsl.targets import cpp_order
from thalweg.dsl.targets.cpp_divisions import CODE as CODE_OF_QUOTIENT
from thalweg.dsl.targets.cpp_fetches import code as code_of_fetch
from thalweg.dsl.targets.cpp_fetches import fetches
from thalweg.dsl.targets.cpp_includes import MARK, with_includes
from thalweg.dsl.targets.cpp_loops import CODE_OF_LINES, CODE_OF_VECTORS, Loops
from thalweg.dsl.targets.cpp_power import CODE as CODE_OF_POWER
from thalweg.dsl.targets.cpp_streams import CODE as STREAMS
from thalweg.dsl.targets.cpp_text import CODE as CODE_OF_OPERATION
from thalweg.dsl.targets.cpp_text import FUNCTIONS, ONE_WAY, WHOLE_LOOPS, comment, constants
from thalweg.dsl.targets.cpp_tiles import Tiling
from thalweg.dsl.translation import is_ordered, is_tiled, plan_of, size_names, table_names
from thalweg.errors import ThalwegError

COMPILED_WITH = """// Compile as C++20 with -ffp-contract=off, or bits differ from the reference;
// with -fopenmp where there are pragmas of it."""
VECTOR_FUNCTIONS = ("**", "exp", "log", "sin", "cos")  # as glibc has them since 2.22
LINES = """// Where the first line of the cache in some room begins.
template <class Real>
static inline Real* first_line(Real* room) {
  return reinterpret_cast<Real*>((reinterpret_cast<std::uintptr_t>(room) + 63) / 64 * 64);
}
"""


def translate(kernel: ir.KernelIR, configuration: Configuration) -> str:
    """One C++ file with one function. Arrays lie as the layout says."""
    if configuration.functions == "vector" and configuration.target == "serial":
        raise ThalwegError("functions = 'vector' goes with target openmp or simd, not with serial")
    kernel = in_precision(kernel, configuration)
    plan = plan_of(kernel, configuration)
    if configuration.memory.block > 1:
        plan = joined(plan)
    return Writer(kernel, configuration, plan).text()


def set_in(sweep: Sweep) -> list[str]:
    return list(dict.fromkeys(step.name for loop in sweep.loops for step in loop.steps))


def indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _ranges(name: str) -> list[str]:
    return [f"const std::int64_t* {name}", f"std::int64_t {name}_parts"]


class Writer:
    """Of one file. Targets on several ranks change what goes around the sweeps."""

    def __init__(self, kernel: ir.KernelIR, configuration: Configuration, plan: Plan) -> None:
        self.kernel, self.layout, self.plan = kernel, configuration.memory, plan
        self.real = configuration.real
        self.has_vector_functions = configuration.functions == "vector"
        self.has_fetches, self.cache = False, configuration.prefetch_into
        self.is_ordered, self.order = is_ordered(kernel, configuration), configuration.order
        self.has_threads = configuration.target == "openmp"
        self.tiling = (
            Tiling(kernel, plan, configuration, self._grid())
            if is_tiled(kernel, plan, configuration)
            else None
        )
        self.rooms = self.tiling.rooms if self.tiling else {}  # local fields that share room
        self.loops = Loops(kernel, configuration, plan, self.rooms)
        self.setters: dict[str, list[Sweep]] = {}  # sweeps by what they set
        for sweep in plan.sweeps:
            for name in set_in(sweep):
                self.setters.setdefault(name, []).append(sweep)

    def text(self) -> str:
        inner = self._body()
        lines = [f"// {self.kernel.origin}", COMPILED_WITH]
        rows = {step.name for step in self.loops.rows}
        lines += [WHOLE_LOOPS] if sets_again(self.plan, rows) else []
        lines += [ONE_WAY] if "where" in self._operations() else []
        lines += [MARK]
        lines += [STREAMS] if self.loops.rows else []
        lines += [LINES] if self.loops.rows or self.tiling else []
        lines += [code for op, code in CODE_OF_OPERATION.items() if op in self._operations()]
        lines += [code_of_fetch(self.cache)] if self.has_fetches else []
        lines += [CODE_OF_QUOTIENT] if self.loops.has_quotients else []
        lines += [CODE_OF_VECTORS] if self.loops.has_vectors else []
        lines += [CODE_OF_LINES] if self.loops.has_lines else []
        lines += self._vector_functions() if self.has_vector_functions else []
        lines += self._before()
        lines += constants(self.kernel, self.real)
        lines += self.tiling.functions() if self.tiling else []
        if self.is_ordered:
            lines += cpp_order.function(self.kernel, self.layout, self._grid(), self.order)
        if self.has_threads:
            inner = self._of_one_thread(lines, inner)
        else:
            inner = [*self._rooms(), *self._fields(), *inner]
        lines += comment(self.kernel.doc)
        lines += ["// No argument that is set may lie in the memory of another one."]
        lines += [f'extern "C" void {self.kernel.name}({", ".join(self._parameters())}) {{']
        return with_includes("\n".join([*lines, *indented([*self._begin(), *inner]), "}", ""]))

    def _before(self) -> list[str]:
        """What stands before the functions."""
        return []

    def _begin(self) -> list[str]:
        """What is done first in a call, by one thread."""
        return []

    def _of_one_thread(self, lines: list[str], inner: list[str]) -> list[str]:
        """Adds a function of what each thread does, and gives what calls it: within the parallel
        region itself the compiler does not know that arguments lie apart, and makes no vectors.
        """
        fields = self._fields()
        name = f"{self.kernel.name}_on_a_thread"
        kept = [each for each, how in self.plan.kept.items() if self._has_field(each, how)]
        words = [*self._parameters(), *(f"{self.real}* __restrict {each}" for each in kept)]
        lines += ["// What each thread does."]
        lines += [f"__attribute__((noinline)) static void {name}({', '.join(words)}) {{"]
        lines += [*indented([*self._rooms(), *inner]), "}", ""]
        given = [re.split(r"[ *]", word)[-1] for word in words]
        rooms = self._rooms() if fields else []
        return [*rooms, *fields, "#pragma omp parallel", f"{name}({', '.join(given)});"]

    def _operations(self) -> set[str]:
        values = ir.walk(self.kernel.body)
        return {each.op for each in values if isinstance(each, (ir.Apply, ir.Reduce))}

    def _vector_functions(self) -> list[str]:
        """glibc has them, but declares them only where rounding may be anything; `**` is ours."""
        used = self._operations()
        mark = "f" if self.real == "float" else ""
        lines = []
        for op in VECTOR_FUNCTIONS:
            if op in used:
                name = FUNCTIONS[op].removeprefix("std::") + mark
                values = ", ".join([self.real] * (2 if op == "**" else 1))
                lines.append("#pragma omp declare simd notinbranch")
                lines.append(f'extern "C" {self.real} {name}({values}) noexcept;')
        if not lines:
            return []
        power = [CODE_OF_POWER] if "**" in used and self.real == "double" else []
        return ["#if defined __x86_64__ && defined __GLIBC__", *lines, "#endif", *power]

    def _grid(self) -> list[str]:
        """Sizes, tables and, for tiles, ranges of points."""
        words = [f"std::int64_t {name}" for name in size_names(self.kernel)]
        words += [f"const std::int32_t* __restrict {name}" for name in table_names(self.kernel)]
        for name, each in self.kernel.arguments.items():
            words += _ranges(name) if each.type.role == "points" else []
        return words

    def _parameters(self) -> list[str]:
        words = ["const void* tiles"] if self.tiling else []
        words += [f"std::int64_t {name}" for name in size_names(self.kernel)]
        words += [f"const std::int32_t* __restrict {name}" for name in table_names(self.kernel)]
        for name, each in self.kernel.arguments.items():
            if each.type.role == "parameter":
                words.append(f"{self.real} {name}")
            elif each.type.role == "points":
                words += _ranges(name)
            else:
                const = "" if each.type.is_written else "const "
                words.append(f"{const}{self.real}* __restrict {name}")
        return words

    def _rooms(self) -> list[str]:
        """Of tiles: where a value is kept, and how long its rows are."""
        lines: list[str] = []
        if self.tiling:
            lines.append("const auto& given_tiles = *static_cast<const Tiles*>(tiles);")
            for group in range(len(self.tiling.groups)):
                rooms = f"given_tiles.rooms[{group}].of.data()"
                kind = "[[maybe_unused]] const std::int32_t* const"
                lines.append(f"{kind} rooms_{group} = {rooms};")
            lines += self._rows_of_rooms()
        return lines

    def _has_field(self, name: str, kept: str) -> bool:
        return bool(self.tiling and name in self.rooms) or kept == "field"

    def _fields(self) -> list[str]:
        """Local values that several sweeps need: room that stays from call to call."""
        lines: list[str] = []
        for name, kept in self.plan.kept.items():
            if self.tiling and name in self.rooms:
                number = f"given_tiles.rooms[{self.rooms[name]}].number"
                size = f"{number} * {factor(room_values(self.plan.locals[name].type))}"
                lines += [
                    *self._room_of_field(name, f"static_cast<std::size_t>({size})", in_lines=True),
                    f"std::fill({name}, {name} + {size}, NAN);",
                ]
            elif kept == "field":
                size = f"static_cast<std::size_t>({self.layout.size(self.plan.locals[name].type)})"
                lines += [*self._room_of_field(name, size), *self._not_set(name, size)]
        return lines

    def _rows_of_rooms(self) -> list[str]:
        """How long rows are that each begin a line of the cache."""
        kinds = [self.plan.locals[name].type for name in self.rooms]
        line = f"(64 / static_cast<std::int64_t>(sizeof({self.real})))"
        return [
            f"const std::int64_t {name} = ({levels} + {line} - 1) / {line} * {line};"
            for name, levels in {levels_in_lines(k): levels_of(k) for k in kinds if k.level}.items()
        ]

    def _room_of_field(self, name: str, size: str, *, in_lines: bool = False) -> list[str]:
        begin = f"{name}_room.data()"
        if in_lines:
            size, begin = f"{size} + 64 / sizeof({self.real})", f"first_line({begin})"
        return [
            f"static thread_local std::vector<{self.real}> {name}_room;",
            f"if ({name}_room.size() < {size}) {name}_room.resize({size});",
            f"{self.real}* const __restrict {name} = {begin};",
        ]

    def _not_set(self, name: str, size: str) -> list[str]:
        """At points that are not set in this call it is NaN, not what an earlier one left."""
        first, *others = self.setters[name]
        is_all = sets_all(first, name, self.plan.locals[name].type.level)
        if not first.points and (is_all or not any(each.points for each in others)):
            return []
        if not is_all or self.layout.block > 1:
            return [f"std::fill({name}, {name} + {size}, NAN);"]
        kind, points = self.plan.locals[name].type, first.points
        row = self.layout.size(replace(kind, place=None))
        end = f"{kind.place.plural}" if kind.place else "1"
        return [
            f"for (std::int64_t part = 0; part <= {points}_parts; ++part) {{",
            f"  const std::int64_t from = part == 0 ? 0 : {points}[2 * part - 1];",
            f"  const std::int64_t to = part == {points}_parts ? {end} : {points}[2 * part];",
            f"  std::fill({name} + from * {factor(row)}, {name} + to * {factor(row)}, NAN);",
            "}",
        ]

    def _columns(self) -> list[str]:
        """Local values of a column, or of a block of columns."""
        found = []
        for name, kept in self.plan.kept.items():
            kind = self.plan.locals[name].type
            sizes = [str(axis.length) for axis in kind.axes]
            sizes += [levels_of(kind)] if kind.level else []
            has_lanes = self.layout.block > 1 and kind.place is not None
            sizes += [str(self.layout.block)] if has_lanes else []
            if kept == "column":
                found.append(self._room(name, " * ".join(sizes) or "1"))
            elif kept == "point" and has_lanes:
                found.append(f"{self.real} {name}[{self.layout.block}];")
        for step, each in self.loops.rows.items():
            row = each.name
            if not each.is_whole:  # the last of its pieces follows
                continue
            levels = levels_of(self.kernel.arguments[step.name].type)
            if self.layout.block > 1:
                found.append(f"alignas(64) {self.real} {row}[{self.layout.block}];")
                continue
            found += [
                self._room(f"{row}_room", f"{levels} + 64 / sizeof({self.real})"),
                f"{self.real}* const __restrict {row} = first_line({row}_room.data());",
            ]
        return found

    def _room(self, name: str, size: str) -> str:
        return f"std::vector<{self.real}> {name}(static_cast<std::size_t>({size}), NAN);"

    def _body(self) -> list[str]:
        inner = [*self._columns()]
        if self.tiling:
            inner += self.tiling.around(self._of_tile())
        else:
            inner += self._sweeps()
        inner += ["end_streams();"] if self.loops.rows else []
        return inner

    def _sweeps(self) -> list[str]:
        return [line for sweep in self.plan.sweeps for line in self._sweep(sweep)]

    def _sweep(self, sweep: Sweep) -> list[str]:
        if sweep.place is None:
            single = ["#pragma omp single"] if self.has_threads else []
            inner = [*self._locals(sweep), *self.loops.of_no_place(sweep)]
            return [*single, "{", *indented(inner), "}"]
        begin = self._locals(sweep)
        end = f"{sweep.points}[2 * part + 1]" if sweep.points else sweep.place.plural
        calls = self._fetches(sweep, sweep.place.name, end)
        return self._over_points(sweep, [*calls, *begin, *self.loops.of(sweep)])

    def _of_tile(self) -> list[tuple[Sweep, list[str]]]:
        """What earlier sweeps of a tile have read or set is near, in a cache."""
        found, near = [], set[str]()
        for sweep in self.plan.sweeps:
            assert sweep.place is not None
            calls = self._fetches(sweep, sweep.place.name, "", near)
            found.append((sweep, [*calls, *self._locals(sweep), *self.loops.of(sweep)]))
            steps = [step for loop in sweep.loops for step in loop.steps]
            near |= {each.name for each in [*steps, *reads(steps)]}
        return found

    def _fetches(
        self, sweep: Sweep, place: str, end: str, near: Set[str] = frozenset()
    ) -> list[str]:
        ahead = self.loops.ahead
        if not ahead:
            return []
        point, is_there = f"({place} + {ahead})", f"{place} + {ahead} < {end}"
        if self.tiling:
            point, is_there = (
                f"tile_sweep.points[tile_at + {ahead}]",
                f"tile_at + {ahead} < tile_end",
            )
        kept = self.plan.kept
        wanted = {
            name: each
            for name, each in self.loops.variables.items()
            if name not in self.loops.read_rows and name not in near
            if name in self.kernel.arguments or (kept[name] == "field" and name not in self.rooms)
        }
        calls = fetches(sweep, wanted, self.layout, point, is_there)
        self.has_fetches = self.has_fetches or bool(calls)
        return calls

    def _locals(self, sweep: Sweep) -> list[str]:
        """Of a point, declared before it is set."""
        if self.layout.block > 1 and sweep.place is not None:
            return []
        sums = {s.name for each in sweep.parts for s in each.steps if isinstance(s, Accumulate)}
        return [
            f"{self.real} {name}{' = NAN' if name in sums else ''};"  # the compiler asks for it
            for name in self._set_in(sweep, "point")
        ]

    def _over_points(self, sweep: Sweep, inner: list[str]) -> list[str]:
        """A loop over all points of a place, or over the ranges of an argument of type Points."""
        assert sweep.place is not None
        begin, end, point = "0", sweep.place.plural, sweep.place.name
        around: list[str] = []
        if sweep.points:
            around = [f"for (std::int64_t part = 0; part < {sweep.points}_parts; ++part) {{"]
            begin, end = f"{sweep.points}[2 * part]", f"{sweep.points}[2 * part + 1]"
        head = [f"for (std::int64_t {point} = {begin}; {point} < {end}; ++{point}) {{"]
        size = self.layout.block
        if size > 1:
            last = f"({end} - 1) / {size}" if sweep.points else f"({end} + {size - 1}) / {size} - 1"
            first = f"{begin} / {size}" if sweep.points else "0"
            head = [f"for (std::int64_t block = {first}; block <= {last}; ++block) {{"]
            lower = f"std::max<std::int64_t>({begin} - block * {size}, 0)" if sweep.points else "0"
            inner = [
                f"const std::int64_t from = {lower};",
                f"const std::int64_t to = std::min<std::int64_t>({end} - block * {size}, {size});",
                *inner,
            ]
        if self.has_threads:
            head = ["#pragma omp for", *head]
        lines = [*head, *indented(inner), "}"]
        return [*around, *indented(lines), "}"] if around else lines

    def _set_in(self, sweep: Sweep, kept: str) -> list[str]:
        return [name for name in set_in(sweep) if self.plan.kept.get(name) == kept]
