# SPDX-License-Identifier: Apache-2.0
"""Target `cuda`: C++ for nvcc, a sweep a launch; arrays lie on the device, ranges with the host."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thalweg.dsl import ir
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.layout import factor
from thalweg.dsl.passes.precision import in_precision
from thalweg.dsl.passes.set_again import sets_again
from thalweg.dsl.passes.sweeps import Plan, Sweep
from thalweg.dsl.targets.cpp_includes import with_includes
from thalweg.dsl.targets.cpp_text import CODE as CODE_OF_OPERATION
from thalweg.dsl.targets.cpp_text import WHOLE_LOOPS, comment, constants
from thalweg.dsl.targets.cuda_loops import LEVEL, CudaLoops, by_levels, on_device
from thalweg.dsl.targets.cuda_text import prelude
from thalweg.dsl.translation import plan_of, size_names, table_names


def on_the_device(code: str) -> str:
    """A function of a host: std::bit_cast is none of a device, and each kernel calls it with one
    type.
    """
    code = re.sub(
        r"return std::bit_cast<(.*)>\(x\) < 0;",
        r"\1 bits;\n  std::memcpy(&bits, &x, sizeof bits);\n  return bits < 0;",
        code,
    )
    return code.replace("static inline", "[[maybe_unused]] ON_DEVICE")


def translate(kernel: ir.KernelIR, configuration: Configuration) -> str:
    """One file with one function that a host calls with arrays of the device."""
    kernel = in_precision(kernel, configuration)
    return Writer(kernel, configuration, plan_of(kernel, configuration)).text()


@dataclass(frozen=True)
class _Word:
    """A parameter of a sweep."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}{'' if self.kind.endswith('*') else ' '}{self.name}"


