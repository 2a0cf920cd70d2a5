# SPDX-License-Identifier: Apache-2.0
"""What all targets agree upon: which arguments a translated kernel has, in which order."""

from __future__ import annotations

from thalweg.dsl import ir


def argument_names(kernel: ir.KernelIR) -> list[str]:
    """Sizes of places, levels, tables of neighbours, then the kernel's own arguments."""
    return [*size_names(kernel), *table_names(kernel), *kernel.arguments]


def size_names(kernel: ir.KernelIR) -> list[str]:
    has_levels = any(each.type.level for each in kernel.variables.values())
    return [*(place.plural for place in kernel.places()), *(["levels"] if has_levels else [])]


def table_names(kernel: ir.KernelIR) -> list[str]:
    """Of relations through which values of neighbours are read."""
    return [each.full_name for each in kernel.neighbour_tables()]
