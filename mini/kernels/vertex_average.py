# SPDX-License-Identifier: Apache-2.0
"""Area-weighted mean of a triangle quantity over a hexagon."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Level, Vertex


@kernel
def vertex_average(
    vorticity: Field[Cell, Level, "m-1 s-1"],
    average_weight: Field[Vertex, Vertex.cells],
    mean: Out[Vertex, Level, "m-1 s-1"],
) -> None:
    """q_v = 1/A_v sum_c A_kite q_c (Ringler et al. 2010).

    average_weight  area of the kite that vertex and cell share / A_v
    """
    mean = sum(average_weight[c] * vorticity[c] for c in Vertex.cells)
