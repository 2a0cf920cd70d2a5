# SPDX-License-Identifier: Apache-2.0
"""Reads the expressions of a kernel: Python's syntax tree becomes ours."""

from __future__ import annotations

import ast
import math
import sys
from dataclasses import replace

from thalweg.dsl import ir
from thalweg.dsl.constants import Constant
from thalweg.dsl.grid import Axis, LevelAxis, Relation
from thalweg.dsl.source import Source
from thalweg.errors import did_you_mean

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.USub: "neg",
    ast.Not: "not",
    ast.And: "and",
    ast.Or: "or",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
FUNCTIONS = {
    "sqrt": 1, "exp": 1, "log": 1, "abs": 1, "signbit": 1, "where": 3, "min": 0, "max": 0,
    "sin": 1, "cos": 1, "tan": 1, "atan": 1, "atan2": 2,
}  # fmt: skip
REDUCTIONS = ("sum", "min", "max")

# What a name of a loop stands for: levels, any of an axis, or one of it that is known.
LoopName = LevelAxis | Axis | Relation | ir.Slot


class Expressions:
    """Reads expressions where `loops` are the loops around them and `known` the names of values."""

    def __init__(
        self, source: Source, known: dict[str, bool], arguments: dict[str, ir.Variable]
    ) -> None:
        self.source = source
        self.known = known  # name: may it have levels?
        self.arguments = arguments
        self.loops: dict[str, LoopName] = {}
        self.numbers_read: set[str] = set()  # of the file

    @property
    def has_levels_around(self) -> bool:
        return any(isinstance(each, LevelAxis) for each in self.loops.values())

    def must_be_settable(self, base: ast.Name) -> None:
        name = base.id
        if name in self.arguments and not self.arguments[name].type.is_written:
            raise self.source.error(base, f"'{name}' is read only", hint="declare it InOut or Out")
        number = self.source.names.get(name)
        is_read = name in self.numbers_read or isinstance(number, Constant)
        if is_read and name not in self.arguments:
            raise self.source.error(
                base,
                f"'{name}' is a constant of the file",
                "statements before this one would have that, later ones what is set here",
                "a local value of another name",
            )

    def must_be_one_level(self, node: ast.expr, before: ir.LevelAt | None) -> None:
        if before is not None:
            raise self.source.error(node, "this names two levels", hint="one at a time")

    def read(self, node: ast.expr) -> ir.Expression:
        spot = self.source.spot(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return ir.Literal(self._in_range(node, node.value), spot)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            return self._value(node)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return self._apply(node, OPERATORS[type(node.op)], node.left, node.right)
        if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            return self._apply(node, OPERATORS[type(node.op)], node.operand)
        if isinstance(node, ast.BoolOp):
            return self._apply(node, OPERATORS[type(node.op)], *node.values)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
            return self._apply(node, OPERATORS[type(node.ops[0])], node.left, *node.comparators)
        if isinstance(node, ast.IfExp):
            return self._apply(node, "where", node.test, node.body, node.orelse)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Compare):
            raise self.source.error(
                node, "a kernel compares two values at a time", hint="as in 'a < b and b < c'"
            )
        raise self.source.error(
            node,
            "a kernel cannot say this",
            hint="numbers, fields, + - * / **, comparisons, and, or, not, "
            f"{', '.join(sorted({*FUNCTIONS, *REDUCTIONS}))}",
        )

    def _apply(self, node: ast.expr, op: str, *args: ast.expr) -> ir.Expression:
        return ir.Apply(op, tuple(self.read(each) for each in args), self.source.spot(node))

    def _call(self, node: ast.Call) -> ir.Expression:
        name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
        if name not in FUNCTIONS and name not in REDUCTIONS:
            known = sorted({*FUNCTIONS, *REDUCTIONS})
            meant = did_you_mean(name, [] if hasattr(math, name) else known)  # tanh is no tan
            raise self.source.error(
                node.func,
                f"function '{name}' is not known",
                hint=f"choose one of: {', '.join(known)}.{meant}",
            )
        if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp) and not node.keywords:
            return self._reduce(node, name, node.args[0])
        wanted = FUNCTIONS.get(name, -1)
        is_wrong = len(node.args) != wanted if wanted else len(node.args) < 2
        if node.keywords or wanted < 0 or is_wrong:
            form = f"{wanted} values" if wanted > 0 else f"{name}(… for e in Cell.edges)"
            raise self.source.error(node, f"'{name}' is called in another way", hint=form)
        return self._apply(node, name, *node.args)

    def _reduce(self, node: ast.Call, op: str, generator: ast.GeneratorExp) -> ir.Expression:
        first = generator.generators[0]
        if op not in REDUCTIONS:
            raise self.source.error(
                node.func,
                f"'{op}' goes over no neighbours",
                hint=f"choose one of: {', '.join(REDUCTIONS)}",
            )
        if len(generator.generators) != 1:
            raise self.source.error(
                generator,
                "one 'for' is what a kernel can say",
                hint=f"a sum of its own inside: {op}({op}(… for e in Cell.edges) for n in …)",
            )
        if first.ifs or not isinstance(first.target, ast.Name):
            raise self.source.error(
                generator,
                "one 'for' without 'if' is what a kernel can say",
                hint="where(condition, value, 0) leaves values out",
            )
        name = first.target.id
        if name in self.known:
            raise self.source.error(
                first.target, f"'{name}' stands for another thing here", hint="another name"
            )
        over = self.slots(first.iter) or self.levels(first.iter)
        axis = over.axis if isinstance(over, ir.LevelRange) else over
        outer = self.loops.get(name)
        self.loops[name] = axis
        body = self.read(generator.elt)
        if outer is None:
            del self.loops[name]
        else:
            self.loops[name] = outer
        return ir.Reduce(op, name, over, body, self.source.spot(node))

    def slots(self, node: ast.expr) -> Axis | Relation | None:
        """The axis or relation that `node` names, if it names one."""
        found = self.source.evaluate(node)
        return found if isinstance(found, (Axis, Relation)) else None

    def levels(self, node: ast.expr) -> ir.LevelRange:
        """`Level`, `Level[1:-1]`, `upward(Level)`, `downward(Level[:-1])`."""
        order, inner = "any", node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
            order, inner = node.func.id, node.args[0]
        base = inner.value if isinstance(inner, ast.Subscript) else inner
        axis = self.source.evaluate(base)
        cut = inner.slice if isinstance(inner, ast.Subscript) else ast.Slice()
        right = isinstance(axis, LevelAxis) and isinstance(cut, ast.Slice) and cut.step is None
        if not right or (inner is not node and order not in ("upward", "downward")):
            raise self.source.error(
                node,
                f"a kernel cannot go over '{ast.unparse(node)}'",
                hint="neighbours as Cell.edges, or levels as Level, Level[1:-1], upward(Level)",
            )
        assert isinstance(cut, ast.Slice)
        assert isinstance(axis, LevelAxis)
        begin = self._bound(cut.lower) or ir.LevelAt("first", 0)
        end = self._bound(cut.upper) or ir.LevelAt("last", 1)
        return ir.LevelRange(axis, begin, end, order)

    def _bound(self, node: ast.expr | None) -> ir.LevelAt | None:
        """None where a range has no such end."""
        if node is None:
            return None
        found = self.level(node)
        if found is None:
            raise self.source.error(
                node, f"'{ast.unparse(node)}' names no level", hint="whole numbers, as Level[1:-1]"
            )
        return found

    def level(self, node: ast.expr) -> ir.LevelAt | None:
        """`k`, `k + 1`, `0`, `-1`; None for what is no level."""
        shift = 0
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            number = _whole(node.right)
            if number is None:
                return None
            shift, node = number if isinstance(node.op, ast.Add) else -number, node.left
        if isinstance(node, ast.Name) and isinstance(self.loops.get(node.id), LevelAxis):
            return ir.LevelAt(node.id, shift)
        number = _whole(node)
        if number is None or shift:
            return None
        return ir.LevelAt("first", number) if number >= 0 else ir.LevelAt("last", number + 1)

    def _value(self, node: ast.Name | ast.Attribute | ast.Subscript) -> ir.Expression:
        spot = self.source.spot(node)
        base = node.value if isinstance(node, ast.Subscript) else node
        if isinstance(base, ast.Name) and base.id in self.known:
            slots: list[ir.Slot] = []
            level: ir.LevelAt | None = None
            for each in index_of(node):
                at = self.level(each) if self.known[base.id] else None
                if at is not None:
                    self.must_be_one_level(node, level)
                    level = at
                else:
                    slots.append(self._slot(each, base.id))
            return ir.Read(base.id, tuple(slots), level, spot)
        if isinstance(base, ast.Name) and base.id in self.loops:
            is_level = isinstance(self.loops[base.id], LevelAxis)
            number = "; a Field[Level] may hold the numbers of levels" if is_level else ""
            raise self.source.error(
                base, f"'{base.id}' is no value", hint=f"field[{base.id}] is one{number}"
            )
        found = self.source.evaluate(base)
        if isinstance(base, ast.Name) and isinstance(found, (Constant, int, float)):
            self.numbers_read.add(base.id)
        if isinstance(found, Constant) and base is node:
            name = ast.unparse(base).replace(".", "_")  # "earth.radius", of a module or class
            return ir.Constant(name, self._in_range(base, found.value), found.unit, spot)
        if isinstance(found, (int, float)) and base is node:
            return ir.Literal(self._in_range(base, found), spot)
        names = [
            *self.known,
            *(name for name, each in self.source.names.items() if isinstance(each, Constant)),
        ]
        text = ast.unparse(base)
        raise self.source.error(
            base,
            f"'{text}' is not known here",
            hint=f"known are: {', '.join(names)}.{did_you_mean(text, names)}",
        )

    def _in_range(self, node: ast.expr, value: float) -> float:
        if abs(value) > sys.float_info.max:
            raise self.source.error(
                node,
                "this number is larger than any that a field can have",
                hint=f"the largest is {sys.float_info.max:.4g}",
            )
        return value

    def _slot(self, node: ast.expr, name: str) -> ir.Slot:
        found = self.slot_or_none(node)
        if found is None:
            axes = self.arguments[name].type.axes if name in self.arguments else ()
            own = next((each for each in axes if not isinstance(each, Relation)), None)
            hint = (
                "as in field[e] with 'for e in Cell.edges', field[Edge.cells.first], field[k - 1]"
            )
            if own is not None:
                hint = f"of its '{own.name}' by name, one of: {', '.join(own.names)}; or in a loop"
            elif isinstance(node, ast.Name) and node.id in self.known:
                hint = "no index is a value; a loop over levels with where(…) finds the one meant"
            raise self.source.error(
                node,
                f"'{ast.unparse(node)}' names no neighbour and no level",
                "a kernel says which neighbour it means, not where that lies in memory",
                hint,
            )
        return found

    def slot_or_none(self, node: ast.expr) -> ir.Slot | None:
        """`e` of a loop, `e + 1`, `Edge.cells.first`, `Cell.edges[0]`, `Cell.after[n]` with n of
        another.
        """
        if isinstance(node, ast.BinOp):
            return self._turned(node)
        axis = self.loops.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(axis, ir.Slot):
            return axis
        if isinstance(node, ast.Name) and isinstance(axis, (Axis, Relation)):
            return ir.Slot(axis, name=node.id)
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            owner = self.slots(node.value)
            if owner is not None and isinstance(node, ast.Attribute):
                if node.attr in owner.names:
                    return ir.Slot(owner, index=owner.names.index(node.attr))
                raise self.source.error(
                    node,
                    f"'{node.attr}' is none of '{owner.name}'",
                    hint=f"choose one of: {', '.join(owner.names)}."
                    f"{did_you_mean(node.attr, owner.names)}",
                )
            number = _whole(node.slice) if isinstance(node, ast.Subscript) else None
            if owner is not None and number is not None and 0 <= number < owner.length:
                return ir.Slot(owner, index=number)
            if owner is not None and isinstance(node, ast.Subscript):
                return self._slot_of_another(owner, node.slice)
        return None

    def _slot_of_another(self, owner: Axis | Relation, index: ast.expr) -> ir.Slot | None:
        """As many as there are of `owner` there are of that over which a loop goes."""
        found = self.slot_or_none(index) if isinstance(index, (ast.Name, ast.BinOp)) else None
        if found is None or found.axis.length != owner.length:
            return None
        return replace(found, axis=owner)

    def _turned(self, node: ast.BinOp) -> ir.Slot | None:
        """`e + 1`: the next one around, after the last the first again."""
        by = _whole(node.right)
        found = self.slot_or_none(node.left) if isinstance(node.left, ast.Name) else None
        if found is None or by is None or not isinstance(node.op, (ast.Add, ast.Sub)):
            return None
        if not found.axis.ring:
            raise self.source.error(
                node,
                f"'{found.axis.name}' are no ring: none comes after the last",
                hint="a grid says ring=True of neighbours that are counted around a point",
            )
        turn = by if isinstance(node.op, ast.Add) else -by
        if found.name:
            return replace(found, turn=found.turn + turn)
        return replace(found, index=(found.index + turn) % found.axis.length)


def index_of(node: ast.expr) -> list[ast.expr]:
    if not isinstance(node, ast.Subscript):
        return []
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _whole(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _whole(node.operand)
        return None if number is None else -number
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
