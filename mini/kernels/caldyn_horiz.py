# SPDX-License-Identifier: Apache-2.0
"""Horizontal tendencies of mass, temperature and velocity on hexagons, as DYNAMICO has them.

Source: Dubos et al. 2015; vorticity forces: Ringler et al. 2010; weights: Thuburn et al. 2009.
"""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Parameter, Points, constant, kernel
from thalweg.dsl.grids.hexagons import Cell, Edge, HalfLevel, Level

least_area = constant(1e-30, "m2")
least_distance = constant(1.0, "m")


@kernel
def convergence_of_fluxes(
    velocity: Field[Edge, Level, "m s-1"],
    mass: Field[Cell, Level, "kg m-2"],
    theta: Field[Cell, Level, "K"],
    length: Field[Edge, "m"],
    area: Field[Cell, "m2"],
    orientation: Field[Cell, Cell.edges],
    extended_edges: Points[Edge],
    owned: Points[Cell],
    flux: InOut[Edge, Level, "kg s-1"],
    convergence: InOut[Cell, Level, "kg m-2 s-1"],
    theta_tendency: InOut[Cell, Level, "K kg m-2 s-1"],
) -> None:
    """Mass flux through edges; how much mass and temperature flow into a cell."""
    with extended_edges:
        flux = (mass[Edge.cells.behind] + mass[Edge.cells.ahead]) / 2 * velocity * length
        theta_flux = (theta[Edge.cells.behind] + theta[Edge.cells.ahead]) / 2 * flux
    with owned:
        convergence = -sum(orientation[e] * flux[e] for e in Cell.edges) / area
        theta_tendency = -sum(orientation[e] * theta_flux[e] for e in Cell.edges) / area


@kernel
def add_kinetic_energy(
    velocity: Field[Edge, Level, "m s-1"],
    length: Field[Edge, "m"],
    distance: Field[Edge, "m"],
    area: Field[Cell, "m2"],
    owned: Points[Cell],
    bernoulli: InOut[Cell, Level, "m2 s-2"],
) -> None:
    """Adds the kinetic energy of a cell's edges."""
    with owned:
        energy = sum(length[e] * distance[e] * velocity[e] * velocity[e] for e in Cell.edges)
        bernoulli += where(area > least_area, energy / (4 * area), 0)


@kernel
def add_gradients(
    force: Field[Edge, Level, "m s-2"],
    theta: Field[Cell, Level, "K"],
    exner: Field[Cell, Level, "J kg-1 K-1"],
    bernoulli: Field[Cell, Level, "m2 s-2"],
    distance: Field[Edge, "m"],
    owned_edges: Points[Edge],
    velocity_tendency: InOut[Edge, Level, "m s-2"],
) -> None:
    """`force` with theta grad Pi and the gradient of the Bernoulli function, where edges are not
    of cells that nearly touch.
    """
    with owned_edges:
        gradient = (
            (theta[Edge.cells.behind] + theta[Edge.cells.ahead])
            / 2
            * (exner[Edge.cells.behind] - exner[Edge.cells.ahead])
            + bernoulli[Edge.cells.behind]
            - bernoulli[Edge.cells.ahead]
        ) / distance
        velocity_tendency = where(distance > least_distance, force + gradient, force)


@kernel
def caldyn_horiz(
    velocity: Field[Edge, Level, "m s-1"],
    mass: Field[Cell, Level, "kg m-2"],
    vorticity: Field[Edge, Level, "m2 kg-1 s-1"],
    theta: Field[Cell, Level, "K"],
    geopotential: Field[Cell, HalfLevel, "m2 s-2"],
    exner: Field[Cell, Level, "J kg-1 K-1"],
    length: Field[Edge, "m"],
    distance: Field[Edge, "m"],
    area: Field[Cell, "m2"],
    orientation: Field[Cell, Cell.edges],
    weight: Field[Edge, Edge.others],
    extended: Points[Cell],
    extended_edges: Points[Edge],
    owned: Points[Cell],
    owned_edges: Points[Edge],
    flux: InOut[Edge, Level, "kg s-1"],
    convergence: InOut[Cell, Level, "kg m-2 s-1"],
    theta_tendency: InOut[Cell, Level, "K kg m-2 s-1"],
    velocity_tendency: InOut[Edge, Level, "m s-2"],
) -> None:
    """With a vorticity force that keeps energy."""
    convergence_of_fluxes(
        velocity, mass, theta, length, area, orientation, extended_edges, owned,
        flux, convergence, theta_tendency,
    )  # fmt: skip
    with extended:
        for k in Level:
            bernoulli[k] = (geopotential[k] + geopotential[k + 1]) / 2
    add_kinetic_energy(velocity, length, distance, area, owned, bernoulli)
    with owned_edges:
        force = sum(weight[n] * flux[n] * (vorticity + vorticity[n]) for n in Edge.others) / (
            2 * distance
        )
    add_gradients(force, theta, exner, bernoulli, distance, owned_edges, velocity_tendency)


