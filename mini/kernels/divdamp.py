# SPDX-License-Identifier: Apache-2.0
"""Damping of three-dimensional divergence, as NICAM has it.

Source: Satoh et al. 2008.
"""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Points, kernel
from thalweg.dsl.grids.arcs import XYZ, Cell, Level, Side, Triangle


@kernel
def divdamp(
    momentum: Field[Cell, XYZ, Level, "kg m-2 s-1"],
    vertical_momentum: Field[Cell, Level, "kg m-2 s-1"],
    slope_factor: Field[Cell, XYZ, Side, Level],
    half_metric: Field[Cell, Level],
    depth: Field[Cell, Level],
    half_depth: Field[Cell, Level],
    inverse_thickness: Field[Level, "m-1"],
    triangle_weight: Field[Triangle, XYZ, Triangle.cells, "m-1"],
    face_weight: Field[Cell, XYZ, Cell.neighbours, "m-1"],
    owned_triangles: Points[Triangle],
    owned: Points[Cell],
    damping: InOut[Cell, XYZ, Level, "kg m-4 s-1"],
) -> None:
    """The gradient of the divergence of momentum; 0 in the ghost layers.

    The sixth face of a pentagon has the weight 0; a triangle after a face is that before the next.
    `slope_factor` brings momentum to half levels along the slope of the coordinate; `lower` is the
    factor of the layer below the half level. No flow through ground and top.
    """
    for k in Level[2:-1]:
        through[k] = (
            half_depth[k]
            * sum(
                slope_factor[s, Side.upper, k] * momentum[s, k]
                + slope_factor[s, Side.lower, k] * momentum[s, k - 1]
                for s in XYZ
            )
            + half_metric[k] * vertical_momentum[k]
        )
    through[1] = 0
    through[-1] = 0
    with owned_triangles:
        for k in Level[1:-1]:
            divergence[k] = (
                sum(
                    sum(
                        triangle_weight[s, c] * (momentum[c, s, k] * depth[c, k])
                        for c in Triangle.cells
                    )
                    for s in XYZ
                )
                + (
                    sum(through[c, k + 1] for c in Triangle.cells)
                    - sum(through[c, k] for c in Triangle.cells)
                )
                / 3
                * inverse_thickness[k]
            )
    with owned:
        for s in XYZ:
            for k in Level[1:-1]:
                damping[s, k] = sum(
                    (face_weight[s, n] + face_weight[s, n + 1]) * divergence[Cell.after[n], k]
                    for n in Cell.neighbours
                )
    for s in XYZ:
        damping[s, 0] = 0
        damping[s, -1] = 0
