# SPDX-License-Identifier: Apache-2.0
"""Laplacians of velocity and of a scalar on hexagons; twice each is hyperdiffusion.

Source: Dubos et al. 2015, which damps grad div and curl curl alike.
"""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Parameter, Points, kernel
from thalweg.dsl.grids.hexagons import Cell, Edge, Level, Vertex


@kernel
def vector_laplacian(
    velocity: Field[Edge, Level, "m s-1"],
    length: Field[Edge, "m"],
    distance: Field[Edge, "m"],
    area: Field[Cell, "m2"],
    dual_area: Field[Vertex, "m2"],
    outward: Field[Cell, Cell.edges],
    around: Field[Vertex, Vertex.edges],
    owned_edges: Points[Edge],
    curvature: InOut[Edge, Level, "m-1 s-1"],
) -> None:
    """grad div u - curl curl u along the edge.

    outward  1 where the edge's normal points out of the hexagon, else -1; 0: no such edge
    around   1 where it points counter-clockwise about the triangle, else -1
    """
    divergence = sum(outward[e] * length[e] * velocity[e] for e in Cell.edges) / area
    vorticity = sum(around[e] * distance[e] * velocity[e] for e in Vertex.edges) / dual_area
    with owned_edges:
        curvature = (divergence[Edge.cells.ahead] - divergence[Edge.cells.behind]) / distance + (
            vorticity[Edge.vertices.second] - vorticity[Edge.vertices.first]
        ) / length


@kernel
def scalar_laplacian(
    scalar: Field[Cell, Level, "K"],
    length: Field[Edge, "m"],
    distance: Field[Edge, "m"],
    area: Field[Cell, "m2"],
    outward: Field[Cell, Cell.edges],
    owned: Points[Cell],
    curvature: InOut[Cell, Level, "K m-2"],
) -> None:
    """div grad theta."""
    slope = (scalar[Edge.cells.ahead] - scalar[Edge.cells.behind]) / distance
    with owned:
        curvature = sum(outward[e] * length[e] * slope[e] for e in Cell.edges) / area


@kernel
def scalar_hyperdiffusion(
    curvature: Field[Cell, Level, "K m-2"],
    mass: Field[Cell, Level, "kg m-2"],
    strength: Parameter["m4 s-1"],
    length: Field[Edge, "m"],
    distance: Field[Edge, "m"],
    area: Field[Cell, "m2"],
    outward: Field[Cell, Cell.edges],
    owned: Points[Cell],
    forcing: InOut[Cell, Level, "K kg m-2 s-1"],
) -> None:
    """-K div(M grad(div grad theta)): what leaves a hexagon enters its neighbour."""
    flux = (
        (mass[Edge.cells.behind] + mass[Edge.cells.ahead])
        / 2
        * (curvature[Edge.cells.ahead] - curvature[Edge.cells.behind])
        / distance
    )
    with owned:
        forcing = -strength * sum(outward[e] * length[e] * flux[e] for e in Cell.edges) / area


@kernel
def add_hyperdiffusion(
    curvature_of_curvature: Field[Edge, Level, "m-3 s-1"],
    scalar_forcing: Field[Cell, Level, "K kg m-2 s-1"],
    strength: Parameter["m4 s-1"],
    owned_edges: Points[Edge],
    owned: Points[Cell],
    velocity_tendency: InOut[Edge, Level, "m s-2"],
    scalar_tendency: InOut[Cell, Level, "K kg m-2 s-1"],
) -> None:
    """To the tendencies of a stage."""
    with owned_edges:
        velocity_tendency -= strength * curvature_of_curvature
    with owned:
        scalar_tendency += scalar_forcing
