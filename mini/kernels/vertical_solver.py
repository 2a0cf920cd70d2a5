# SPDX-License-Identifier: Apache-2.0
"""Implicit vertical momentum: one tridiagonal system in each column, as NICAM has it.

Source: Satoh et al. 2008.
"""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Parameter, kernel
from thalweg.dsl.grids.arcs import Cell, Level


@kernel
def vertical_solver(
    old_momentum: Field[Cell, Level, "kg m-2 s-1"],
    pressure: Field[Cell, Level, "Pa"],
    density: Field[Cell, Level, "kg m-3"],
    momentum_source: Field[Cell, Level, "kg m-2 s-2"],
    density_source: Field[Cell, Level, "kg m-3 s-1"],
    pressure_source: Field[Cell, Level, "Pa s-1"],
    diagonal: Field[Cell, Level, "s-2"],
    below_diagonal: Field[Cell, Level, "s-2"],
    above_diagonal: Field[Cell, Level, "s-2"],
    depth: Field[Cell, Level],
    half_depth: Field[Cell, Level],
    volume: Field[Cell, Level],
    half_volume: Field[Cell, Level],
    inverse_half_volume: Field[Cell, Level],
    inverse_half_thickness: Field[Level, "m-1"],
    weight_here: Field[Level],
    weight_below: Field[Level],
    time_step: Parameter["s"],
    gravity: Parameter["m s-2"],
    gas_constant: Parameter["J kg-1 K-1"],
    heat_capacity: Parameter["J kg-1 K-1"],
    hydrostatic: Parameter["1"],
    momentum: InOut[Cell, Level, "kg m-2 s-1"],
) -> None:
    """rho w at half levels after a time step. Its values at ground and top are given.

    `hydrostatic` is 0 in a hydrostatic model and 1 in any other.
    """
    for k in Level[1:-1]:
        new_pressure[k] = (pressure[k] + time_step * pressure_source[k]) * volume[k]
        new_density[k] = (density[k] + time_step * density_source[k]) * depth[k] * depth[k]
    for k in Level[2:-1]:
        right[k] = (
            heat_capacity
            / (gas_constant * time_step * time_step)
            * (
                (hydrostatic * old_momentum[k] + time_step * momentum_source[k])
                * half_depth[k]
                * half_depth[k]
                - time_step * inverse_half_thickness[k] * (new_pressure[k] - new_pressure[k - 1])
                - time_step
                * gravity
                * (weight_here[k] * new_density[k] + weight_below[k] * new_density[k - 1])
            )
        )
    solution = momentum * half_volume
    upper = 0 * depth
    for k in upward(Level[2:-1]):
        factor[k] = 1 / (diagonal[k] - below_diagonal[k] * upper[k - 1])
        upper[k] = above_diagonal[k] * factor[k]
        solution[k] = (right[k] - below_diagonal[k] * solution[k - 1]) * factor[k]
    for k in downward(Level[2:-1]):
        solution[k] -= upper[k] * solution[k + 1]
    for k in Level[1:]:
        momentum[k] = solution[k] * inverse_half_volume[k]
