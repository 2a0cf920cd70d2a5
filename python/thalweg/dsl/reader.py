# SPDX-License-Identifier: Apache-2.0
"""Reads a decorated function into the intermediate representation."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from thalweg.dsl import ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.calls import read_call
from thalweg.dsl.expressions import Expressions, index_of
from thalweg.dsl.grid import Axis, Group
from thalweg.dsl.source import Source
from thalweg.errors import did_you_mean

STATEMENTS = "name = expression, name[k] = expression, for k in Level: …, other_kernel(a, b)"


def read_kernel(function: Callable[..., Any]) -> ir.KernelIR:
    source = Source(function)
    arguments = _read_arguments(source)
    body: list[ir.Statement] = []
    handed: list[ir.Handed] = []
    for each in _Statements(source, arguments).read(source.tree.body):
        if isinstance(each, ir.Handed):
            handed.append(replace(each, before=len(body)))
        else:
            body.append(each)
    if not body:
        raise source.error(source.tree, "this kernel says nothing", hint="name = value, at least")
    return ir.KernelIR(
        source.tree.name,
        source.doc,
        source.file,
        source.line,
        arguments,
        tuple(body),
        tuple(handed),
    )


def _read_arguments(source: Source) -> dict[str, ir.Variable]:
    found: dict[str, ir.Variable] = {}
    _check_head(source, source.tree.args)
    for each in source.tree.args.args:
        if each.annotation is None:
            raise source.error(
                each,
                f"argument '{each.arg}' has no type",
                hint=f'{each.arg}: Field[Cell, Level, "K"]',
            )
        try:
            kind = eval(ast.unparse(each.annotation), dict(source.names))
        except Exception as error:  # of whatever stands there
            wrong = error.name if isinstance(error, NameError) else None
            meant = did_you_mean(wrong, source.names) if wrong else ""
            raise source.error(
                each.annotation,
                f"this is no type of a field: {error}{meant and '.'}{meant}",
                hint='Field[Cell, Level, "K"], Out[…], InOut[…] or Parameter["s"]',
            ) from None
        if not isinstance(kind, ArgumentType):
            raise source.error(
                each.annotation,
                "this is no type of a field",
                hint='Field[Cell, Level, "K"], Out[…], InOut[…] or Parameter["s"]',
            )
        found[each.arg] = ir.Variable(each.arg, kind, source.spot(each))
    if not any(each.type.is_written for each in found.values()):
        raise source.error(
            source.tree,
            f"kernel '{source.tree.name}' sets nothing",
            hint="an argument of type Out or InOut is what it sets",
        )
    return found


def _check_head(source: Source, head: ast.arguments) -> None:
    """Arguments are told one after the other, and each time."""
    others = [*head.posonlyargs, head.vararg, *head.kwonlyargs, head.kwarg, *head.defaults]
    for each in others:
        if each is not None:
            raise source.error(
                each,
                "the head of a kernel cannot say this",
                hint="name: type, name: type; no '*', no '/', no '= value'",
            )


class _Statements:
    def __init__(self, source: Source, arguments: dict[str, ir.Variable]) -> None:
        self.source = source
        self.arguments = arguments
        has_levels = {name: each.type.level is not None for name, each in arguments.items()}
        self.expressions = Expressions(source, has_levels, arguments)
        self.points = ""  # of the `with` around a statement

    def read(self, nodes: list[ast.stmt]) -> tuple[ir.Statement | ir.Handed, ...]:
        found: list[ir.Statement | ir.Handed] = []
        for node in nodes:
            if isinstance(node, ast.For):
                found += self._for(node)
            elif isinstance(node, ast.With):
                found += self._with(node)
            elif isinstance(node, (ast.Assign, ast.AugAssign)):
                found.append(self._assign(node))
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                if self.expressions.has_levels_around:
                    raise self.source.error(
                        node,
                        "a kernel is called outside of loops over levels",
                        hint="it goes over all levels by itself; call it before the loop",
                    )
                found += read_call(self.source, self.expressions, node.value, self.points)
            elif not _says_nothing(node):
                hint = "where(condition, value, other)" if isinstance(node, ast.If) else STATEMENTS
                raise self.source.error(node, "a kernel cannot say this", hint=hint)
        return tuple(found)

    def _with(self, node: ast.With) -> tuple[ir.Statement | ir.Handed, ...]:
        """`with owned:` where `owned` is an argument of type Points."""
        named = node.items[0].context_expr
        name = named.id if isinstance(named, ast.Name) else ""
        known = [each for each, it in self.arguments.items() if it.type.role == "points"]
        if len(node.items) != 1 or node.items[0].optional_vars or name not in known:
            raise self.source.error(
                named,
                "'with' goes with an argument of type Points",
                hint=f"there are: {', '.join(known) or 'none'}.{did_you_mean(name, known)}",
            )
        if self.points or self.expressions.loops:
            raise self.source.error(
                node,
                "'with' stands outside of all loops, and of another",
                hint="'with' first, loops inside of it",
            )
        self.points = name
        found = self.read(node.body)
        self.points = ""
        return found

    def _for(self, node: ast.For) -> list[ir.Statement | ir.Handed]:
        loops = self.expressions.loops
        if not isinstance(node.target, ast.Name) or node.orelse:
            raise self.source.error(node, "a kernel cannot say this", hint=STATEMENTS)
        name, axis = node.target.id, self.expressions.slots(node.iter)
        if name in loops or name in self.expressions.known:
            raise self.source.error(
                node.target, f"'{name}' stands for another thing here", hint="another name"
            )
        found: list[ir.Statement | ir.Handed] = []
        if isinstance(axis, Group):
            raise self.source.error(
                node.iter,
                f"'{axis.name}' are some points here and others there",
                hint=f"sum, min or max over them: max(… for {name} in {ast.unparse(node.iter)})",
            )
        if axis is not None:
            for index in range(axis.length):
                loops[name] = ir.Slot(axis, index=index)
                found += self.read(node.body)
            del loops[name]
            return found
        if self.expressions.has_levels_around:
            raise self.source.error(
                node,
                "a loop over levels stands in another",
                hint="sum(… for j in Level) goes over all levels for each level",
            )
        levels = self.expressions.levels(node.iter)
        loops[name] = levels.axis
        body = self.read(node.body)
        del loops[name]
        assigns = tuple(each for each in body if isinstance(each, ir.Assign))
        if len(assigns) != len(body):
            raise self.source.error(
                node,
                "a loop over levels stands outside of all others",
                hint="set what it needs before it, as local values",
            )
        return [ir.ForLevels(name, levels, assigns, self.source.spot(node))]

    def _assign(self, node: ast.Assign | ast.AugAssign) -> ir.Assign:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(node, ast.Assign) and len(node.targets) != 1:
            raise self.source.error(node, "one name at a time is set", hint="a statement for each")
        base = target.value if isinstance(target, ast.Subscript) else target
        if not isinstance(base, ast.Name):
            raise self.source.error(target, "this cannot be set", hint=STATEMENTS)
        value = self.expressions.read(node.value)
        level, slots = self._where(target, base.id)
        spot = self.source.spot(node)
        if isinstance(node, ast.AugAssign):
            value = ir.Apply(
                _operator(self.source, node), (self.expressions.read(target), value), spot
            )
        self.expressions.must_be_settable(base)
        self.expressions.known.setdefault(base.id, True)
        return ir.Assign(base.id, level, value, spot, slots, self.points)

    def _where(self, target: ast.expr, name: str) -> tuple[ir.LevelAt | None, tuple[ir.Slot, ...]]:
        """The level and the slots of its own axes that a target names."""
        level: ir.LevelAt | None = None
        slots: list[ir.Slot] = []
        own = self.arguments[name].type.axes if name in self.arguments else None
        for each in index_of(target):
            at = self.expressions.level(each)
            slot = None if at else self.expressions.slot_or_none(each)
            of_its_own = slot and (
                isinstance(slot.axis, Axis) or self._is_in_a_loop(each)
                if own is None
                else slot.axis in own
            )
            if at is not None:
                self.expressions.must_be_one_level(target, level)
                level = at
            elif slot is not None and of_its_own:
                slots.append(slot)
            else:
                raise self.source.error(
                    target,
                    "a kernel sets values here, at a level, and nowhere else",
                    "what is set at a neighbour would be set by several points at once",
                    "go over the places where the values are set, and read from their neighbours",
                )
        return level, tuple(slots)

    def _is_in_a_loop(self, node: ast.expr) -> bool:
        """A local value may have one for each neighbour, if a loop goes over these."""
        return isinstance(node, ast.Name) and isinstance(
            self.expressions.loops.get(node.id), ir.Slot
        )


def _operator(source: Source, node: ast.AugAssign) -> str:
    words: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
    if type(node.op) not in words:
        raise source.error(node, "a kernel cannot say this", hint=STATEMENTS)
    return words[type(node.op)]


def _says_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
