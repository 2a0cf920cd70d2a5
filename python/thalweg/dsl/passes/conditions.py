# SPDX-License-Identifier: Apache-2.0
"""Pass: a local condition is kept as a number, 1 where it holds and 0 where it does not."""

from __future__ import annotations

from dataclasses import replace

from thalweg.dsl import ir


def kept_as_numbers(kernel: ir.KernelIR) -> ir.KernelIR:
    """The kernel without local conditions: `wet = depth > 0` is wet = where(depth > 0, 1, 0), and
    `wet` where it is read is wet != 0. So no later pass and no target has values of another kind.
    """
    names = {name for name, each in kernel.locals.items() if each.type.truth}
    if not names:
        return kernel
    return replace(
        kernel,
        body=tuple(_statement(each, names) for each in kernel.body),
        locals={
            name: replace(each, type=replace(each.type, truth=False))
            for name, each in kernel.locals.items()
        },
    )


def _statement(statement: ir.Statement, names: set[str]) -> ir.Statement:
    if isinstance(statement, ir.ForLevels):
        return replace(statement, body=tuple(_assign(each, names) for each in statement.body))
    return _assign(statement, names)


def _assign(assign: ir.Assign, names: set[str]) -> ir.Assign:
    value = _asked(assign.value, names)
    if assign.name in names:
        one, nothing = (ir.Literal(number, assign.spot) for number in (1, 0))
        value = ir.Apply("where", (value, one, nothing), assign.spot)
    return replace(assign, value=value)


def _asked(expression: ir.Expression, names: set[str]) -> ir.Expression:
    if isinstance(expression, ir.Apply):
        return replace(expression, args=tuple(_asked(each, names) for each in expression.args))
    if isinstance(expression, ir.Reduce):
        return replace(expression, body=_asked(expression.body, names))
    if isinstance(expression, ir.Read) and expression.name in names:
        nothing = ir.Literal(0, expression.spot)
        return ir.Apply("!=", (expression, nothing), expression.spot)
    return expression
