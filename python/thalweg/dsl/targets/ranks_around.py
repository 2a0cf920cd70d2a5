# SPDX-License-Identifier: Apache-2.0
"""What goes around the sweeps of a kernel on ranks: which points are when computed, and what
travels meanwhile. The same for a CPU and a GPU.
"""

from __future__ import annotations

import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from thalweg.dsl import ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.layout import Layout, factor
from thalweg.dsl.passes.exchanges import Exchange, Schedule, Step, Way, ways_of
from thalweg.dsl.passes.sweeps import Plan, Sweep
from thalweg.dsl.translation import size_names, table_names


def of_own_points(plan: Plan) -> Plan:
    sweeps = [
        replace(sweep, points=f"own_{number}" if sweep.place else "")
        for number, sweep in enumerate(plan.sweeps)
    ]
    return replace(plan, sweeps=sweeps)


class AroundSweeps(ABC):
    """Of a writer of code, whose sweeps go over the points that they are given."""

    kernel: ir.KernelIR
    plan: Plan
    layout: Layout
    real: str
    has_threads: bool

    def surround(self, configuration: Configuration, plan: Plan, schedule: Schedule) -> None:
        """Before there is a text. plan: of all points"""
        self.target, self.schedule = configuration.target, schedule
        self.is_by_points = configuration.layout != "level_innermost"
        self.together = {"level_innermost": "1", "blocked": str(configuration.block)}.get(
            configuration.layout, ""
        )
        self.places = self.kernel.places()
        self.given = [sweep.points for sweep in plan.sweeps]  # arguments of type Points
        self.needed = {
            each.needed: (number, each) for number, each in enumerate(schedule.exchanges)
        }

    @abstractmethod
    def _of_sweep(self, number: int, sweep: Sweep) -> list[str]:
        """What computes a sweep at its points."""

    def _travels(self, name: str) -> bool:
        """Whether values of an argument beyond own points are set to those of their owners."""
        return any(name in each.names for each in self.schedule.exchanges)

    def _with_parts(self, parameters: Sequence[str]) -> list[str]:
        words = [
            word.removeprefix("const ") if self._travels(re.split("[ *]", word)[-1]) else word
            for word in parameters
        ]
        return ["void* parts", *words]

    def _parts_function(self) -> list[str]:
        """The function that divides own points into those with and without others' values."""
        words = [f"std::int64_t {each.plural}" for each in self.places]
        words += [f"const std::int32_t* {name}" for name in table_names(self.kernel)]
        sizes = ", ".join(f'{{"{each.plural}", {each.plural}}}' for each in self.places)
        relations = self.kernel.neighbour_tables()
        tables = ", ".join(
            f"{{{self._place(each.source.plural)}, {self._place(each.target.plural)}, "
            f'{each.full_name}, "{each.full_name}"}}'
            for each in relations
        )
        lines = [
            "// What the kernel is called with for these tables, as long as they stay. Null, and",
            "// why, if the halo is not deep enough; together, which is collective, on all ranks",
            "// if it is not on one.",
            f'extern "C" void* {self.kernel.name}_parts('
            + ", ".join(["void* ranks", *words, "int together", "char* said", "std::int64_t room"])
            + ") {",
            "  std::vector<Part> parts(" + f"{len(self.plan.sweeps)});",
        ]
        for number, sweep in enumerate(self.plan.sweeps):
            if sweep.place:
                lines.append(f"  parts[{number}].place = {self._place(sweep.place.plural)};")
            if self.given[number]:
                lines.append(f"  parts[{number}].may_lack = true;")
            meanwhile = self._ways(number, sweep)
            every = ways_of(self.kernel, self.plan, sweep).values() if sweep.place else ()
            for way in dict.fromkeys(way for ways in every for way in ways):
                hops = ", ".join(self._hop(relation) for relation in way)
                kind = "ways" if way in meanwhile else "others"
                lines.append(f"  parts[{number}].{kind}.push_back({{{hops}}});")
        lines += [
            f'  return make_parts(static_cast<Ranks*>(ranks), "{self.kernel.name}", {{{sizes}}},',
            f"                    {{{tables}}}, std::move(parts), together != 0, said, room);",
            "}",
            "",
        ]
        return lines

    def _ways(self, number: int, sweep: Sweep) -> list[Way]:
        """Through which a sweep needs what is exchanged before it ends."""
        if number not in self.needed:
            return []
        names = self.needed[number][1].names
        ways = ways_of(self.kernel, self.plan, sweep)
        return list(dict.fromkeys(way for name in names for way in ways.get(name, ())))

    def _hop(self, step: Step) -> str:
        relation, number = step
        first, end = (0, relation.length) if number is None else (number, number + 1)
        ends = self._place(relation.source.plural), self._place(relation.target.plural)
        numbers = map(str, (relation.length, first, end, *ends))
        words = [relation.full_name, *numbers, "true" if self.is_by_points else "false"]
        return f"Hop{{{', '.join(words)}}}"

    def _place(self, plural: str) -> int:
        return [each.plural for each in self.places].index(plural)

    def _find_points(self) -> list[str]:
        """Which points each sweep goes over in this call."""
        totals = ", ".join(each.plural for each in self.places)
        lines = [
            "auto& given = *static_cast<Parts*>(parts);",
            f'given.expect("{self.kernel.name}", {{{totals}}});',
            *self._expected_levels(),
        ]
        for number, sweep in enumerate(self.plan.sweeps):
            if sweep.place:
                own = f"given.mine[{self._place(sweep.place.plural)}]"
                points = self.given[number]
                words = f"{points}, {points}_parts, {own}" if points else own
                lines.append(f"given.parts[{number}].find({words});")
        return lines

    def _expected_levels(self) -> list[str]:
        if "levels" not in size_names(self.kernel):
            return []
        least = self.kernel.least_levels
        return [f'given.expect_levels("{self.kernel.name}", levels, {least});']

    def _ranges(self) -> list[str]:
        """Ranges of points by name."""
        lines = ["const auto& parts_of = static_cast<const Parts*>(parts)->parts;"]
        for number, sweep in enumerate(self.plan.sweeps):
            kinds = ["own", "inner", "outer"] if number in self.needed else ["own"]
            for kind in kinds if sweep.place else []:
                ranges = f"parts_of[{number}].now_{kind}"
                lines += [
                    f"[[maybe_unused]] const auto* const {kind}_{number} = {ranges}.data();",
                    f"[[maybe_unused]] const std::int64_t {kind}_{number}_parts = "
                    f"std::ssize({ranges}) / 2;",
                ]
            if sweep.place and number in self.needed:
                lines.append(f"const auto& pieces_{number} = parts_of[{number}].pieces;")
        return lines

    def _sweeps_and_exchanges(self) -> list[str]:
        lines: list[str] = []
        for number, sweep in enumerate(self.plan.sweeps):
            for which, exchange in enumerate(self.schedule.exchanges):
                if exchange.begin == number:
                    lines += self._leaving(which, exchange)
            if number not in self.needed:
                lines += self._of_sweep(number, sweep)
                lines += self._moving(number)
                continue
            points, pieces = f"points_{number}", f"pieces_{number}"
            inner = [
                f"const bool others = piece_at == std::ssize({pieces}) - 1;",
                *self._arriving(*self.needed[number]),
                f"const std::int64_t* const {points} = others ? outer_{number}"
                f" : inner_{number} + 2 * {pieces}[piece_at];",
                f"const std::int64_t {points}_parts = others ? outer_{number}_parts"
                f" : {pieces}[piece_at + 1] - {pieces}[piece_at];",
                *self._of_sweep(number, replace(sweep, points=points)),
            ]
            lines += [
                "// Points that need no others' values, piece by piece, then the rest.",
                f"for (std::int64_t piece_at = 0; piece_at < std::ssize({pieces}); ++piece_at) {{",
                *(f"  {line}" for line in inner),
                "}",
            ]
        return [*lines, *self._changed()]

    def _alone(self, lines: Sequence[str], *, all_wait: bool) -> list[str]:
        """MPI is called by the first thread; where `all_wait`, the others go on when it is done."""
        if not self.has_threads:
            return list(lines)
        inner = [f"  {line}" for line in lines]
        barrier = ["#pragma omp barrier"] if all_wait else []
        return ["#pragma omp master", "{", *inner, "}", *barrier]

    def _leaving(self, which: int, exchange: Exchange) -> list[str]:
        words = [self._halo(name, exchange) for name in exchange.names]
        wires = "static_cast<Parts*>(parts)->ranks"
        lines = [
            f"// Values of {', '.join(exchange.names)} leave.",
            f"Ranks& ranks_{which} = *{wires};",
            f"[[maybe_unused]] const auto& places_{which} = static_cast<Parts*>(parts)->places;",
            f"Halo<{self.real}> halo_{which}[] = {{",
            *(f"  {{places_{which}{word}}}," for word in words),
            "};",
        ]
        about = " ".join([self.kernel.name, str(which), *exchange.names])
        begin = [f"leave(ranks_{which}, halo_{which}, {zlib.crc32(about.encode())}u);"]
        return [*lines, *self._alone(begin, all_wait=False)]

    def _arriving(self, which: int, exchange: Exchange) -> list[str]:
        end, on = [f"arrive(ranks_{which}, halo_{which});"], [f"move_on(ranks_{which});"]
        return [
            "if (others) {",
            *(f"  {line}" for line in self._alone(end, all_wait=True)),
            "} else if (piece_at > 0) {",
            *(f"  {line}" for line in self._alone(on, all_wait=False)),
            "}",
        ]

    def _moving(self, number: int) -> list[str]:
        """Behind a sweep, what is under way moves on."""
        under_way = [
            f"move_on(ranks_{which});"
            for which, each in enumerate(self.schedule.exchanges)
            if each.begin <= number < each.needed
        ]
        return self._alone(under_way[:1], all_wait=False) if under_way else []

    def _halo(self, name: str, exchange: Exchange) -> str:
        kind = self._type(name)
        assert kind.place is not None
        together = self.together or kind.place.plural
        words = [f"[{self._place(kind.place.plural)}]", name, self.layout.size(kind)]
        words += [self.layout.values(kind), together]
        if name in exchange.given:
            words.append("true")
        return ", ".join(words)

    def _type(self, name: str) -> ArgumentType:
        return (self.kernel.arguments.get(name) or self.plan.locals[name]).type

    def _changed(self) -> list[str]:
        ranks = "static_cast<Parts*>(parts)->ranks"
        lines = [
            f"{ranks}->changed({name}, {factor(self.layout.size(self._type(name)))} * "
            f"static_cast<std::int64_t>(sizeof({self.real})));"
            for name in self.schedule.changed
        ]
        return self._alone(lines, all_wait=False) if lines else []
