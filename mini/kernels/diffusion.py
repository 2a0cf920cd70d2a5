# SPDX-License-Identifier: Apache-2.0
"""Horizontal diffusion of a scalar, as NICAM has it.

Source: Tomita et al. 2001.
"""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Out, Points, kernel
from thalweg.dsl.grids.arcs import XYZ, Cell, Face, Level, Triangle


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
def corner_weights(
    triangle_weight: Field[Triangle, XYZ, Triangle.cells, "m-1"],
    owned_triangles: Points[Triangle],
    corner: Out[Triangle, XYZ, Triangle.cells, "m-1"],
) -> None:
    """Of the corners themselves in the slope, which `triangle_weight` has of what they differ from
    their mean by."""
    with owned_triangles:
        for s in XYZ:
            mean = sum(triangle_weight[s, c] for c in Triangle.cells) / 3
            for c in Triangle.cells:
                corner[s, c] = triangle_weight[s, c] - mean


@kernel
def diffusion_weights(
    triangle_weight: Field[Triangle, XYZ, Triangle.cells, "m-1"],
    face_weight: Field[Cell, XYZ, Cell.neighbours, "m-1"],
    there_after: Field[Cell, Cell.neighbours, Triangle.cells],
    there_before: Field[Cell, Cell.neighbours, Triangle.cells],
    owned_triangles: Points[Triangle],
    owned: Points[Cell],
    weight: Out[Cell, Face, Cell.neighbours, "m-2"],
) -> None:
    """What a neighbour adds to half the flux through the face before it, its own, and that after.

    `there_after` is 1 for the corner that the neighbour is of the triangle after its face,
    `there_before` the same of the triangle before. The sixth neighbour and face of a pentagon are
    its fifth once more: one has the triangle before it, the other that after.
    """
    corner_weights(triangle_weight, owned_triangles, corner)
    with owned:
        for n in Cell.neighbours:
            for s in XYZ:
                before[s] = sum(
                    there_before[n, c] * corner[Cell.before[n], s, c] for c in Triangle.cells
                )
                after[s] = sum(
                    there_after[n, c] * corner[Cell.after[n], s, c] for c in Triangle.cells
                )
            weight[Face.before, n] = sum(face_weight[s, n - 1] * before[s] for s in XYZ) / 2
            weight[Face.own, n] = sum(face_weight[s, n] * (before[s] + after[s]) for s in XYZ) / 2
            weight[Face.after, n] = sum(face_weight[s, n + 1] * after[s] for s in XYZ) / 2


@kernel
def diffusion(
    scalar: Field[Cell, Level],
    diffusivity: Field[Cell, Level, "m2 s-1"],
    weight: Field[Cell, Face, Cell.neighbours, "m-2"],
    owned: Points[Cell],
    tendency: InOut[Cell, Level, "s-1"],
) -> None:
    """div(K grad phi): the sum over the faces of mean K times the flux of the mean gradient.

    Both operators are one, since they are the same on all levels: `diffusion_weights` says how much
    of the difference to a neighbour flows through each of the three faces that it has a part in.
    """
    with owned:
        for n in Cell.neighbours:
            both[n] = diffusivity + diffusivity[n]
        tendency = sum(
            (scalar[n] - scalar)
            * (
                weight[Face.before, n] * both[n - 1]
                + weight[Face.own, n] * both[n]
                + weight[Face.after, n] * both[n + 1]
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
