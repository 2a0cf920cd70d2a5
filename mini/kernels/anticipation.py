# SPDX-License-Identifier: Apache-2.0
"""How much potential vorticity changes along the flow in a part of a time step."""

from __future__ import annotations

from layer_potential_vorticity import layer_potential_vorticity
from relative_vorticity import relative_vorticity
from tangential_velocity import tangential_velocity
from vertex_average import vertex_average

from thalweg.dsl import Field, Out, Parameter, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level, Vertex


@kernel
def anticipation(
    velocity: Field[Edge, Level, "m s-1"],
    thickness: Field[Vertex, Level, "m"],
    period: Parameter["s"],
    circulation_weight: Field[Cell, Cell.edges, "m-1"],
    thickness_weight: Field[Cell, Cell.vertices],
    coriolis: Field[Cell, "s-1"],
    average_weight: Field[Vertex, Vertex.cells],
    perpendicular_weight: Field[Edge, Edge.ring],
    per_length: Field[Edge, "m-1"],
    per_face: Field[Edge, "m-1"],
    ahead: Out[Edge, Level, "m-1 s-1"],
) -> None:
    """D_e = period (u_e dq/dt_e + v_e dq/dn_e).

    Subtracting D from q_e takes the potential vorticity from upstream (anticipated potential
    vorticity: Sadourny & Basdevant 1985; Ringler et al. 2010). It dissipates enstrophy and,
    entering q_e symmetrically, no energy.

    per_length, per_face  1 / d_e, 1 / l_e
    """
    relative_vorticity(velocity, circulation_weight, vorticity)
    layer_potential_vorticity(vorticity, thickness, thickness_weight, coriolis, potential_vorticity)
    vertex_average(potential_vorticity, average_weight, mean)
    tangential_velocity(velocity, perpendicular_weight, tangential)
    ahead = period * per_length * velocity * (
        mean[Edge.vertices.second] - mean[Edge.vertices.first]
    ) + period * per_face * tangential * (
        potential_vorticity[Edge.cells.second] - potential_vorticity[Edge.cells.first]
    )
