# SPDX-License-Identifier: Apache-2.0
"""Expressions as C++ writes them, with no more brackets than they need."""

from __future__ import annotations

import math
from collections.abc import Callable

from thalweg.dsl import ir

FUNCTIONS = {
    "sqrt": "std::sqrt",
    "exp": "std::exp",
    "log": "std::log",
    "abs": "std::abs",
    "signbit": "is_negative",
    "min": "lesser",
    "max": "greater",
    "where": "chosen",
    "**": "std::pow",
    "sin": "std::sin",
    "cos": "std::cos",
    "tan": "std::tan",
    "atan": "std::atan",
    "atan2": "std::atan2",
}
EXTREMES = ("min", "max")
# Both values are there when one is chosen: a loop whose passes differ is no loop of long vectors.
CODE = {
    "where": """template <class Real>
static inline Real chosen(bool first, Real yes, Real no) {
  return first ? yes : no;
}
""",
    "min": """template <class Real>
static inline Real lesser(Real a, Real b) {
  return b < a ? b : a;
}
""",
    "max": """template <class Real>
static inline Real greater(Real a, Real b) {
  return a < b ? b : a;
}
""",
    "signbit": """static inline bool is_negative(double x) {
  return std::bit_cast<std::int64_t>(x) < 0;
}
static inline bool is_negative(float x) {
  return std::bit_cast<std::int32_t>(x) < 0;
}
""",
}
# For loops that have to do their statements in order: pass `set_again`.
WHOLE_LOOPS = """// GCC 12.2 takes such loops apart and gets the order of the pieces wrong.
#if defined __GNUC__ && !defined __clang__ && !defined __CUDACC__
#pragma GCC optimize("no-tree-loop-distribution", "no-tree-loop-distribute-patterns")
#endif"""
# For kernels with `where`. Three conditions would make eight ways through a loop, each with its own
# division; masks of a long vector need one.
ONE_WAY = """// GCC would make a way through the loop for every outcome of several conditions.
#if defined __GNUC__ && !defined __clang__ && !defined __CUDACC__
#pragma GCC optimize("no-thread-jumps")
#endif"""
# How tightly an operator binds; a looser operand stands in brackets.
BINDS = {
    "or": 2,
    "and": 3,
    "==": 4,
    "!=": 4,
    "<": 5,
    "<=": 5,
    ">": 5,
    ">=": 5,
    "+": 6,
    "-": 6,
    "*": 7,
    "/": 7,
    "neg": 8,
    "not": 8,
}
WORDS = {"or": "||", "and": "&&", "neg": "-", "not": "!"}

# The text of a read, with the slot numbers of the reductions around it.
Reading = Callable[[ir.Read, dict[str, int]], str]
# Divides a text by an expression in another way than "/", or does not.
Dividing = Callable[[ir.Apply, dict[str, int]], str | None]


class CppText:
    def __init__(self, reading: Reading, dividing: Dividing, real: str) -> None:
        self.reading, self.dividing, self.real = reading, dividing, real

    def text(self, expression: ir.Expression, slots: dict[str, int] | None = None) -> str:
        return self._at_least(expression, 0, slots or {})

    def _at_least(self, expression: ir.Expression, binding: int, slots: dict[str, int]) -> str:
        text, mine = self._bound(expression, slots)
        return f"({text})" if mine < binding else text

    def _bound(self, expression: ir.Expression, slots: dict[str, int]) -> tuple[str, int]:
        if isinstance(expression, ir.Literal):
            text = number(expression.value, self.real)
            return text, BINDS["neg"] if text.startswith("-") else 9
        if isinstance(expression, ir.Constant):
            return expression.name, 9
        if isinstance(expression, ir.Read):
            return self.reading(expression, slots), 9
        if isinstance(expression, ir.Reduce):
            return self._reduced(expression, slots)
        op, args = expression.op, expression.args
        if op in FUNCTIONS:
            words = [self._at_least(each, 0, slots) for each in args]
            if op in EXTREMES:
                return extreme(op, words), 9
            return f"{FUNCTIONS[op]}({', '.join(words)})", 9
        binds = BINDS[op]
        divided = self.dividing(expression, slots) if op == "/" else None
        if divided:
            return divided, 9
        if len(args) == 1:
            return WORDS[op] + self._at_least(args[0], binds + 1, slots), binds  # not "--"
        sign = f" {WORDS.get(op, op)} "
        first, *rest = args  # from left to right: a later one that binds alike needs brackets
        words = [self._at_least(first, binds, slots)]
        return sign.join(words + [self._at_least(each, binds + 1, slots) for each in rest]), binds

    def _reduced(self, reduce: ir.Reduce, slots: dict[str, int]) -> tuple[str, int]:
        assert not isinstance(reduce.over, ir.LevelRange)  # pass `sweeps` made loops of those
        binds = BINDS["+"] if reduce.op == "sum" else 0
        words = [
            self._at_least(reduce.body, binds + (number > 0), {**slots, reduce.name: number})
            for number in range(reduce.over.length)
        ]
        return (" + ".join(words), binds) if reduce.op == "sum" else (extreme(reduce.op, words), 9)


def extreme(op: str, words: list[str]) -> str:
    text = words[0]
    for each in words[1:]:
        text = f"{FUNCTIONS[op]}({text}, {each})"
    return text


def comment(text: str, mark: str = "//") -> list[str]:
    """Lines of a comment. One that ends with a backslash would go on in the next line of code."""
    return [f"{mark} {line}".rstrip(" \\") for line in text.splitlines()]


def number(value: float | int | bool, real: str) -> str:
    """C++ writes the same bits; a whole number takes part in the arithmetic of reals."""
    if isinstance(value, bool):
        return str(value).lower()
    if math.isnan(value):
        return "NAN"
    mark = "f" if real == "float" else ""
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}HUGE_VAL{mark.upper()}"
    return f"{float(value)!r}{mark}"


def constants(kernel: ir.KernelIR, real: str) -> list[str]:
    """Their declarations."""
    found = {each.name: each for each in ir.walk(kernel.body) if isinstance(each, ir.Constant)}
    return [
        f"constexpr {real} {name} = {number(each.value, real)};" for name, each in found.items()
    ]