@kernel
def caldyn_horiz_enstrophy(
    velocity: Field[Edge, Level, "m s-1"],
    mass: Field[Cell, Level, "kg m-2"],
    vorticity: Field[Edge, Level, "m2 kg-1 s-1"],
    theta: Field[Cell, Level, "K"],
    geopotential: Field[Cell, HalfLevel, "m2 s-2"],
    exner: Field[Cell, Level, "J kg-1 K-1"],
    length: Field[Edge, "m"],
    distance: Field[Edge, "m"],
    area: Field[Cell, "m2"],
    orientation: Field[Cell, Cell.edges],
    weight: Field[Edge, Edge.others],
    extended: Points[Cell],
    extended_edges: Points[Edge],
    owned: Points[Cell],
    owned_edges: Points[Edge],
    flux: InOut[Edge, Level, "kg s-1"],
    convergence: InOut[Cell, Level, "kg m-2 s-1"],
    theta_tendency: InOut[Cell, Level, "K kg m-2 s-1"],
    velocity_tendency: InOut[Edge, Level, "m s-2"],
) -> None:
    """With a vorticity force that keeps potential enstrophy."""
    convergence_of_fluxes(
        velocity, mass, theta, length, area, orientation, extended_edges, owned,
        flux, convergence, theta_tendency,
    )  # fmt: skip
    with extended:
        for k in Level:
            bernoulli[k] = (geopotential[k] + geopotential[k + 1]) / 2
    add_kinetic_energy(velocity, length, distance, area, owned, bernoulli)
    with owned_edges:
        force = vorticity / distance * sum(weight[n] * flux[n] for n in Edge.others)
    add_gradients(force, theta, exner, bernoulli, distance, owned_edges, velocity_tendency)


@kernel
def caldyn_horiz_boussinesq(
    velocity: Field[Edge, Level, "m s-1"],
    mass: Field[Cell, Level, "m"],
    vorticity: Field[Edge, Level, "m-1 s-1"],
    buoyancy: Field[Cell, Level],
    geopotential: Field[Cell, HalfLevel, "m2 s-2"],
    top_pressure: Parameter["m2 s-2"],
    gravity: Parameter["m s-2"],
    length: Field[Edge, "m"],
    distance: Field[Edge, "m"],
    area: Field[Cell, "m2"],
    orientation: Field[Cell, Cell.edges],
    weight: Field[Edge, Edge.others],
    extended: Points[Cell],
    extended_edges: Points[Edge],
    owned: Points[Cell],
    owned_edges: Points[Edge],
    mean_geopotential: InOut[Cell, Level, "m2 s-2"],
    flux: InOut[Edge, Level, "m3 s-1"],
    convergence: InOut[Cell, Level, "m s-1"],
    buoyancy_tendency: InOut[Cell, Level, "m s-1"],
    velocity_tendency: InOut[Edge, Level, "m s-2"],
) -> None:
    """For an incompressible fluid, all over its density: pressure is the weight above."""
    with extended_edges:
        flux = (mass[Edge.cells.behind] + mass[Edge.cells.ahead]) / 2 * velocity * length
        buoyancy_flux = (buoyancy[Edge.cells.behind] + buoyancy[Edge.cells.ahead]) / 2 * flux
    with owned:
        convergence = -sum(orientation[e] * flux[e] for e in Cell.edges) / area
        buoyancy_tendency = -sum(orientation[e] * buoyancy_flux[e] for e in Cell.edges) / area
    with extended:
        bernoulli = top_pressure + gravity * buoyancy * mass / 2
        for k in downward(Level[:-1]):
            bernoulli[k] = (
                bernoulli[k + 1]
                + gravity * (buoyancy[k] * mass[k] + buoyancy[k + 1] * mass[k + 1]) / 2
            )
        for k in Level:
            mean_geopotential[k] = (geopotential[k] + geopotential[k + 1]) / 2
    add_kinetic_energy(velocity, length, distance, area, owned, bernoulli)
    with owned_edges:
        force = sum(weight[n] * flux[n] * (vorticity + vorticity[n]) for n in Edge.others) / (
            2 * distance
        )
        gradient = (
            (buoyancy[Edge.cells.behind] + buoyancy[Edge.cells.ahead])
            / 2
            * (mean_geopotential[Edge.cells.behind] - mean_geopotential[Edge.cells.ahead])
            + bernoulli[Edge.cells.behind]
            - bernoulli[Edge.cells.ahead]
        ) / distance
        velocity_tendency = where(distance > least_distance, force + gradient, force)
