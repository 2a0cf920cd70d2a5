# SPDX-License-Identifier: Apache-2.0
"""What all targets agree upon: which arguments a translated kernel has, in which order."""

from __future__ import annotations

from thalweg.dsl import ir
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.grid import Group
from thalweg.dsl.passes.fusion import fused
from thalweg.dsl.passes.sweeps import Plan, find_sweeps
from thalweg.dsl.passes.tiles import has_tiles


def argument_names(kernel: ir.KernelIR) -> list[str]:
    """Sizes of places, levels, tables of neighbours, then the kernel's own arguments."""
    return [*size_names(kernel), *table_names(kernel), *kernel.arguments]


def size_names(kernel: ir.KernelIR) -> list[str]:
    has_levels = any(each.type.level for each in kernel.variables.values())
    return [*(place.plural for place in kernel.places()), *(["levels"] if has_levels else [])]


def table_names(kernel: ir.KernelIR) -> list[str]:
    """Of relations through which values of neighbours are read."""
    return [each.full_name for each in kernel.neighbour_tables()]


def plan_of(kernel: ir.KernelIR, configuration: Configuration) -> Plan:
    return find_sweeps(fused(kernel) if configuration.fuse else kernel)


def is_ordered(kernel: ir.KernelIR, configuration: Configuration) -> bool:
    """Whether `KERNEL_order` finds other numbers: points of groups lie as they are."""
    tables = kernel.neighbour_tables()
    groups = any(isinstance(each, Group) for each in tables)
    return configuration.order != "numbered" and bool(tables) and not groups


def is_tiled(kernel: ir.KernelIR, plan: Plan, configuration: Configuration) -> bool:
    """Whether its first argument is what `KERNEL_tiles` has found."""
    return configuration.tile > 0 and has_tiles(kernel, plan)
