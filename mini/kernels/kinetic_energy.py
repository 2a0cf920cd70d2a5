# SPDX-License-Identifier: Apache-2.0
"""Kinetic energy per mass in a hexagon."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Edge, Level, Vertex


@kernel
def kinetic_energy(
    velocity: Field[Edge, Level, "m s-1"],
    kinetic_weight: Field[Vertex, Vertex.edges],
    energy: Out[Vertex, Level, "m2 s-2"],
) -> None:
    """K_v = 1/A_v sum_e (l_e d_e / 4) u_e^2 (Ringler et al. 2010).

    kinetic_weight  l_e d_e / (4 A_v)
    """
    energy = sum(kinetic_weight[e] * velocity[e] * velocity[e] for e in Vertex.edges)
