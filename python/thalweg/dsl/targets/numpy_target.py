# SPDX-License-Identifier: Apache-2.0
"""Target `numpy`, the reference: whole arrays at once, one line of NumPy for each of the kernel.

Arrays have the shape (lengths of axes…, levels, points); what a field does not have is left out.
Neighbours come as tables of shape (number of neighbours, points), from 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from thalweg.dsl import ir
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.grid import Group, Relation
from thalweg.dsl.passes.precision import in_precision
from thalweg.dsl.passes.value_types import TRUTHS
from thalweg.dsl.translation import argument_names

FUNCTIONS = {
    "sqrt": "np.sqrt",
    "exp": "np.exp",
    "log": "np.log",
    "abs": "np.abs",
    "signbit": "np.signbit",
    "where": "np.where",
    "sin": "np.sin",
    "cos": "np.cos",
    "tan": "np.tan",
    "atan": "np.arctan",
    "atan2": "np.arctan2",
}
# As in C: the first, unless the second is smaller.
JOINED = """JOINED = {
    "sum": lambda one, other: one + other,
    "min": lambda one, other: np.where(other < one, other, one),
    "max": lambda one, other: np.where(other > one, other, one),
}
"""
OF_LEVELS = """

def of_levels(op, values):
    found = values[0]
    for row in values[1:]:
        found = JOINED[op](found, row)
    return found
"""
OF_GROUPS = """

def of_groups(op, values, firsts):
    found = np.array(values[..., firsts[:-1]])
    for member in range(1, int(np.diff(firsts).max())):
        here = np.flatnonzero(firsts[:-1] + member < firsts[1:])
        found[..., here] = JOINED[op](found[..., here], values[..., firsts[:-1][here] + member])
    return found
