# SPDX-License-Identifier: Apache-2.0
"""What a value of an expression is: its place and levels, its unit, number or condition."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from thalweg.dsl import ir
from thalweg.dsl.grid import LevelAxis, Place
from thalweg.dsl.problem import KernelError
from thalweg.dsl.units import ONE, Unit, over, power, times, unit_text

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
TRUTHS = ("and", "or", "not")
NO_NUMBER = (
    "a number is wanted here, this is a condition", "", "where(condition, 1, 0) is a number"
)  # fmt: skip
PURE = ("exp", "log", "sin", "cos", "tan", "atan")  # of a number without a unit


@dataclass(frozen=True)
class ValueType:
    """Of an expression. unit None: any, as zero has. `truth`: a condition, no number."""

    place: Place | None = None
    level: LevelAxis | None = None  # differs from level to level, with no loop around
    unit: Unit | None = ONE
    truth: bool = False


def unit_of(expression: ir.Apply, types: list[ValueType]) -> tuple[Unit | None, bool]:
    """The unit of the result, and whether it is a condition."""
    op, spot = expression.op, expression.spot
    for each in types[:1] if op == "where" else types if op in TRUTHS else []:
        if not each.truth:
            raise KernelError(spot, "a condition is wanted here", hint="as in 'mass > 0'")
    numbers = types[1:] if op == "where" else types
    if op in TRUTHS:
        return ONE, True
    if any(each.truth for each in numbers):
        raise KernelError(spot, *NO_NUMBER)
    units = [each.unit for each in numbers]
    if op in ("*", "/"):
        join = times if op == "*" else over
        return join(units[0] or ONE, units[1] or ONE), False
    if op == "**":
        return _raised(expression, units), False
    if op == "sqrt":
        return power(units[0] or ONE, Fraction(1, 2)), False
    if op in PURE and units[0] not in (None, ONE):
        raise KernelError(
            spot,
            f"'{op}' of '{unit_text(units[0] or ONE)}'",
            hint="divide by a reference value first",
        )
    known = list(dict.fromkeys(each for each in units if each is not None))
    if len(known) > 1:
        raise KernelError(
            spot,
            f"'{unit_text(known[0])}' and '{unit_text(known[1])}' meet here",
            "both sides of + and -, of a comparison and of 'where' have one unit",
            _between(known[0], known[1]),
        )
    if op in ("atan", "atan2"):
        return ONE, False
    return (known[0] if known else None), op in COMPARISONS or op == "signbit"


def _between(one: Unit, other: Unit) -> str:
    """What makes the second unit of the first."""
    return f"what comes between them is in '{unit_text(over(other, one))}'"


def _raised(expression: ir.Apply, units: list[Unit | None]) -> Unit:
    if units[1] not in (None, ONE):
        raise KernelError(
            expression.spot, "an exponent has no unit", hint="divide it by a reference value first"
        )
    exponent = _number(expression.args[1])
    if exponent is not None and math.isfinite(exponent):
        return power(units[0] or ONE, Fraction(exponent).limit_denominator(64))
    if units[0] not in (None, ONE):
        raise KernelError(
            expression.spot,
            f"'{unit_text(units[0] or ONE)}' to a power that is no number",
            hint="divide by a reference value first",
        )
    return ONE


def _number(expression: ir.Expression) -> float | None:
    """2, -2 or 1 / 3 as they stand in the source; None for what is no such number."""
    if isinstance(expression, ir.Literal):
        return float(expression.value)
    parts = [_number(each) for each in expression.args] if isinstance(expression, ir.Apply) else []
    if not isinstance(expression, ir.Apply) or None in parts:
        return None
    first, *others = (each for each in parts if each is not None)
    if expression.op == "neg":
        return -first
    return first / others[0] if expression.op == "/" and others[0] else None
