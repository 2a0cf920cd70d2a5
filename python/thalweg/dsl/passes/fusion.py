# SPDX-License-Identifier: Apache-2.0
"""Pass: a local field that neighbours need is computed where it is needed, if that moves less.

Storing it costs two passes through memory; computing it again for each neighbour costs reads of
what is near, and so in a cache. The order of operations stays, and with it every bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from thalweg.dsl import ir
from thalweg.dsl.grid import Group, Relation

MOST_READS = 48  # of a point in all neighbours: beyond that a stored field is cheaper
Body = Mapping[int, ir.Statement]


def fused(kernel: ir.KernelIR) -> ir.KernelIR:
    """The kernel without the local fields that need not be stored."""
    body: dict[int, ir.Statement] = dict(enumerate(kernel.body))
    stored, uses = dict(kernel.locals), _Uses()
    for number, statement in body.items():
        uses.add(number, statement)
    for name in kernel.locals:
        at = _only_setter(name, body, uses)
        if at is None or not _is_worth_it(name, body, at, uses):
            continue
        setter = body.pop(at)
        assert isinstance(setter, ir.Assign)
        uses.remove(at, setter)
        inlined = partial(_inlined, setter=setter, kernel=kernel)
        for each in uses.readers(name):
            uses.remove(each, body[each])
            body[each] = ir.with_assigns(body[each], inlined)
            uses.add(each, body[each])
        del stored[name]
    return replace(kernel, body=tuple(body.values()), locals=stored)


class _Uses:
    """By name: numbers of the statements that set it, and its reads by number of theirs."""

    def __init__(self) -> None:
        self.setters: dict[str, set[int]] = {}
        self.reads: dict[str, dict[int, list[ir.Read]]] = {}

    def add(self, number: int, statement: ir.Statement) -> None:
        for assign in ir.assigns_of(statement):
            self.setters.setdefault(assign.name, set()).add(number)
        for read in ir.reads_of((statement,)):
            self.reads.setdefault(read.name, {}).setdefault(number, []).append(read)

    def remove(self, number: int, statement: ir.Statement) -> None:
        for assign in ir.assigns_of(statement):
            self.setters[assign.name].discard(number)
        for read in ir.reads_of((statement,)):
            self.reads[read.name].pop(number, None)

    def readers(self, name: str) -> list[int]:
        return list(self.reads.get(name, ()))


def _only_setter(name: str, body: Body, uses: _Uses) -> int | None:
    """The only statement that sets `name`, if it sets all of it and its operands stay."""
    setters = uses.setters.get(name, set())
    if len(setters) != 1:
        return None
    (number,) = setters
    statement = body[number]
    if not isinstance(statement, ir.Assign) or statement.points or statement.slots:
        return None
    values = ir.walk((statement,))
    over_levels = any(
        isinstance(each, ir.Reduce) and isinstance(each.over, (ir.LevelRange, Group))
        for each in values
    )
    at_a_level = any(isinstance(each, ir.Read) and each.level is not None for each in values)
    if statement.level is not None or over_levels or at_a_level:
        return None
    operands = {each.name for each in values if isinstance(each, ir.Read)}
    last = max(uses.readers(name), default=0)
    for operand in operands:
        if any(number < later <= last for later in uses.setters.get(operand, ())):
            return None
    return number


def _is_worth_it(name: str, body: Body, number: int, uses: _Uses) -> bool:
    operands = _count_reads(ir.assigns_of(body[number])[0].value)
    reads = uses.reads.get(name, {})
    at_neighbours = any(_relations(read) for each in reads.values() for read in each)
    assigns = [each for reader in reads for each in ir.assigns_of(body[reader])]
    times = max((_count_reads(each.value, name) for each in assigns), default=0)
    return at_neighbours and 0 < times * operands <= MOST_READS


def _count_reads(expression: ir.Expression, name: str = "") -> int:
    """How many reads (of `name`) one evaluation makes, at all neighbours together."""
    if isinstance(expression, ir.Read):
        return int(not name or expression.name == name)
    if isinstance(expression, ir.Apply):
        return sum(_count_reads(each, name) for each in expression.args)
    if isinstance(expression, ir.Reduce):
        length = 1 if isinstance(expression.over, ir.LevelRange) else expression.over.length
        return length * _count_reads(expression.body, name)
    return 0


def _relations(read: ir.Read) -> list[ir.Slot]:
    return [slot for slot in read.slots if isinstance(slot.axis, Relation)]


def _inlined(assign: ir.Assign, setter: ir.Assign, kernel: ir.KernelIR) -> ir.Assign:
    def here(expression: ir.Expression) -> ir.Expression:
        if isinstance(expression, ir.Read) and expression.name == setter.name:
            return _seen_from(setter.value, expression, kernel)
        return expression

    return replace(assign, value=ir.changed(assign.value, here))


def _seen_from(value: ir.Expression, read: ir.Read, kernel: ir.KernelIR) -> ir.Expression:
    """`value` of the point and level that `read` names."""
    if isinstance(value, ir.Apply):
        return replace(value, args=tuple(_seen_from(each, read, kernel) for each in value.args))
    if isinstance(value, ir.Reduce):
        # Names of loops of both meet here: that of the inner one gets another name.
        inner = f"{value.name}_of_{read.name}"
        body = _renamed(value.body, value.name, inner)
        return replace(value, name=inner, body=_seen_from(body, read, kernel))
    if not isinstance(value, ir.Read):
        return value
    kind = kernel.variables[value.name].type
    slots = (*value.slots, *read.slots) if kind.place else value.slots
    return replace(value, slots=slots, level=read.level if kind.level else None)


def _renamed(value: ir.Expression, old: str, new: str) -> ir.Expression:
    if isinstance(value, ir.Apply):
        return replace(value, args=tuple(_renamed(each, old, new) for each in value.args))
    if isinstance(value, ir.Reduce):
        return value if value.name == old else replace(value, body=_renamed(value.body, old, new))
    if isinstance(value, ir.Read):
        slots = tuple(replace(slot, name=new) if slot.name == old else slot for slot in value.slots)
        return replace(value, slots=slots)
    return value
