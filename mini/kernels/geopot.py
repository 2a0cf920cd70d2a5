# SPDX-License-Identifier: Apache-2.0
"""Exner function and geopotential by hydrostatic integration, as DYNAMICO has them.

Source: Dubos et al. 2015.
"""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Parameter, Points, constant, kernel
from thalweg.dsl.grids.hexagons import Cell, HalfLevel, Level

least_pressure = constant(1e-30, "Pa")


@kernel
def geopot(
    surface_pressure: Field[Cell, "Pa"],
    mass: Field[Cell, Level, "kg m-2"],
    theta: Field[Cell, Level, "K"],
    mean_a: Field[Level, "Pa"],
    mean_b: Field[Level],
    top_pressure: Parameter["Pa"],
    reference_pressure: Parameter["Pa"],
    gravity: Parameter["m s-2"],
    heat_capacity: Parameter["J kg-1 K-1"],
    kappa: Parameter["1"],
    extended: Points[Cell],
    exner: InOut[Cell, Level, "J kg-1 K-1"],
    geopotential: InOut[Cell, HalfLevel, "m2 s-2"],
) -> None:
    """With a mass-based vertical coordinate; where there is no pressure, Phi stays as it is."""
    with extended:
        pressure = top_pressure + mean_a + mean_b * surface_pressure
        exner = heat_capacity * (pressure / reference_pressure) ** kappa
        for k in upward(Level):
            geopotential[k + 1] = where(
                pressure[k] > least_pressure,
                geopotential[k] + gravity * kappa * mass[k] * theta[k] * exner[k] / pressure[k],
                geopotential[k + 1],
            )


@kernel
def geopot_lagrangian(
    mass: Field[Cell, Level, "kg m-2"],
    theta: Field[Cell, Level, "K"],
    top_pressure: Parameter["Pa"],
    reference_pressure: Parameter["Pa"],
    gravity: Parameter["m s-2"],
    heat_capacity: Parameter["J kg-1 K-1"],
    kappa: Parameter["1"],
    extended: Points[Cell],
    surface_pressure: InOut[Cell, "Pa"],
    exner: InOut[Cell, Level, "J kg-1 K-1"],
    geopotential: InOut[Cell, HalfLevel, "m2 s-2"],
) -> None:
    """With a Lagrangian vertical coordinate: pressure is the weight of the layers above."""
    with extended:
        pressure = top_pressure + gravity * mass / 2
        for k in downward(Level[:-1]):
            pressure[k] = pressure[k + 1] + gravity * (mass[k] + mass[k + 1]) / 2
        surface_pressure = pressure[0] + gravity * mass[0] / 2
        exner = heat_capacity * (pressure / reference_pressure) ** kappa
        for k in upward(Level):
            geopotential[k + 1] = (
                geopotential[k] + gravity * kappa * mass[k] * theta[k] * exner[k] / pressure[k]
            )


@kernel
def geopot_boussinesq(
    mass: Field[Cell, Level, "m"],
    gravity: Parameter["m s-2"],
    extended: Points[Cell],
    geopotential: InOut[Cell, HalfLevel, "m2 s-2"],
) -> None:
    """For an incompressible fluid: the mass of a layer, over the density, is its thickness."""
    with extended:
        for k in upward(Level):
            geopotential[k + 1] = geopotential[k] + gravity * mass[k]
