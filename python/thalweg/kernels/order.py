# SPDX-License-Identifier: Apache-2.0
"""Points in another order: what a kernel is called with, and what it set, as they were before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thalweg.dsl import ir

if TYPE_CHECKING:
    from thalweg.kernels.compiled import Inputs

Array = NDArray[Any]


def renumbered(kernel: ir.KernelIR, inputs: Inputs, orders: Mapping[str, Array]) -> Inputs:
    """`orders`: place (its plural): old number of each new point. Points of an argument rise."""
    ranks = {place: inverse(order) for place, order in orders.items()}
    tables = dict(inputs.tables)
    for table in kernel.neighbour_tables():
        named = np.asarray(tables[table.full_name])
        there = ranks[table.target.plural][named]
        tables[table.full_name] = there[:, orders[table.source.plural]]
    arguments = dict(inputs.arguments)
    for name, variable in kernel.arguments.items():
        place = variable.type.place
        if place is None:
            continue
        if variable.type.role == "points":
            arguments[name] = np.sort(ranks[place.plural][np.asarray(arguments[name], int)])
        else:
            arguments[name] = np.asarray(arguments[name])[..., orders[place.plural]]
    return replace(inputs, tables=tables, arguments=arguments)


def inverse(order: Array) -> Array:
    """New number of each old point."""
    found = np.empty_like(order)
    found[order] = np.arange(len(order), dtype=order.dtype)
    return found
