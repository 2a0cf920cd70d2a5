# SPDX-License-Identifier: Apache-2.0
"""The loops of a sweep as C++ has them: levels of a point, or points of a block at each level."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from thalweg.dsl import ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.grid import Group, Relation
from thalweg.dsl.layout import factor, levels_of, room_index, row
from thalweg.dsl.passes.streams import streamed
from thalweg.dsl.passes.sweeps import Accumulate, LevelLoop, Plan, Step, Sweep, reads
from thalweg.dsl.targets.cpp_divisions import Divisors, are_behind, is_power_of_two, stays
from thalweg.dsl.targets.cpp_fetches import LOCALITY, Fetched
from thalweg.dsl.targets.cpp_text import CppText, extreme

SIMD = "#pragma omp simd"
LANES = {"double": 8, "float": 16}  # of the longest vectors
MOST_ROWS = 32  # of which a loop and its copy for the last levels keep the addresses
CODE_OF_VECTORS = """// pass(from, to), `lanes` levels at a time; the last ones some once more.
template <std::int64_t lanes, class Pass>
__attribute__((always_inline)) static inline void in_vectors(std::int64_t begin, std::int64_t end,
                                                             Pass pass) {
  if (end - begin < lanes) return pass(begin, end);
  std::int64_t from = begin;
  for (; from + lanes <= end; from += lanes) pass(from, from + lanes);
  constexpr std::int64_t half = lanes / 2;  // the compiler knows how many each pass has
  if (end - from > half) return pass(end - lanes, end - lanes + lanes);
  if (from < end) pass(end - half, end - half + half);
}

