# SPDX-License-Identifier: Apache-2.0
"""Layer mass, potential temperature and potential vorticity on hexagons, as DYNAMICO has them.

Source: Dubos et al. 2015 (DYNAMICO); vorticity and its mean on edges: Ringler et al. 2010.
"""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Parameter, Points, kernel
from thalweg.dsl.grids.hexagons import Cell, Edge, Level, Vertex


@kernel
def potential_vorticity(
    velocity: Field[Edge, Level, "m s-1"],
    mass: Field[Cell, Level, "kg m-2"],
    distance: Field[Edge, "m"],
    orientation: Field[Vertex, Vertex.edges],
    overlap: Field[Vertex, Vertex.cells],
    dual_area: Field[Vertex, "m2"],
    coriolis: Field[Vertex, "s-1"],
    extended_vertices: Points[Vertex],
    owned_edges: Points[Edge],
    vorticity: InOut[Vertex, Level, "m2 kg-1 s-1"],
    edge_vorticity: InOut[Edge, Level, "m2 kg-1 s-1"],
) -> None:
    """Absolute vorticity over mass at the corners; 0 where there is no mass. Means on edges."""
    with extended_vertices:
        circulation = sum(orientation[e] * velocity[e] * distance[e] for e in Vertex.edges)
        around = sum(overlap[c] * mass[c] for c in Vertex.cells)
        vorticity = where(around > 0, (circulation / dual_area + coriolis) / around, 0)
    with owned_edges:
        edge_vorticity = (vorticity[Edge.vertices.first] + vorticity[Edge.vertices.second]) / 2


@kernel
def pvort(
    velocity: Field[Edge, Level, "m s-1"],
    surface_pressure: Field[Cell, "Pa"],
    theta_mass: Field[Cell, Level, "K kg m-2"],
    mass_a: Field[Level, "Pa"],
    mass_b: Field[Level],
    gravity: Parameter["m s-2"],
    distance: Field[Edge, "m"],
    orientation: Field[Vertex, Vertex.edges],
    overlap: Field[Vertex, Vertex.cells],
    dual_area: Field[Vertex, "m2"],
    coriolis: Field[Vertex, "s-1"],
    extended: Points[Cell],
    extended_vertices: Points[Vertex],
    owned_edges: Points[Edge],
    mass: InOut[Cell, Level, "kg m-2"],
    theta: InOut[Cell, Level, "K"],
    vorticity: InOut[Vertex, Level, "m2 kg-1 s-1"],
    edge_vorticity: InOut[Edge, Level, "m2 kg-1 s-1"],
) -> None:
    """With a mass-based vertical coordinate: layers hold what the surface pressure says."""
    with extended:
        mass = (mass_a + mass_b * surface_pressure) / gravity
        theta = where(mass > 0, theta_mass / mass, 0)
    potential_vorticity(
        velocity, mass, distance, orientation, overlap, dual_area, coriolis,
        extended_vertices, owned_edges, vorticity, edge_vorticity,
    )  # fmt: skip


@kernel
def pvort_lagrangian(
    velocity: Field[Edge, Level, "m s-1"],
    mass: Field[Cell, Level, "kg m-2"],
    theta_mass: Field[Cell, Level, "K kg m-2"],
    distance: Field[Edge, "m"],
    orientation: Field[Vertex, Vertex.edges],
    overlap: Field[Vertex, Vertex.cells],
    dual_area: Field[Vertex, "m2"],
    coriolis: Field[Vertex, "s-1"],
    extended: Points[Cell],
    extended_vertices: Points[Vertex],
    owned_edges: Points[Edge],
    theta: InOut[Cell, Level, "K"],
    vorticity: InOut[Vertex, Level, "m2 kg-1 s-1"],
    edge_vorticity: InOut[Edge, Level, "m2 kg-1 s-1"],
) -> None:
    """With a Lagrangian vertical coordinate: the mass of a layer is given."""
    with extended:
        theta = theta_mass / mass
    potential_vorticity(
        velocity, mass, distance, orientation, overlap, dual_area, coriolis,
        extended_vertices, owned_edges, vorticity, edge_vorticity,
    )  # fmt: skip
