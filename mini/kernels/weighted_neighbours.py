# SPDX-License-Identifier: Apache-2.0
"""Neighbours aside and above, weighted by parameters of several kinds."""

from __future__ import annotations

from thalweg.dsl import Field, InOut, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def weighted_neighbours(
    flux: Field[Edge, Level, "K"],
    edge_weight: Field[Cell, Cell.edges],
    level_weight: Field[Cell, Level],
    result: InOut[Cell, Level, "K"],
) -> None:
    """The weighted sum r over the edges of a cell, mixed with that of the level before.

    The first level keeps what it has; the last is a fixed mean of the last three.
    """
    around = sum(edge_weight[e] * flux[e] for e in Cell.edges)
    for k in Level[1:-1]:
        result[k] = level_weight[k] * around[k] + (1 - level_weight[k]) * around[k - 1]
    result[-1] = 0.4 * around[-1] + 0.3 * around[-2] + 0.3 * around[-3]
