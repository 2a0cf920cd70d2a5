# SPDX-License-Identifier: Apache-2.0
"""One component of the wind at the centre of a hexagon."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.hexagons import Cell, Edge, Level


@kernel
def hexagon_wind(
    velocity: Field[Edge, Level, "m s-1"],
    component_weight: Field[Cell, Cell.edges],
    component: Out[Cell, Level, "m s-1"],
) -> None:
    """U = 1/A sum_e l_e (x_e - x) (u . n)_e, exact where u does not vary (Perot 2000).

    component_weight  l_e times that component of x_e - x, over the area A; x_e: middle of the face
    """
    component = sum(component_weight[e] * velocity[e] for e in Cell.edges)
