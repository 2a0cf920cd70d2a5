# SPDX-License-Identifier: Apache-2.0
"""Physical constants of a kernel's file."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Union

from thalweg.dsl.units import ONE, Unit, over, parse_unit, power, times, unit_text


@dataclass(frozen=True)
class Constant:
    """Others may be computed of it in the file: `kappa = gas_constant / heat_capacity`."""

    value: float
    unit: Unit

    def __mul__(self, other: Operand) -> Constant:
        return Constant(self.value * _of(other).value, times(self.unit, _of(other).unit))

    def __truediv__(self, other: Operand) -> Constant:
        return Constant(self.value / _of(other).value, over(self.unit, _of(other).unit))

    def __add__(self, other: Operand) -> Constant:
        if not isinstance(other, Constant) and other == 0:  # in any unit: sum([…]) begins with it
            return self
        if self.unit != _of(other).unit:
            both = unit_text(self.unit), unit_text(_of(other).unit)
            raise ValueError(f"constants in '{both[0]}' and '{both[1]}' cannot be added")
        return Constant(self.value + _of(other).value, self.unit)

    def __pow__(self, exponent: float) -> Constant:
        value = self.value**exponent
        if isinstance(value, complex):
            raise ValueError(f"{self.value} to the power {exponent} is no real number")
        return Constant(value, power(self.unit, Fraction(exponent).limit_denominator(64)))

    def __neg__(self) -> Constant:
        return Constant(-self.value, self.unit)

    def __sub__(self, other: Operand) -> Constant:
        return self + -other

    def __radd__(self, other: float) -> Constant:
        return self + other

    def __rsub__(self, other: float) -> Constant:
        return -self + other

    def __rmul__(self, other: float) -> Constant:
        return _of(other) * self

    def __rtruediv__(self, other: float) -> Constant:
        return _of(other) / self


Operand = Union[Constant, float]  # noqa: UP007 - Python 3.9 reads it, too


def _of(value: Operand) -> Constant:
    return value if isinstance(value, Constant) else Constant(float(value), ONE)


def constant(value: float, unit: str = "1") -> Constant:
    """`gravity = constant(9.80665, "m s-2")`."""
    return Constant(float(value), parse_unit(unit))
