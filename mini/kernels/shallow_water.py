# SPDX-License-Identifier: Apache-2.0
"""Tendencies of the shallow-water equations on the hexagonal C-grid (Ringler et al. 2010)."""

from __future__ import annotations

from divergence import divergence
from kinetic_energy import kinetic_energy
from layer_potential_vorticity import edge_potential_vorticity, layer_potential_vorticity
from mass_flux import mass_flux
from relative_vorticity import relative_vorticity

from thalweg.dsl import Field, InOut, Out, Parameter, Points, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level, Vertex


@kernel
def convergence(
    flux: Field[Edge, Level, "m2 s-1"],
    divergence_weight: Field[Vertex, Vertex.edges, "m-1"],
    owned_vertices: Points[Vertex],
    thickness_tendency: InOut[Vertex, Level, "m s-1"],
) -> None:
    """dh_v/dt = -1/A_v sum_e (+-1) l_e F_e."""
    with owned_vertices:
        thickness_tendency = -sum(divergence_weight[e] * flux[e] for e in Vertex.edges)


@kernel
def vorticity_force(
    flux: Field[Edge, Level, "m2 s-1"],
    edge_vorticity: Field[Edge, Level, "m-1 s-1"],
    bernoulli: Field[Vertex, Level, "m2 s-2"],
    perpendicular_weight: Field[Edge, Edge.ring],
    per_length: Field[Edge, "m-1"],
    owned_edges: Points[Edge],
    velocity_tendency: InOut[Edge, Level, "m s-2"],
) -> None:
    """du_e/dt = -1/d_e sum_e' w_ee' l_e' F_e' (q_e + q_e') / 2 - (B_v1 - B_v0) / d_e.

    The symmetric mean of q and the antisymmetric w make the first term do no work, whatever q is.
    """
    with owned_edges:
        velocity_tendency = (
            per_length * (bernoulli[Edge.vertices.first] - bernoulli[Edge.vertices.second])
            - sum(
                perpendicular_weight[n] * flux[n] * (edge_vorticity + edge_vorticity[n])
                for n in Edge.ring
            )
            / 2
        )


@kernel
def shallow_water(
    velocity: Field[Edge, Level, "m s-1"],
    thickness: Field[Vertex, Level, "m"],
    ahead: Field[Edge, Level, "m-1 s-1"],
    ground: Field[Vertex, "m"],
    gravity: Parameter["m s-2"],
    circulation_weight: Field[Cell, Cell.edges, "m-1"],
    thickness_weight: Field[Cell, Cell.vertices],
    coriolis: Field[Cell, "s-1"],
    divergence_weight: Field[Vertex, Vertex.edges, "m-1"],
    kinetic_weight: Field[Vertex, Vertex.edges],
    perpendicular_weight: Field[Edge, Edge.ring],
    per_length: Field[Edge, "m-1"],
    owned_vertices: Points[Vertex],
    owned_edges: Points[Edge],
    flux: Out[Edge, Level, "m2 s-1"],
    vorticity: Out[Cell, Level, "s-1"],
    thickness_tendency: InOut[Vertex, Level, "m s-1"],
    velocity_tendency: InOut[Edge, Level, "m s-2"],
) -> None:
    """Of thickness and velocity; `ahead` is what `anticipation` has set."""
    mass_flux(thickness, velocity, flux)
    convergence(flux, divergence_weight, owned_vertices, thickness_tendency)
    relative_vorticity(velocity, circulation_weight, vorticity)
    layer_potential_vorticity(vorticity, thickness, thickness_weight, coriolis, potential_vorticity)
    edge_potential_vorticity(potential_vorticity, between)
    edge_vorticity = between - ahead
    kinetic_energy(velocity, kinetic_weight, energy)
    bernoulli = gravity * (thickness + ground) + energy
    vorticity_force(
        flux, edge_vorticity, bernoulli, perpendicular_weight, per_length, owned_edges,
        velocity_tendency,
    )  # fmt: skip


@kernel
def viscosity(
    velocity: Field[Edge, Level, "m s-1"],
    vorticity: Field[Cell, Level, "s-1"],
    strength: Parameter["m2 s-1"],
    divergence_weight: Field[Vertex, Vertex.edges, "m-1"],
    per_length: Field[Edge, "m-1"],
    per_face: Field[Edge, "m-1"],
    owned_edges: Points[Edge],
    velocity_tendency: InOut[Edge, Level, "m s-2"],
) -> None:
    """du_e/dt += nu ((div_v1 - div_v0) / d_e + (zeta_c1 - zeta_c0) / l_e).

    The vector Laplacian grad(div) - curl(curl).
    """
    divergence(velocity, divergence_weight, diverging)
    with owned_edges:
        velocity_tendency += strength * per_length * (
            diverging[Edge.vertices.second] - diverging[Edge.vertices.first]
        ) + strength * per_face * (vorticity[Edge.cells.second] - vorticity[Edge.cells.first])


@kernel
def tracer_transport(
    flux: Field[Edge, Level, "m2 s-1"],
    thickness: Field[Vertex, Level, "m"],
    tracer_mass: Field[Vertex, Level, "m"],
    divergence_weight: Field[Vertex, Vertex.edges, "m-1"],
    owned_vertices: Points[Vertex],
    tracer_tendency: InOut[Vertex, Level, "m s-1"],
) -> None:
    """d(h q)_v/dt: F_e takes with it the q of the hexagon that the mass comes from.

    First-order upwind: monotone, and with the same F as the mass a constant tracer stays constant.
    """
    upwind = flux * (
        where(flux >= 0, tracer_mass[Edge.vertices.first], tracer_mass[Edge.vertices.second])
        / where(flux >= 0, thickness[Edge.vertices.first], thickness[Edge.vertices.second])
    )
    convergence(upwind, divergence_weight, owned_vertices, tracer_tendency)
