# SPDX-License-Identifier: Apache-2.0
"""Shallow water on a rectangle that goes on at its ends, as Sadourny 1975 has it.

Arakawa's C-grid: a point has its thickness in the middle of a cell, its velocities on the western
and southern face, its vorticity in the corner between these. Thickness and velocity force each
other so that energy is kept but for what the time scheme takes.
"""

from __future__ import annotations

from thalweg.dsl import Field, Out, Parameter, constant, kernel
from thalweg.dsl.grid import Place

Point = Place("point", "points")
Point.relate("beside", Point, ("east", "north", "west", "south"))

gravity = constant(9.81, "m s-2")


@kernel
def mass_fluxes(
    thickness: Field[Point, "m"],
    eastward: Field[Point, "m s-1"],
    northward: Field[Point, "m s-1"],
    eastward_flux: Out[Point, "m2 s-1"],
    northward_flux: Out[Point, "m2 s-1"],
) -> None:
    """Through the western and the southern face."""
    eastward_flux = (thickness[Point.beside.west] + thickness) / 2 * eastward
    northward_flux = (thickness[Point.beside.south] + thickness) / 2 * northward


@kernel
def potential_vorticity(
    thickness: Field[Point, "m"],
    eastward: Field[Point, "m s-1"],
    northward: Field[Point, "m s-1"],
    coriolis: Parameter["s-1"],
    width: Parameter["m"],
    vorticity: Out[Point, "m-1 s-1"],
) -> None:
    """In the south-western corner, over the mean thickness of the cells around it."""
    curl = (northward - northward[Point.beside.west]) / width - (
        eastward - eastward[Point.beside.south]
    ) / width
    pair = thickness + thickness[Point.beside.west]
    vorticity = (coriolis + curl) / ((pair + pair[Point.beside.south]) / 4)


@kernel
def bernoulli_function(
    thickness: Field[Point, "m"],
    eastward: Field[Point, "m s-1"],
    northward: Field[Point, "m s-1"],
    ground: Field[Point, "m"],
    bernoulli: Out[Point, "m2 s-2"],
) -> None:
    """Potential of the surface and kinetic energy."""
    along = eastward * eastward
    across = northward * northward
    bernoulli = (
        gravity * (thickness + ground)
        + (along[Point.beside.east] + along + across[Point.beside.north] + across) / 4
    )


@kernel
def stage(
    thickness: Field[Point, "m"],
    eastward: Field[Point, "m s-1"],
    northward: Field[Point, "m s-1"],
    thickness_before: Field[Point, "m"],
    eastward_before: Field[Point, "m s-1"],
    northward_before: Field[Point, "m s-1"],
    ground: Field[Point, "m"],
    coriolis: Parameter["s-1"],
    width: Parameter["m"],
    step: Parameter["s"],
    thickness_after: Out[Point, "m"],
    eastward_after: Out[Point, "m s-1"],
    northward_after: Out[Point, "m s-1"],
) -> None:
    """From the state before by the tendencies of another one (Wicker & Skamarock 2002)."""
    mass_fluxes(thickness, eastward, northward, eastward_flux, northward_flux)
    potential_vorticity(thickness, eastward, northward, coriolis, width, vorticity)
    bernoulli_function(thickness, eastward, northward, ground, bernoulli)
    thickness_after = thickness_before - step * (
        (eastward_flux[Point.beside.east] - eastward_flux) / width
        + (northward_flux[Point.beside.north] - northward_flux) / width
    )
    turned_east = vorticity * (northward_flux + northward_flux[Point.beside.west]) / 2
    eastward_after = eastward_before + step * (
        (turned_east + turned_east[Point.beside.north]) / 2
        - (bernoulli - bernoulli[Point.beside.west]) / width
    )
    turned_north = vorticity * (eastward_flux + eastward_flux[Point.beside.south]) / 2
    northward_after = northward_before - step * (
        (turned_north + turned_north[Point.beside.east]) / 2
        + (bernoulli - bernoulli[Point.beside.south]) / width
    )
