# SPDX-License-Identifier: Apache-2.0
"""Eastward or northward velocity at the centre of a triangle."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def cell_velocity(
    velocity: Field[Edge, Level, "m s-1"],
    component_weight: Field[Cell, Cell.edges],
    component: Out[Cell, Level, "m s-1"],
) -> None:
    """U_c = sum_e a_e u_e: Whitney's edge interpolation at the triangle's centre (Bossavit 1988).

    Exact for uniform flow and for rotation, so (unlike the tangential velocity) consistent beside
    the 12 pentagons.

    component_weight  a_e, eastward or northward
    """
    component = sum(component_weight[e] * velocity[e] for e in Cell.edges)
