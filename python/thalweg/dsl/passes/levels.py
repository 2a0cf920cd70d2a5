# SPDX-License-Identifier: Apache-2.0
"""Pass: every level that is read or set exists, and from how many levels on it does.

A level outside a column would be another column's, or the other end of this one.
"""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.dsl import ir
from thalweg.dsl.grid import LevelAxis
from thalweg.dsl.problem import KernelError, Spot

MOST_LEVELS = 100  # that a kernel may count: more are followed nowhere


@dataclass(frozen=True)
class _Loop:
    name: str
    levels: ir.LevelRange


def least_levels(kernel: ir.KernelIR) -> int:
    """The smallest number of levels the kernel makes sense for. Raises KernelError."""
    least = 1

    def look(name: str, at: ir.LevelAt | None, loops: tuple[_Loop, ...], spot: Spot) -> None:
        nonlocal least
        axis = kernel.variables[name].type.level
        if axis is not None and at is not None:
            least = max(least, _needed(name, axis, at, loops, spot))
        _check_number(least, spot)

    def visit(expression: ir.Expression, loops: tuple[_Loop, ...]) -> None:
        if isinstance(expression, ir.Read):
            at = expression.level or (ir.LevelAt(loops[0].name, 0) if loops else None)
            look(expression.name, at, loops, expression.spot)
        elif isinstance(expression, ir.Reduce):
            inner = expression.over
            if isinstance(inner, ir.LevelRange):
                nonlocal least
                least = max(least, _fewest_of(inner, expression.spot))
            more = (_Loop(expression.name, inner),) if isinstance(inner, ir.LevelRange) else ()
            visit(expression.body, (*more, *loops))
        elif isinstance(expression, ir.Apply):
            for each in expression.args:
                visit(each, loops)

    for statement in kernel.body:
        loops: tuple[_Loop, ...] = ()
        if isinstance(statement, ir.ForLevels):
            _fewest_of(statement.levels, statement.spot)  # a loop may go over no level
            loops = (_Loop(statement.name, statement.levels),)
        for assign in ir.assigns_of(statement):
            visit(assign.value, loops)
            at = assign.level or (ir.LevelAt(loops[0].name, 0) if loops else None)
            look(assign.name, at, loops, assign.spot)
    return least


def _fewest_of(levels: ir.LevelRange, spot: Spot) -> int:
    """From how many levels on the range has one. Raises KernelError where it never has."""
    begin, end = levels.begin, levels.end
    _check_number(max(abs(begin.shift), abs(end.shift)), spot)
    if begin.base == "first" and end.base == "last":
        return begin.shift + 2 - end.shift - levels.axis.extra
    if begin.base != end.base or begin.shift >= end.shift:
        raise KernelError(
            spot,
            f"this goes over no level: from {begin} to before {end}",
            hint="as in Level[1:-1]; downward(…) goes from the last to the first",
        )
    return 1


def _check_number(levels: int, spot: Spot) -> None:
    if levels > MOST_LEVELS:
        raise KernelError(
            spot,
            f"this counts {levels} levels; a kernel counts {MOST_LEVELS} at most",
            hint="count from the other end, as in Level[-2:]",
        )


def _needed(
    name: str, axis: LevelAxis, at: ir.LevelAt, loops: tuple[_Loop, ...], spot: Spot
) -> int:
    """How many levels there must be; an index counts from the first or from the end of its axis."""
    loop = next((each for each in loops if each.name == at.base), None)
    if loop is None:
        if at.base == "first":
            return at.shift + 1 - axis.extra
        _refuse_after_the_last(name, at.shift, spot)
        return 1 - at.shift - axis.extra
    levels, least = loop.levels, 1
    if levels.begin.base == "first":
        if levels.begin.shift + at.shift < 0:
            raise KernelError(
                spot,
                f"'{name}' has no level before the first: {at} at the first {at.base}",
                hint=f"begin {-at.shift - levels.begin.shift} later, as in Level[{-at.shift}:]",
            )
    else:
        least = max(least, 1 - levels.begin.shift - at.shift - levels.axis.extra)
    if levels.end.base == "last":
        _refuse_after_the_last(
            name, levels.end.shift - 1 + at.shift + levels.axis.extra - axis.extra, spot
        )
        return least
    return max(least, levels.end.shift + at.shift - axis.extra)


def _refuse_after_the_last(name: str, shift: int, spot: Spot) -> None:
    if shift > 0:
        raise KernelError(
            spot,
            f"'{name}' has no level after the last: last+{shift}",
            hint=f"end {shift} earlier, as in Level[:-{shift}]",
        )
