# SPDX-License-Identifier: Apache-2.0
"""Vertical mass flux and what it carries from layer to layer, as DYNAMICO has it.

Source: Dubos et al. 2015.
"""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Parameter, Points, kernel
from thalweg.dsl.grids.hexagons import Cell, Edge, HalfLevel, Level


@kernel
def caldyn_vert(
    velocity: Field[Edge, Level, "m s-1"],
    theta: Field[Cell, Level, "K"],
    mass: Field[Cell, Level, "kg m-2"],
    mass_b: Field[HalfLevel],
    gravity: Parameter["m s-2"],
    owned: Points[Cell],
    owned_edges: Points[Edge],
    convergence: InOut[Cell, Level, "kg m-2 s-1"],
    vertical_flux: InOut[Cell, HalfLevel, "kg m-2 s-1"],
    momentum_flux: InOut[Edge, HalfLevel, "kg m-1 s-2"],
    velocity_tendency: InOut[Edge, Level, "m s-2"],
    theta_tendency: InOut[Cell, Level, "K kg m-2 s-1"],
    pressure_tendency: InOut[Cell, "Pa s-1"],
) -> None:
    """The convergence becomes that of all layers above; fluxes at the ground and top are given."""
    with owned:
        for k in downward(Level[:-1]):
            convergence[k] += convergence[k + 1]
        pressure_tendency = gravity * convergence[0]
        for k in Level[1:]:
            vertical_flux[k] = mass_b[k] * convergence[0] - convergence[k]
        for k in Level[:-1]:
            theta_tendency[k] -= vertical_flux[k + 1] * (theta[k] + theta[k + 1]) / 2
        for k in Level[1:]:
            theta_tendency[k] += vertical_flux[k] * (theta[k - 1] + theta[k]) / 2
    with owned_edges:
        for k in Level[1:]:
            momentum_flux[k] = (
                (vertical_flux[Edge.cells.behind, k] + vertical_flux[Edge.cells.ahead, k])
                / 2
                * (velocity[k] - velocity[k - 1])
            )
        for k in Level:
            velocity_tendency[k] -= (momentum_flux[k] + momentum_flux[k + 1]) / (
                mass[Edge.cells.behind, k] + mass[Edge.cells.ahead, k]
            )
