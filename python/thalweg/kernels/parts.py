# SPDX-License-Identifier: Apache-2.0
"""Deals a grid to ranks: whose each point is, and what a rank knows of points around its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg.dsl import ir
from thalweg.kernels.cases import Array

if TYPE_CHECKING:
    from thalweg.dsl.grid import Relation
    from thalweg.kernels.compiled import Inputs

Owners = Mapping[str, Array]  # place: rank of each point


@dataclass(frozen=True)
class Part:
    """Of one rank. points: place: numbers in the whole grid, own ones first, both rising"""

    inputs: Inputs
    points: dict[str, Array]
    own: dict[str, int]


def in_a_row(kernel: ir.KernelIR, inputs: Inputs, ranks: int) -> dict[str, Array]:
    """Owners of consecutive points, as many for each rank as for the others."""
    places = [place.plural for place in kernel.places()]
    return {
        name: np.arange(inputs.sizes[name]) * ranks // max(inputs.sizes[name], 1) for name in places
    }


def deal(kernel: ir.KernelIR, inputs: Inputs, owners: Owners, rank: int, depth: int) -> Part:
    """Own points and what `depth` tables of neighbours lead to. Values of others are NaN."""
    held = {name: owner == rank for name, owner in owners.items()}
    for _ in range(depth):
        before = {name: each.copy() for name, each in held.items()}
        for relation in kernel.neighbour_tables():
            here = before[relation.source.plural]
            held[relation.target.plural][_table(inputs, relation)[:, here].ravel()] = True
    points, own = {}, {}
    for name, each in held.items():
        mine = owners[name] == rank
        points[name] = np.concatenate([np.flatnonzero(each & mine), np.flatnonzero(each & ~mine)])
        own[name] = int(np.count_nonzero(mine))
    return Part(_local(kernel, inputs, points, own), points, own)


def _table(inputs: Inputs, relation: Relation) -> Array:
    return np.atleast_2d(inputs.tables[relation.full_name])


def _local(
    kernel: ir.KernelIR, inputs: Inputs, points: dict[str, Array], own: dict[str, int]
) -> Inputs:
    """Tables with the numbers of this rank, -1 for a point that it does not hold."""
    local = {name: np.full(inputs.sizes[name], -1) for name in points}
    for name, each in points.items():
        local[name][each] = np.arange(len(each))
    tables = {}
    for relation in kernel.neighbour_tables():
        here = _table(inputs, relation)[:, points[relation.source.plural]]
        tables[relation.full_name] = local[relation.target.plural][here]
    arguments: dict[str, Any] = {}
    for name, variable in kernel.arguments.items():
        value, place = inputs.arguments[name], variable.type.place
        if place is None:
            arguments[name] = value
        elif variable.type.role == "points":
            found = local[place.plural][value]
            arguments[name] = np.sort(found[found >= 0])
        else:
            arguments[name] = np.array(value[..., points[place.plural]])
            arguments[name][..., own[place.plural] :] = np.nan
    sizes = {**inputs.sizes, **{name: len(each) for name, each in points.items()}}
    return replace(inputs, sizes=sizes, tables=tables, arguments=arguments)
