# SPDX-License-Identifier: Apache-2.0
"""Divergence of what flows through the faces of a hexagon."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Edge, Level, Vertex


@kernel
def divergence(
    velocity: Field[Edge, Level, "m s-1"],
    divergence_weight: Field[Vertex, Vertex.edges, "m-1"],
    diverging: Out[Vertex, Level, "s-1"],
) -> None:
    """div_v = 1/A_v sum_e (+-1) l_e u_e (Gauss; Ringler et al. 2010).

    divergence_weight  +-l_e / A_v
    """
    diverging = sum(divergence_weight[e] * velocity[e] for e in Vertex.edges)
