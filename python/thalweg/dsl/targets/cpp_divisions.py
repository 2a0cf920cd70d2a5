# SPDX-License-Identifier: Apache-2.0
"""Divisions of a row by one number, in C++: its reciprocal and two corrections give the same bits.

A processor divides eight numbers in the time of thirty-two multiplications. That the quotient is
the right one: Markstein 1990, Computation of elementary functions on the IBM RISC System/6000.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container
from dataclasses import dataclass, field
from itertools import chain, count

from thalweg.dsl import ir

ROWS_A_DIVISION = 8  # 39 rows by two are faster with divisions, nine by two without them
CODE = """// Of a divisor; NaN where only a division gives the right bits.
static inline double reciprocal(double divisor) {
  const double size = std::abs(divisor);
  return size > 1e-30 && size < 1e30 ? 1.0 / divisor : NAN;
}

// x / divisor. `quick`: corrected until nothing is left, so right to the last bit; below 1e-250 it
// may be one off in that.
template <class Quick>
static inline double quotient(Quick, double x, double divisor, double reciprocal) {
#ifdef __FMA__
  if constexpr (Quick::value) {
    const double first = x * reciprocal;
    const double second = std::fma(std::fma(-divisor, first, x), reciprocal, first);
    const double third = std::fma(std::fma(-divisor, second, x), reciprocal, second);
    return std::abs(second) > 0.0 ? third : first;  // of 0, infinity and NaN nothing is left
  }
#endif
  return x / divisor;
}
"""


@dataclass
class Divisors:
    """Of a loop over levels: text of each and the name of its reciprocal, which is not `taken`."""

    taken: Container[str] = ()
    names: dict[str, str] = field(default_factory=dict)

    def name_of(self, divisor: ir.Expression, text: str) -> str:
        if text not in self.names:
            reads = [each.name for each in _leaves(divisor) if isinstance(each, ir.Read)]
            name = "_".join(["per", *(reads or [re.sub(r"\W", "_", text)])])
            others = (f"{name}_{number}" for number in count(1))
            self.names[text] = next(
                each
                for each in chain([name], others)
                if each not in self.taken and each not in self.names.values()
            )
        return self.names[text]

    def around(self, loop: list[str], block: int, point: list[str]) -> list[str]:
        """`loop` for divisors that have a reciprocal, and for others. `point`: what finds it."""
        if not self.names:
            return loop
        names = list(self.names.values())
        if block == 1:
            found = [f"const double {name} = reciprocal({text});" for text, name in self.pairs]
            found.append(f"const bool are_quick = {_all([f'{name} == {name}' for name in names])};")
        else:
            lanes = [f"{name}[lane] = reciprocal({text});" for text, name in self.pairs]
            lanes += [f"are_quick = are_quick && {name}[lane] == {name}[lane];" for name in names]
            found = [
                *(f"double {name}[{block}];" for name in names),
                "bool are_quick = true;",
                "for (std::int64_t lane = from; lane < to; ++lane) {",
                *(f"  {line}" for line in [*point, *lanes]),
                "}",
            ]
        return [
            "{",
            *(f"  {line}" for line in found),
            "  const auto row = [&](auto quick) __attribute__((always_inline)) {",
            *(f"    {line}" for line in loop),
            "  };",
            "  if (are_quick) row(std::true_type());",
            "  else row(std::false_type());",
            "}",
        ]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return list(self.names.items())


def _all(words: list[str]) -> str:
    return " && ".join(words)


def _leaves(expression: ir.Expression) -> list[ir.Expression]:
    return ir.walk((ir.Assign("", None, expression, expression.spot),))


def divisions(values: list[ir.Expression]) -> list[ir.Apply]:
    """Those that are more than a multiplication."""
    return [
        each
        for value in values
        for each in _leaves(value)
        if isinstance(each, ir.Apply) and each.op == "/" and not is_power_of_two(each.args[1])
    ]


def are_behind(values: list[ir.Expression], variables: dict[str, ir.Variable]) -> bool:
    """Whether divisions are over before what else the loop needs is there: one behind the memory,
    several behind many rows, whose addresses take all registers besides.
    """
    count = len(divisions(values))
    return count == 1 or sum(_rows(each, variables) for each in values) > ROWS_A_DIVISION * count


def _rows(expression: ir.Expression, variables: dict[str, ir.Variable]) -> int:
    """How many values it reads at each level."""
    if isinstance(expression, ir.Apply):
        return sum(_rows(each, variables) for each in expression.args)
    if isinstance(expression, ir.Reduce):
        times = 1 if isinstance(expression.over, ir.LevelRange) else expression.over.length
        return times * _rows(expression.body, variables)
    is_row = isinstance(expression, ir.Read) and variables[expression.name].type.level
    return 1 if is_row else 0


def is_power_of_two(expression: ir.Expression) -> bool:
    """Division by it is a multiplication already."""
    if not isinstance(expression, (ir.Literal, ir.Constant)) or not expression.value:
        return False
    return abs(math.frexp(expression.value)[0]) == 0.5


def stays(expression: ir.Expression, variables: dict[str, ir.Variable], moving: set[str]) -> bool:
    """Whether it is the same at all levels. `moving`: locals that change inside the loop."""
    for each in _leaves(expression):
        if isinstance(each, ir.Reduce) and isinstance(each.over, ir.LevelRange):
            return False
        if isinstance(each, ir.Read) and (
            each.name in moving or variables[each.name].type.level is not None
        ):
            return False
    return True
