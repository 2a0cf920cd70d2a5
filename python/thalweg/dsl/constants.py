# SPDX-License-Identifier: Apache-2.0
"""Physical constants of a kernel's file."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.dsl.units import Unit, parse_unit


@dataclass(frozen=True)
class Constant:
    value: float
    unit: Unit


def constant(value: float, unit: str = "1") -> Constant:
    """`gravity = constant(9.80665, "m s-2")`."""
    return Constant(float(value), parse_unit(unit))