// The same without a copy for the last ones, which would find so many rows once more.
template <std::int64_t lanes, class Pass>
__attribute__((always_inline)) static inline void in_one_loop(std::int64_t begin, std::int64_t end,
                                                              Pass pass) {
  if (end - begin < lanes) return pass(begin, end);
  for (std::int64_t from = begin;; from = std::min(from + lanes, end - lanes)) {
    pass(from, from + lanes);
    if (from + lanes >= end) break;
  }
}
"""


CODE_OF_LINES = """// pass(from, to), a line of the cache at a time.
template <std::int64_t lanes, class Pass>
__attribute__((always_inline)) static inline void in_lines(std::int64_t begin, std::int64_t end,
                                                           Pass pass) {
  std::int64_t from = begin;
  for (; from + lanes <= end; from += lanes) pass(from, from + lanes);
  if (from < end) pass(from, end);
}
"""


class Loops:
    """`rooms`: local fields that a point has in a room which others had before it, and the numbers
    of those that share rooms.

    is_told  whether loops whose passes are independent are told to the compiler
    """

    def __init__(
        self,
        kernel: ir.KernelIR,
        configuration: Configuration,
        plan: Plan,
        rooms: Mapping[str, int],
    ) -> None:
        self.rooms = rooms
        self.layout, self.plan, self.real = configuration.memory, plan, configuration.real
        self.is_told = configuration.target != "serial"
        self.variables = {**kernel.arguments, **plan.locals}
        self.by_blocks = self.layout.block > 1
        self.ahead = 0 if self.by_blocks else configuration.prefetch  # in points
        self.levels_ahead = configuration.prefetch if self.by_blocks else 0
        self.locality = LOCALITY[configuration.prefetch_into]
        self.fetched = Fetched(kernel, plan)
        by_points = self.layout.block == 1
        is_streaming = configuration.stores == "streaming"
        self.rows = streamed(kernel, plan, by_points=by_points) if is_streaming else {}
        self.read_rows = {step.name: each.name for step, each in self.rows.items() if each.is_read}
        self.expressions = CppText(self._read, self._quotient, self.real)
        self.loop: LevelLoop | None = None  # that is being written
        self.divisors = Divisors()  # of that loop
        self.has_quotients = self.has_vectors = self.has_lines = self.divides = False
        self.neighbours: dict[str, str] = {}  # names of a point's neighbours: how they are found
        self.starts: dict[
            str, str
        ] = {}  # where values of those begin, of a block: the name of that
        self.point = ""

    def of_no_place(self, sweep: Sweep) -> list[str]:
        self.point = ""
        return [line for loop in sweep.loops for line in self._over_levels(loop, self._steps(loop))]

    def of(self, sweep: Sweep) -> list[str]:
        assert sweep.place is not None
        self.point = sweep.place.name
        self.neighbours, self.starts = {}, {}
        if self.layout.block > 1:
            self.fetched.begin_sweep()
            lines = [line for loop in sweep.loops for line in self._of_block(loop)]
            return [*self._found_starts(), *lines]
        lines = []
        for loop in sweep.loops:
            inner = self._steps(loop)
            told = self.is_told and loop.levels is not None and is_free(loop)
            over = self._over_vectors if told else self._over_levels
            over_levels = over(loop, inner)
            over_levels = self.divisors.around(over_levels, 1, [])
            over_levels = [*self._beside(loop), *over_levels]
            lines += [*self._over_members(loop, over_levels), *self._streams(loop)]
        return [*self._found_neighbours(), *lines]

    def _of_block(self, loop: LevelLoop) -> list[str]:
        begin, end = self._ends(loop) if loop.levels else ("", "")
        inner = [*self._lanes(loop), *self._streams(loop)]
        divisors, lines = self.divisors, self._over_levels(loop, inner)
        if loop.parts:
            alone = [line for part in loop.parts for line in self._alone(part, loop)]
            if alone:
                together = f"if ({begin} <= {loop.name} && {loop.name} < {end}) {{"
                inner = [together, *(f"  {line}" for line in [*inner, "continue;"]), "}", *alone]
            lines = self._over_levels(_with_all_levels(loop), inner)
        here = f"const std::int64_t {self.point} = block * {self.layout.block} + lane;"
        point = self._needed(here, list(divisors.names))
        return divisors.around(lines, self.layout.block, point)

    def _alone(self, part: LevelLoop, loop: LevelLoop) -> list[str]:
        """What a part of a loop does at levels that not all parts have."""
        begin, end = self._ends(part)
        if (begin, end) == self._ends(loop):
            return []
        assert part.levels is not None
        assert loop.levels is not None
        part = replace(part, levels=replace(part.levels, order=loop.levels.order))
        inner = [*self._lanes(part, is_usual=False), *self._streams(part)]
        is_there = f"if ({begin} <= {loop.name} && {loop.name} < {end}) {{"
        return [is_there, *(f"  {line}" for line in inner), "}"]

    def _lanes(self, loop: LevelLoop, *, is_usual: bool = True) -> list[str]:
        """Over the points of a block, a line of the cache at a time where rows are called."""
        inner = self._steps(loop)
        here = f"const std::int64_t {self.point} = block * {self.layout.block} + lane;"
        inner = self._over_members(loop, inner)
        inner = [*self._needed(here, inner), *inner]
        lanes = [
            *([SIMD] if self.is_told and not loop.group else []),
            "for (std::int64_t lane = from; lane < to; ++lane) {",
            *(f"  {line}" for line in inner),
            "}",
        ]
        calls = self._calls(loop) if self.levels_ahead and is_usual else []
        if not calls:
            return lanes
        self.has_lines = True
        line = "[&](std::int64_t from, std::int64_t to) __attribute__((always_inline)) {"
        return [
            f"in_lines<{LANES[self.real]}>(from, to, {line}",
            *(f"  {each}" for each in [*calls, *lanes]),
            "});",
        ]

    def _calls(self, loop: LevelLoop) -> list[str]:
        """For a line of points: what lies there some levels on is called into a cache."""
        lines = []
        for name, numbers, shift in self.fetched.by(loop, self.levels_ahead, self.rows):
            kind = self.variables[name].type
            axes = [(number, axis.length) for number, axis in zip(numbers, kind.axes, strict=True)]
            level = self._level(ir.LevelAt(loop.name, shift), None)
            lines.append(
                f"__builtin_prefetch(&{name}[{self._of_lanes(kind, level, axes)}], 0, "
                f"{self.locality});"
            )
        return lines

    def _of_lanes(self, kind: ArgumentType, level: str | None, axes: list[tuple[int, int]]) -> str:
        """Where the value of the first of the lanes lies."""
        index = self.layout.own_index(kind, f"block * {self.layout.block} + from", level, axes)
        return index.removesuffix("lane") + "from" if index.endswith("lane") else index

    def _streams(self, loop: LevelLoop) -> list[str]:
        """Rows that are whole now go to where they belong."""
        found = []
        for step in loop.steps:
            if step not in self.rows or not self.rows[step].is_whole:
                continue
            row_, name = self.rows[step].name, step.name
            kind = self.variables[name].type
            own = {slot.axis: slot.index for slot in step.slots}
            axes = [(own[axis], axis.length) for axis in kind.axes]
            if self.layout.block == 1:
                to = self.layout.own_index(kind, self.point, "0", axes).removesuffix(" + 0")
                if self.rows[step].is_read:
                    begin, end = self._ends(loop)
                    to = self.layout.own_index(kind, self.point, begin, axes)
                    first = f"({begin})" if " " in begin else begin
                    found.append(f"stream(&{name}[{to}], {row_} + {begin}, {end} - {first});")
                else:
                    found.append(f"stream(&{name}[{to}], {row_}, {levels_of(kind)});")
            else:
                to = self._of_lanes(kind, loop.name, axes)
                found.append(f"stream(&{name}[{to}], &{row_}[from], to - from);")
        return found

    def _beside(self, loop: LevelLoop) -> list[str]:
        """Levels that are not set, into rows that are read."""
        found = []
        for step in loop.steps:
            if step not in self.rows or not self.rows[step].is_read:
                continue
            begin, end = self._ends(loop)
            kind, name = self.variables[step.name].type, loop.name
            here = self.layout.own_index(kind, self.point, name, [])
            copy = f"{self.rows[step].name}[{name}] = {step.name}[{here}];"
            levels = levels_of(kind)
            before = f"std::min<std::int64_t>({begin}, {levels})"
            if begin != "0":
                found.append(f"for (std::int64_t {name} = 0; {name} < {before}; ++{name}) {copy}")
            if end != levels:
                after = f"std::max<std::int64_t>({end}, 0)"
                found.append(
                    f"for (std::int64_t {name} = {after}; {name} < {levels}; ++{name}) {copy}"
                )
        return found

    def _ends(self, loop: LevelLoop) -> tuple[str, str]:
        assert loop.levels is not None
        return self._level(loop.levels.begin, loop), self._level(loop.levels.end, loop)

    def _needed(self, here: str, lines: list[str]) -> list[str]:
        """`here` where `lines` name the point."""
        text = "\n".join(lines)
        used = f"{self.point}]" in text or f"{self.point} " in text or f" {self.point}" in text
        return [here] if used else []

    def _found_starts(self) -> list[str]:
        """For each point of a block, once for all levels: where its neighbours' values begin."""
        if not self.starts:
            return []
        block = self.layout.block
        found = [
            f"const std::int64_t {self.point} = block * {block} + lane;",
            *self._found_neighbours(),
            *(f"{name}[lane] = {start};" for start, name in self.starts.items()),
        ]
        return [
            *(f"std::int64_t {name}[{block}];" for name in self.starts.values()),
            "for (std::int64_t lane = from; lane < to; ++lane) {",
            *(f"  {line}" for line in found),
            "}",
        ]

    def _found_neighbours(self) -> list[str]:
        return [f"const std::int64_t {name} = {text};" for name, text in self.neighbours.items()]

    def _over_members(self, loop: LevelLoop, inner: list[str]) -> list[str]:
        if loop.group is None:
            return inner
        name, table = loop.member, loop.group.full_name
        begin, end = f"{table}[{self.point}]", f"{table}[{self.point} + 1]"
        head = f"for (std::int64_t {name} = {begin}; {name} < {end}; ++{name}) {{"
        return [head, *(f"  {line}" for line in inner), "}"]

    def _over_levels(self, loop: LevelLoop, inner: list[str]) -> list[str]:
        if loop.levels is None:
            return inner
        begin, end = self._ends(loop)
        name = loop.name
        head = f"for (std::int64_t {name} = {begin}; {name} < {end}; ++{name}) {{"
        if loop.levels.order == "downward":
            head = f"for (std::int64_t {name} = {end} - 1; {name} >= {begin}; --{name}) {{"
        return [head, *(f"  {line}" for line in inner), "}"]

    def _over_vectors(self, loop: LevelLoop, inner: list[str]) -> list[str]:
        """Levels that do not need each other, so many at a time that they fill long vectors."""
        lines = [SIMD, *self._over_levels(loop, inner)]
        assert loop.levels is not None
        if loop.group is not None or not self._may_repeat(loop):
            return lines
        self.has_vectors = True
        begin, end = self._ends(loop)
        head = f"for (std::int64_t {loop.name} = from; {loop.name} < to; ++{loop.name}) {{"
        rows = set(re.findall(rf"\w+\[[^\]]*\b{loop.name}\b[^\]]*\]", "\n".join(inner)))
        around = "in_vectors" if len(rows) <= MOST_ROWS else "in_one_loop"
        lanes = "[&](std::int64_t from, std::int64_t to) __attribute__((always_inline)) {"
        return [
            f"{around}<{LANES[self.real]}>({begin}, {end}, {lanes}",
            *(f"  {line}" for line in [SIMD, head, *lines[2:]]),
            "});",
        ]

    def _may_repeat(self, loop: LevelLoop) -> bool:
        """Whether a level comes out the same when it is computed once more."""
        names = [step.name for step in loop.steps]
        for number, step in enumerate(loop.steps):
            later = {name for name in names[number:] if self.plan.kept.get(name) != "scalar"}
            if any(read.name in later for read in reads([step])):
                return False
        return True

    def _quotient(self, quotient: ir.Apply, slots: dict[str, int]) -> str | None:
        """By what is the same at all levels."""
        loop, (value, divisor) = self.loop, quotient.args
        if loop is None or self.divides or not is_free(loop):
            return None
        if not self.is_told or self.real != "double":
            return None
        moving = {step.name for step in loop.steps}
        if loop.group or not stays(divisor, self.variables, moving) or is_power_of_two(divisor):
            return None
        if stays(value, self.variables, moving):
            return None
        self.has_quotients = True
        by = self.expressions.text(divisor, slots)
        name = self.divisors.name_of(divisor, by)
        lane = "[lane]" if self.layout.block > 1 else ""
        return f"quotient(quick, {self.expressions.text(value, slots)}, {by}, {name}{lane})"

    def _steps(self, loop: LevelLoop) -> list[str]:
        self.loop, self.divisors = loop, Divisors(self.variables)
        self.divides = are_behind([step.value for step in loop.steps], self.variables)
        found, declared = [], set[str]()
        for step in loop.steps:
            name = step.name
            scalar = self.plan.kept.get(name) == "scalar"
            target = self._read(ir.Read(name, step.slots, step.level, step.spot), {})
            kind = f"{self.real} " if scalar and target not in declared else ""
            declared.add(target)
            found.append(kind + self._step(step, loop))
        return found

    def _step(self, step: Step, loop: LevelLoop) -> str:
        value = self.expressions.text(step.value)
        target = self._read(ir.Read(step.name, step.slots, step.level, step.spot), {})
        if step in self.rows:
            target = f"{self.rows[step].name}[{self._level_in_row(step)}]"
        if not isinstance(step, Accumulate):
            return f"{target} = {value};"
        if step.begin is None:
            assert loop.group is not None
            first = f"{loop.member} == {loop.group.full_name}[{self.point}]"
        else:
            first = f"{loop.name} == {self._level(step.begin, loop)}"
        sum_ = step.op == "sum"
        joined = f"{target} + ({value})" if sum_ else extreme(step.op, [target, value])
        return f"{target} = {first} ? {value} : {joined};"

    def _level_in_row(self, step: Step) -> str:
        level = self.variables[step.name].type.level
        if self.layout.block > 1 or step.level is None or level is None:
            return "lane"
        return self._level(step.level, None, level.extra)

    def _level(self, at: ir.LevelAt, loop: LevelLoop | None, extra: int = 0) -> str:
        more = loop.levels.axis.extra if loop and loop.levels else extra
        if at.base == "first":
            return str(at.shift)
        base, shift = ("levels", at.shift - 1 + more) if at.base == "last" else (at.base, at.shift)
        return f"{base} {'+' if shift > 0 else '-'} {abs(shift)}" if shift else base

    def _read(self, read: ir.Read, slots: dict[str, int]) -> str:
        kind = self.variables[read.name].type
        kept = self.plan.kept.get(read.name)
        if kind.role == "parameter":
            return read.name
        own = ir.own_slots(read.slots, kind)
        if kept == "scalar":
            words = [slot.axis.names[slot.number(slots)] for slot in own]
            return "_of_".join([read.name, *words])
        if kept == "point":
            return f"{read.name}[lane]" if self._has_lanes(kind) else read.name
        away = ir.steps_of(read, kind)
        member = "".join(slot.name for slot in away if isinstance(slot.axis, Group))
        steps = [
            (slot.axis, slot.number(slots))
            for slot in away
            if isinstance(slot.axis, Relation) and not member
        ]
        neighbour = member or self._neighbour(steps)
        axes = [(slot.number(slots), slot.axis.length) for slot in own]
        extra = kind.level.extra if kind.level else 0
        level = self._level(read.level, None, extra) if read.level else None
        if read.name in self.read_rows and not away:
            return f"{self.read_rows[read.name]}[{level}]"
        if kept == "column":
            index = row(kind, "", level, axes)
            lanes = f" * {self.layout.block} + lane" if self._has_lanes(kind) else ""
            index = f"{factor(index)}{lanes}" if lanes else index
        elif read.name in self.rooms:
            room = self._room(neighbour or self.point, self.rooms[read.name])
            index = room_index(kind, room, level, axes)
        elif neighbour and not member and self.by_blocks:
            index = self._from_start(kind, neighbour, self.layout.row(kind, level, axes))
        elif neighbour:
            index = self.layout.index(kind, neighbour, level, axes)
        elif kind.place is None:
            index = self.layout.index(kind, None, level, axes)
        else:
            index = self.layout.own_index(kind, self.point, level, axes)
        return f"{read.name}[{index}]"

    def _from_start(self, kind: ArgumentType, neighbour: str, row_: str) -> str:
        start = self.layout.start(kind, neighbour)
        alike = [each for each in self.starts.values() if each.startswith(f"{neighbour}_at")]
        name = self.starts.setdefault(start, f"{neighbour}_at{len(alike) or ''}")
        return f"{name}[lane]" if row_ == "0" else f"{name}[lane] + {row_}"

    def _room(self, point: str, group: int) -> str:
        name = f"{point}_room_{group}" if group else f"{point}_room"
        self.neighbours.setdefault(name, f"rooms_{group}[{point}]")
        return name

    def _has_lanes(self, kind: ArgumentType) -> bool:
        return self.layout.block > 1 and kind.place is not None

    def _neighbour(self, steps: list[tuple[Relation, int]]) -> str:
        """The number of the neighbour that the last of `steps` leads to, then the one before it."""
        point = name = ""
        for relation, number in reversed(steps):
            name = "_".join([*([name] if name else []), relation.name, relation.names[number]])
            at = self.layout.table(relation, point or self.point, number)
            self.neighbours.setdefault(name, f"{relation.full_name}[{at}]")
            point = name
        return name


def _with_all_levels(loop: LevelLoop) -> LevelLoop:
    """From the first level of any part to the last one."""
    assert loop.levels is not None
    levels = [part.levels for part in loop.parts if part.levels]
    begin = min((each.begin for each in levels), key=lambda at: at.shift)
    last = max(levels, key=lambda each: each.end.shift + each.axis.extra)
    whole = replace(loop.levels, axis=last.axis, begin=begin, end=last.end)
    return replace(loop, levels=whole)


def is_free(loop: LevelLoop) -> bool:
    """No level of the loop needs another one."""
    whole = loop.parts or [loop]
    free = all(part.levels is not None and part.levels.order == "any" for part in whole)
    return free and (
        loop.group is not None or not any(isinstance(step, Accumulate) for step in loop.steps)
    )