class Writer:
    """Of one file. Targets on several ranks change what goes around the sweeps."""

    def __init__(self, kernel: ir.KernelIR, configuration: Configuration, plan: Plan) -> None:
        self.kernel, self.layout = kernel, configuration.memory
        self.is_by_points = configuration.layout != "level_innermost"
        self.is_blocked = configuration.layout == "blocked"
        self.real = configuration.real
        self.plan = on_device(plan)
        self.loops = CudaLoops(kernel, configuration, self.plan)
        self.words = (*self._sizes(), *self._arguments())

    def text(self) -> str:
        operations = {
            each.op for each in ir.walk(self.kernel.body) if isinstance(each, (ir.Apply, ir.Reduce))
        }
        made = [code for op, code in CODE_OF_OPERATION.items() if op in operations]
        lines = [f"// {self.kernel.origin}"]
        lines += [WHOLE_LOOPS] if sets_again(self.plan, self.kernel.arguments) else []
        lines += [prelude(self.kernel.name), *self._before()]
        lines += [on_the_device(each) for each in made]
        lines += constants(self.kernel, self.real)
        for number, sweep in enumerate(self.plan.sweeps):
            lines += self._sweep(number, sweep)[0]
        lines += comment(self.kernel.doc)
        lines += ["// Arrays lie on the device, and none that is set in the memory of another one;"]
        lines += [
            "// ranges of points lie with the host. Returns before the device is done, but for"
        ]
        lines += ["// THALWEG_CALLS_WAIT."]
        lines += [f'extern "C" void {self.kernel.name}({", ".join(self._parameters())}) {{']
        lines += [f"  {line}" for line in [*self._begin(), *self._fields(), *self._calls()]]
        lines += ["  end_of_call();"]
        return with_includes("\n".join([*lines, "}", ""]))

    def _before(self) -> list[str]:
        """What stands before the functions."""
        return []

    def _parameters(self) -> list[str]:
        return list(map(str, self.words))

    def _begin(self) -> list[str]:
        """What is done first in a call."""
        return []

    def _calls(self) -> list[str]:
        sweeps = enumerate(self.plan.sweeps)
        return [line for number, sweep in sweeps for line in self._launch(number, sweep)]

    def _launch(self, number: int, sweep: Sweep) -> list[str]:
        return self._sweep(number, sweep)[1]

    def _sizes(self) -> list[_Word]:
        return [
            *(_Word("std::int64_t", name) for name in size_names(self.kernel)),
            *(_Word("const std::int32_t*", name) for name in table_names(self.kernel)),
        ]

    def _arguments(self) -> list[_Word]:
        words = []
        for name, each in self.kernel.arguments.items():
            if each.type.role == "points":
                words.append(_Word("const std::int64_t*", name))
                words.append(_Word("std::int64_t", f"{name}_parts"))
            elif each.type.role == "parameter":
                words.append(_Word(self.real, name))
            else:
                const = "" if each.type.is_written else "const "
                words.append(_Word(f"{const}{self.real}*", name))
        return words

    def _local_fields(self) -> list[str]:
        return [name for name, how in self.plan.kept.items() if how == "field"]

    def _fields(self) -> list[str]:
        """Local values that threads need of each other, and what nobody sets is NaN."""
        lines = []
        for name in self._local_fields():
            size = self.layout.size(self.plan.locals[name].type)
            lines += [
                f"static thread_local Room {name}_room;",
                f"auto* const {name} = static_cast<{self.real}*>({name}_room.of("
                f"static_cast<std::size_t>({size}) * sizeof({self.real})));",
                f"launch({size}, 1, not_set<{self.real}>, {name}, {size});",
            ]
        return lines

    def _sweep(self, number: int, sweep: Sweep) -> tuple[list[str], list[str]]:
        """The function of a thread, and its launch."""
        name = f"{self.kernel.name}_sweep_{number}"
        body = [*self._point_locals(sweep), *self.loops.of(sweep)]
        levels = self._levels(sweep) if by_levels(sweep) else ""
        head = self._head(sweep, levels)
        text = "\n".join([*head, *body])
        fields = [_Word(f"{self.real}*", each) for each in self._local_fields()]
        known = [*self.words, *fields]
        used = [each for each in known if re.search(rf"\b{each.name}\b", text)]
        own = [_Word("std::int64_t", "points_of_part")]
        given = ["1" if sweep.place is None else sweep.place.plural]
        ranges: list[str] = []
        if sweep.points:
            own.append(_Word("const std::int64_t*", "parts_on_device"))
            ranges = [
                "static thread_local RangesThere given_parts;",
                f"given_parts.keep({sweep.points}, {sweep.points}_parts);",
            ]
            given = ["given_parts.longest", "given_parts.at + 2 * part"]
        function = [
            f"SWEEP {name}({', '.join(map(str, [*own, *used]))}) {{",
            *(f"  {line}" for line in [*head, *body]),
            "}",
            "",
        ]
        threads = f"{given[0]} * {factor(levels)}" if levels else given[0]
        words = ", ".join([*given, *(each.name for each in used)])
        call = [f"launch({threads}, 1, {name}, {words});"]
        if sweep.points:
            parts = f"{sweep.points}_parts"
            call = [
                *ranges,
                f"for (std::int64_t part = 0; part < {parts}; part += most_parts) {{",
                f"  launch({threads}, std::min({parts} - part, most_parts), {name}, {words});",
                "}",
            ]
        return function, ["{", *(f"  {line}" for line in call), "}"]

    def _levels(self, sweep: Sweep) -> str:
        extra = max(loop.levels.axis.extra for loop in sweep.loops if loop.levels)
        return f"levels + {extra}" if extra else "levels"

    def _point_locals(self, sweep: Sweep) -> list[str]:
        names = [step.name for loop in sweep.loops for step in loop.steps]
        kept = dict.fromkeys(each for each in names if self.plan.kept.get(each) == "point")
        return [f"{self.real} {name} = NAN;" for name in kept]

    def _head(self, sweep: Sweep, levels: str) -> list[str]:
        """Which point and level a thread has; threads that have none return."""
        lines = ["const std::int64_t thread = thread_index();"]
        at = "thread"
        if levels and self.is_by_points:
            lines += [
                f"const std::int64_t {LEVEL} = divided(thread, points_of_part);",
                f"if ({LEVEL} >= {levels}) return;",
            ]
            at = f"thread - {LEVEL} * points_of_part"
        elif levels:
            lines += [
                f"const std::int64_t point_of_thread = divided(thread, {levels});",
                "if (point_of_thread >= points_of_part) return;",
                f"const std::int64_t {LEVEL} = thread - point_of_thread * {factor(levels)};",
            ]
            at = "point_of_thread"
        else:
            lines.append("if (thread >= points_of_part) return;")
        if sweep.place is None:
            return lines
        point = sweep.place.name
        if sweep.points:
            lines += [
                f"const std::int64_t {point} = parts_on_device[2 * thread_part()] + {at};",
                f"if ({point} >= parts_on_device[2 * thread_part() + 1]) return;",
            ]
        else:
            lines.append(f"const std::int64_t {point} = {at};")
        if self.is_blocked:
            size = self.layout.block
            lines.append(f"const std::int64_t block = {point} / {size}, lane = {point} % {size};")
        return lines
