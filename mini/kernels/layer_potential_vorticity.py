# SPDX-License-Identifier: Apache-2.0
"""Potential vorticity of a layer of fluid, in a triangle and between two."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level, Vertex


@kernel
def layer_potential_vorticity(
    vorticity: Field[Cell, Level, "s-1"],
    thickness: Field[Vertex, Level, "m"],
    thickness_weight: Field[Cell, Cell.vertices],
    coriolis: Field[Cell, "s-1"],
    potential_vorticity: Out[Cell, Level, "m-1 s-1"],
) -> None:
    """q_c = (f_c + zeta_c) / h_c, h_c = 1/A_c sum_v A_kite h_v (Ringler et al. 2010).

    thickness_weight  area of the kite that cell and vertex share / A_c
    """
    potential_vorticity = (coriolis + vorticity) / sum(
        thickness_weight[v] * thickness[v] for v in Cell.vertices
    )


@kernel
def edge_potential_vorticity(
    potential_vorticity: Field[Cell, Level, "m-1 s-1"],
    edge_vorticity: Out[Edge, Level, "m-1 s-1"],
) -> None:
    """q_e = (q_c0 + q_c1) / 2 (Ringler et al. 2010)."""
    edge_vorticity = (
        potential_vorticity[Edge.cells.first] + potential_vorticity[Edge.cells.second]
    ) / 2
