# SPDX-License-Identifier: Apache-2.0
"""What to write instead, where pass `places` refuses a value."""

from __future__ import annotations

from dataclasses import replace

from thalweg.dsl import ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.grid import Relation
from thalweg.dsl.units import unit_text


def handed_hint(value: ir.Expression, found: ArgumentType, wanted: ArgumentType) -> str:
    """`value`, which is `found`, is handed to a kernel that has `wanted` as its argument."""
    if replace(found, role="") == replace(wanted, role="", unit=found.unit) and not wanted.unit:
        return 'no unit is "1"; an argument in "any" takes values in every unit'
    if isinstance(value, ir.Literal) and wanted.role == "parameter":
        return f'constant({value.value}, "{unit_text(wanted.unit)}") in the file has that unit'
    return "a local value of that place and unit, set before, may be handed over"


def slots_hint(read: ir.Read, kind: ArgumentType, wrong: ir.Slot) -> str:
    """`read`, of a value of type `kind`, has no slot `wrong`."""
    relation, has = wrong.axis, f"it has: {kind}"
    if not isinstance(relation, Relation):
        return has
    if len(read.slots) > 1:
        return f"{has}; the step that is nearest to '{read.name}' comes first"
    for other in relation.source.relations.values() if wrong.name else ():
        if other.target is kind.place and other.length == relation.length:
            there = f"{relation.source.name.capitalize()}.{other.name}[{wrong.name}]"
            return f"{has}; {read.name}[{there}] is of the neighbour of that number"
    return has
