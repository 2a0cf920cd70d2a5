# SPDX-License-Identifier: Apache-2.0
"""Horizontal diffusion of a scalar, as NICAM has it.

Source: Tomita et al. 2001.
"""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Out, Points, kernel
from thalweg.dsl.grids.arcs import XYZ, Cell, Level, Triangle


@kernel
def gradient_on_triangles(
    scalar: Field[Cell, Level],
    triangle_weight: Field[Triangle, XYZ, Triangle.cells, "m-1"],
    owned_triangles: Points[Triangle],
    slope: Out[Triangle, XYZ, Level, "m-1"],
) -> None:
    """From the differences of the three corners to their mean."""
    with owned_triangles:
        mean = sum(scalar[c] for c in Triangle.cells) / 3
        for s in XYZ:
            slope[s] = sum(triangle_weight[s, c] * (scalar[c] - mean) for c in Triangle.cells)


@kernel
def diffusion(
    scalar: Field[Cell, Level],
    diffusivity: Field[Cell, Level, "m2 s-1"],
    triangle_weight: Field[Triangle, XYZ, Triangle.cells, "m-1"],
    face_weight: Field[Cell, XYZ, Cell.neighbours, "m-1"],
    owned_triangles: Points[Triangle],
    owned: Points[Cell],
    tendency: InOut[Cell, Level, "s-1"],
) -> None:
    """div(K grad phi): the sum over the faces of mean K times the flux of the mean gradient."""
    gradient_on_triangles(scalar, triangle_weight, owned_triangles, slope)
    with owned:
        tendency = sum(
            (diffusivity + diffusivity[n])
            / 2
            * sum(
                face_weight[s, n] * (slope[Cell.before[n], s] + slope[Cell.after[n], s])
                for s in XYZ
            )
            for n in Cell.neighbours
        )


@kernel
def diffusion_as_published(
    scalar: Field[Cell, Level],
    diffusivity: Field[Cell, Level, "m2 s-1"],
    triangle_weight: Field[Triangle, XYZ, Triangle.cells, "m-1"],
    face_weight: Field[Cell, XYZ, Cell.neighbours, "m-1"],
    owned_triangles: Points[Triangle],
    owned: Points[Cell],
    tendency: InOut[Cell, Level, "s-1"],
) -> None:
    """As the published code computes it, to compare with: it takes the x component of the first
    triangle for y and z, too. This is no diffusion; `diffusion` is."""
    gradient_on_triangles(scalar, triangle_weight, owned_triangles, slope)
    with owned:
        tendency = sum(
            (diffusivity + diffusivity[n])
            / 2
            * sum(
                face_weight[s, n] * (slope[Cell.before[n], XYZ.x] + slope[Cell.after[n], s])
                for s in XYZ
            )
            for n in Cell.neighbours
        )
