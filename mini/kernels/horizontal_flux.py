# SPDX-License-Identifier: Apache-2.0
"""Mass flux through the faces of cells, and where the air came from, as NICAM has it.

Source: Miura 2007.
"""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Out, Parameter, Points, kernel
from thalweg.dsl.grids.arcs import XYZ, Arc, Cell, Level, Triangle


@kernel
def horizontal_flux(
    density: Field[Cell, Level, "kg m-3"],
    momentum: Field[Cell, XYZ, Level, "kg m-2 s-1"],
    time_step: Parameter["s"],
    least_density: Parameter["kg m-3"],
    triangle_weight: Field[Triangle, Triangle.cells],
    normal: Field[Arc, XYZ, "m"],
    midpoint: Field[Arc, XYZ, "m"],
    inverse_area: Field[Cell, "m-2"],
    orientation: Field[Cell, Cell.arcs],
    owned_triangles: Points[Triangle],
    owned_arcs: Points[Arc],
    flux: Out[Cell, Cell.arcs, Level, "kg m-3"],
    centroid: InOut[Arc, XYZ, Level, "m"],
) -> None:
    """What leaves a cell in a time step, over its area; the middle of what passes through an arc.

    `orientation` is 1 where a cell is the anchor of its arc, -1 where not, 0 where there is none.
    """
    with owned_triangles:
        mean_density = sum(triangle_weight[c] * density[c] for c in Triangle.cells)
        for s in XYZ:
            mean_momentum[s] = sum(triangle_weight[c] * momentum[c, s] for c in Triangle.cells)
    with owned_arcs:
        passing_density = mean_density[Arc.triangles.before] + mean_density[Arc.triangles.after]
        half_way = time_step / 2 / max(passing_density, least_density)
        for s in XYZ:
            passing[s] = (
                mean_momentum[Arc.triangles.before, s] + mean_momentum[Arc.triangles.after, s]
            )
            centroid[s] = midpoint[s] - half_way * passing[s]
        outward = sum(passing[s] * normal[s] for s in XYZ) / 2
    for f in Cell.arcs:
        flux[f] = where(
            orientation[f] == 0, 0, orientation[f] * outward[f] * time_step * inverse_area
        )