"""
INFIX = {"and": "&", "or": "|"}


def translate(kernel: ir.KernelIR, configuration: Configuration) -> str:
    """A Python module with one function, arguments as `argument_names` has them."""
    lines = [
        f"# {kernel.origin}",
        "import numpy as np",
        "",
        *_functions(kernel),
        "",
        f"def {kernel.name}({', '.join(argument_names(kernel))}):",
    ]
    kernel = in_precision(kernel, configuration)
    lines += [f"    {line}" for line in _Body(kernel, configuration.is_single).lines()]
    return "\n".join([*lines, ""])


def _functions(kernel: ir.KernelIR) -> list[str]:
    """What goes over levels or groups from the first to the last, as compiled code does; the
    lesser and the greater of two.
    """
    everything = list(ir.walk(kernel.body))
    over = [each.over for each in everything if isinstance(each, ir.Reduce)]
    ops = {each.op for each in everything if isinstance(each, (ir.Apply, ir.Reduce))}
    needed = [
        *([OF_LEVELS] if any(isinstance(each, ir.LevelRange) for each in over) else []),
        *([OF_GROUPS] if any(isinstance(each, Group) for each in over) else []),
    ]
    return "".join([JOINED, *needed]).splitlines() if needed or ops & {"min", "max"} else []


@dataclass(frozen=True)
class _Around:
    """The loop around an expression. `rows`: whether its levels are cut out all at once."""

    name: str = ""
    levels: ir.LevelRange | None = None
    rows: bool = True
    slots: tuple[tuple[str, int], ...] = ()
    points: str = ""  # the argument that says where; "": everywhere
    has_points: bool = True  # what is set has a value for each point
    group: Group | None = None  # whose points stand in place of those that they belong to

    def number(self, slot: ir.Slot) -> int:
        return slot.number(dict(self.slots))


class _Body:
    def __init__(self, kernel: ir.KernelIR, is_single: bool) -> None:
        self.kernel, self.is_single = kernel, is_single

    def lines(self) -> list[str]:
        found = []
        for each in self.kernel.locals.values():
            kind = each.type
            shape = [str(axis.length) for axis in kind.axes]
            shape += [f"levels + {kind.level.extra}"] if kind.level else []
            shape += [kind.place.plural] if kind.place else []
            sizes = "".join(f"{size}, " for size in shape)
            found.append(f"{each.name} = np.full(({sizes}), {self._number_text(math.nan)})")
        for statement in self.kernel.body:
            found += self._statement(statement)
        return found

    def _statement(self, statement: ir.Statement) -> list[str]:
        if isinstance(statement, ir.Assign):
            return [self._assign(statement, _Around(points=statement.points))]
        levels, name = statement.levels, statement.name
        if levels.order == "any":
            around = _Around(name, levels)
            return [self._assign(each, around) for each in statement.body]
        begin, end = self._number(levels.begin, levels), self._number(levels.end, levels)
        counts = (
            f"range({begin}, {end})"
            if levels.order == "upward"
            else f"range({end} - 1, {begin} - 1, -1)"
        )
        around = _Around(name, levels, rows=False)
        body = [f"    {self._assign(each, around)}" for each in statement.body]
        return [f"for {name} in {counts}:", *body]

    def _assign(self, assign: ir.Assign, around: _Around) -> str:
        has_points = self.kernel.variables[assign.name].type.place is not None
        around = replace(around, points=assign.points, has_points=has_points)
        read = ir.Read(assign.name, assign.slots, assign.level, assign.spot)
        target = self._element(read, around, True)
        return f"{target} = {self._text(assign.value, around)}"

    def _number(self, at: ir.LevelAt, levels: ir.LevelRange | None, extra: int = 0) -> str:
        """A level as a number: `k - 1` within its loop, `levels - 1` for the last."""
        more = levels.axis.extra if levels else extra
        if at.base == "first":
            return str(at.shift)
        base, shift = ("levels", at.shift - 1 + more) if at.base == "last" else (at.base, at.shift)
        return f"{base} {'+' if shift > 0 else '-'} {abs(shift)}" if shift else base

    def _level(self, read: ir.Read, around: _Around) -> str:
        axis = self.kernel.variables[read.name].type.level
        assert axis is not None
        at = read.level
        if at is None:
            if not around.levels:
                return ":"
            at = ir.LevelAt(around.name, 0)
        if at.base != around.name:
            row = self._number(at, None, axis.extra)
            if not (around.levels and around.rows):
                return row
            after = self._number(replace(at, shift=at.shift + 1), None, axis.extra)
            return f"{row}:{after}"  # one row of several
        if not around.rows:
            return self._number(at, around.levels)
        levels = around.levels
        assert levels is not None
        return ":".join(self._bound(each, at.shift, levels) for each in (levels.begin, levels.end))

    def _bound(self, end: ir.LevelAt, shift: int, levels: ir.LevelRange) -> str:
        """Of a slice: below 0, where a loop over no level has it, it would count from the last."""
        at = replace(end, shift=end.shift + shift)
        fewest = self.kernel.least_levels + at.shift - 1 + levels.axis.extra
        text = self._number(at, levels)
        return f"max({text}, 0)" if at.base == "last" and fewest < 0 else text

    def _element(self, read: ir.Read, around: _Around, whole: bool = False) -> str:
        kind = self.kernel.variables[read.name].type
        if kind.role == "parameter":
            return read.name
        words = []
        point = around.points or ":"
        for slot in reversed(ir.steps_of(read, kind)):  # from the point outward
            if isinstance(slot.axis, Relation) and not isinstance(slot.axis, Group):
                here = f", {point}" if point != ":" else ""
                point = f"{slot.axis.full_name}[{around.number(slot)}{here}]"
        if around.group:
            point = self._point_in_group(read, around.group)
        own = ir.own_slots(read.slots, kind)
        name = read.name + "".join(f"[{around.number(slot)}]" for slot in own)
        if kind.level is not None:
            words.append(self._level(read, around))
        if kind.place is not None:
            words.append(point)
        elif kind.level is not None and around.rows and around.has_points and not whole:
            words.append("None")  # a value for each level meets values for each level and point
        if not words:
            return name if own or not whole else f"{name}[()]"
        plain = not whole and set(words) == {":"}
        return name if plain else f"{name}[{', '.join(words)}]"

    def _point_in_group(self, read: ir.Read, group: Group) -> str:
        if any(slot.axis is group for slot in read.slots):
            return ":"
        return f"np.repeat(np.arange({group.source.plural}), np.diff({group.full_name}))"

    def _text(self, expression: ir.Expression, around: _Around) -> str:
        if isinstance(expression, (ir.Literal, ir.Constant)):
            return self._number_text(expression.value)
        if isinstance(expression, ir.Read):
            return self._element(expression, around)
        if isinstance(expression, ir.Reduce):
            return self._reduce(expression, around)
        args = [self._text(each, around) for each in expression.args]
        numbers = [each for each in expression.args if isinstance(each, (ir.Literal, ir.Constant))]
        if len(numbers) == len(args) and not self.is_single and expression.op not in TRUTHS:
            args[0] = f"np.float64({args[0]})"  # divides by zero, as compiled code does
        return self._applied(expression.op, args)

    def _number_text(self, value: float | int | bool) -> str:
        if isinstance(value, bool):
            return repr(value)
        text = repr(float(value)).replace("nan", "np.nan").replace("inf", "np.inf")
        return f"np.float32({text})" if self.is_single else text

    def _applied(self, op: str, args: list[str]) -> str:
        if op in FUNCTIONS:
            return f"{FUNCTIONS[op]}({', '.join(args)})"
        if op in ("min", "max"):
            text = args[0]
            for each in args[1:]:
                text = f"JOINED[{op!r}]({text}, {each})"
            return text
        if len(args) == 1:
            return {"neg": f"(-{args[0]})", "not": f"np.logical_not({args[0]})"}[op]
        text = args[0]
        for each in args[1:]:
            text = f"({text} {INFIX.get(op, op)} {each})"
        return text

    def _reduce(self, reduce: ir.Reduce, around: _Around) -> str:
        if isinstance(reduce.over, ir.LevelRange):
            inner = self._text(
                reduce.body,
                replace(around, name=reduce.name, levels=reduce.over, rows=True),
            )
            return f"of_levels({reduce.op!r}, {inner})"
        if isinstance(reduce.over, Group):
            here = f"[..., {around.points}]" if around.points else ""
            inner = self._text(reduce.body, replace(around, points="", group=reduce.over))
            return f"of_groups({reduce.op!r}, {inner}, {reduce.over.full_name}){here}"
        args = [
            self._text(reduce.body, replace(around, slots=(*around.slots, (reduce.name, n))))
            for n in range(reduce.over.length)
        ]
        if len(args) == 1:
            return args[0]
        return self._applied("+" if reduce.op == "sum" else reduce.op, args)
