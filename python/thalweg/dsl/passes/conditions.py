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

    def asked(expression: ir.Expression) -> ir.Expression:
        if isinstance(expression, ir.Read) and expression.name in names:
            return ir.Apply("!=", (expression, ir.Literal(0, expression.spot)), expression.spot)
        return expression

    def assign(each: ir.Assign) -> ir.Assign:
        value = ir.changed(each.value, asked)
        if each.name in names:
            one, nothing = (ir.Literal(number, each.spot) for number in (1, 0))
            value = ir.Apply("where", (value, one, nothing), each.spot)
        return replace(each, value=value)

    return replace(
        kernel,
        body=tuple(ir.with_assigns(each, assign) for each in kernel.body),
        locals={
            name: replace(each, type=replace(each.type, truth=False))
            for name, each in kernel.locals.items()
        },
    )
