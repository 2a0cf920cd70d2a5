# SPDX-License-Identifier: Apache-2.0
"""Prints the intermediate representation: arguments, local values, one line a statement, halos."""

from __future__ import annotations

from thalweg.dsl import ir
from thalweg.dsl.passes.halos import find_halos
from thalweg.dsl.units import unit_text


def print_ir(kernel: ir.KernelIR) -> str:
    """The kernel as passes see it, types and units found."""
    lines = [f"kernel {kernel.name}  # {kernel.origin}"]
    for each in kernel.variables.values():
        kind = each.type
        lines.append(f"  {kind.role:9} {each.name}: {kind} [{unit_text(kind.unit)}]")
    for statement in kernel.body:
        if isinstance(statement, ir.Assign):
            lines.append(f"  {_assign(statement)}")
            continue
        levels = statement.levels
        lines.append(f"  {levels.order} {statement.name} from {levels.begin} to {levels.end}:")
        lines += [f"    {_assign(each)}" for each in statement.body]
    return "\n".join([*lines, *_halos(kernel), ""])


def _halos(kernel: ir.KernelIR) -> list[str]:
    """What a rank needs of others: computed itself, and exchanged between statements."""
    halos = find_halos(kernel)
    if not halos.alone and not halos.exchanges:
        return []
    lines = [f"  halo      {_depths(halos.alone)}"]
    if halos.exchanges:
        lines.append(f"  or        {_depths(halos.exchanged) or 'none'}, and exchanged")
        for number, depths in halos.exchanges.items():
            first = ir.assigns_of(kernel.body[number])[0]
            lines.append(f"            before {_target(first)}: {_depths(depths)}")
    return lines


def _depths(depths: dict[str, int]) -> str:
    return ", ".join(f"{name} {steps}" for name, steps in depths.items())


def _assign(assign: ir.Assign) -> str:
    points = f"at {assign.points}: " if assign.points else ""
    return f"{points}{_target(assign)} = {_text(assign.value)}"


def _target(assign: ir.Assign) -> str:
    words = [*map(str, assign.slots), *([str(assign.level)] if assign.level else [])]
    return f"{assign.name}[{', '.join(words)}]" if words else assign.name


def _text(expression: ir.Expression) -> str:
    if isinstance(expression, ir.Literal):
        return str(expression.value)
    if isinstance(expression, ir.Constant):
        return expression.name
    if isinstance(expression, ir.Read):
        words = [
            *map(str, expression.slots),
            *([str(expression.level)] if expression.level else []),
        ]
        return f"{expression.name}[{', '.join(words)}]" if words else expression.name
    if isinstance(expression, ir.Reduce):
        over = expression.over
        text = (
            f"{over.axis.name} {over.begin} to {over.end}"
            if isinstance(over, ir.LevelRange)
            else getattr(over, "full_name", over.name)
        )
        return f"({expression.op} {expression.name} of {text}: {_text(expression.body)})"
    return f"({expression.op} {' '.join(_text(each) for each in expression.args)})"
