# SPDX-License-Identifier: Apache-2.0
"""A kernel that calls another: the statements of the other stand in its place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from thalweg.dsl import ir
from thalweg.dsl.expressions import Expressions
from thalweg.dsl.source import Source
from thalweg.errors import did_you_mean


def read_call(
    source: Source, expressions: Expressions, node: ast.Call, points: str
) -> list[ir.Statement | ir.Handed]:
    """`gradient(temperature, slope)` as a statement. `points`: of the `with` around it."""
    called = source.kernel(node.func)
    if called is None:
        raise source.error(
            node.func,
            f"'{ast.unparse(node.func)}' is no kernel",
            hint="what a kernel calls as a statement is another kernel of this file, or imported",
        )
    if called.is_being_read:
        raise source.error(
            node.func,
            f"kernel '{called.name}' calls itself",
            "its statements would stand here, and in them itself again",
            "a loop over levels, upward(Level), may need the level before",
        )
    kernel = called.ir
    if points and any(each.type.role == "points" for each in kernel.arguments.values()):
        raise source.error(
            node,
            f"kernel '{kernel.name}' has points of its own, 'with' others",
            hint="call it outside of 'with', and give it these points",
        )
    words = _words(source, node, kernel)
    given = {name: _given(expressions, kernel, name, word) for name, word in words.items()}
    handed = [
        ir.Handed(given[name], kernel.arguments[name], kernel.name, source.spot(word), node)
        for name, word in words.items()
    ]
    call = Call(kernel, given, frozenset(expressions.known) | source.numbers(), points)
    expressions.known.update({call.local(name): True for name in kernel.locals})
    return [*handed, *call.statements()]


def _words(source: Source, node: ast.Call, kernel: ir.KernelIR) -> dict[str, ast.expr]:
    """What stands for each argument, by position or by name."""
    names = list(kernel.arguments)
    if len(node.args) > len(names):
        raise source.error(
            node.args[len(names)],
            f"kernel '{kernel.name}' has {len(names)} arguments",
            hint=f"they are: {', '.join(names)}",
        )
    found = dict(zip(names, node.args, strict=False))
    for each in node.keywords:
        if each.arg not in names:
            raise source.error(
                each,
                f"kernel '{kernel.name}' has no argument '{each.arg}'",
                hint=f"it has: {', '.join(names)}.{did_you_mean(str(each.arg), names)}",
            )
        if each.arg in found:
            raise source.error(
                each, f"argument '{each.arg}' is given twice", hint="by its place or by its name"
            )
        found[each.arg] = each.value
    missing = [name for name in names if name not in found]
    if missing:
        raise source.error(
            node,
            f"kernel '{kernel.name}' wants '{missing[0]}', too",
            hint=f"{kernel.name}({', '.join(names)})",
        )
    return {name: found[name] for name in names}


def _given(
    expressions: Expressions, kernel: ir.KernelIR, name: str, word: ast.expr
) -> ir.Expression:
    kind = kernel.arguments[name].type
    source = expressions.source
    base = word.value if isinstance(word, ast.Subscript) else word
    if kind.is_written and isinstance(base, ast.Name):
        expressions.must_be_settable(base)
        if kind.role == "out" and base is word:
            expressions.known.setdefault(base.id, kind.level is not None)
    value = expressions.read(word)
    plain = isinstance(value, ir.Read) and value.level is None
    number = isinstance(value, (ir.Literal, ir.Constant)) and kind.role == "parameter"
    if not plain and not number:
        raise source.error(
            word,
            f"argument '{name}' of kernel '{kernel.name}' wants the name of a value",
            hint="a local value, set before, may hold what is computed",
        )
    return value


@dataclass(frozen=True)
class Call:
    """`given`: what each argument of `kernel` stands for: a field, maybe with slots, or a number.

    taken   names that locals of `kernel` may not have here
    points  of the `with` around the call
    """

    kernel: ir.KernelIR
    given: Mapping[str, ir.Expression]
    taken: frozenset[str]
    points: str = ""

    def statements(self) -> Iterator[ir.Statement]:
        for statement in self.kernel.body:
            if isinstance(statement, ir.ForLevels):
                body = tuple(self._assign(each) for each in statement.body)
                yield replace(statement, body=body)
            else:
                yield self._assign(statement)

    def local(self, name: str) -> str:
        """What local `name` of the kernel is called here."""
        number, found = 1, f"{self.kernel.name}_{name}"
        while found in self.taken:
            number += 1
            found = f"{self.kernel.name}{number}_{name}"
        return found

    def _assign(self, assign: ir.Assign) -> ir.Assign:
        points = self.points
        if assign.points:
            named = self.given[assign.points]
            assert isinstance(named, ir.Read)
            points = named.name
        name, slots = self._target(assign.name)
        slots = (*slots, *assign.slots)
        value = ir.changed(assign.value, self._seen_here)
        return replace(assign, name=name, slots=slots, points=points, value=value)

    def _target(self, name: str) -> tuple[str, tuple[ir.Slot, ...]]:
        if name not in self.given:
            return self.local(name), ()
        given = self.given[name]
        assert isinstance(given, ir.Read)
        return given.name, given.slots

    def _seen_here(self, expression: ir.Expression) -> ir.Expression:
        if not isinstance(expression, ir.Read):
            return expression
        given = self.given.get(expression.name)
        if given is not None and not isinstance(given, ir.Read):
            return given
        name, slots = self._target(expression.name)
        return replace(expression, name=name, slots=(*slots, *expression.slots))
