# SPDX-License-Identifier: Apache-2.0
"""A step of explicit time stepping."""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Parameter, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def time_step(
    tendency: Field[Cell, Level, "K"],
    weight: Parameter["1"],
    temperature: InOut[Cell, Level, "K"],
) -> None:
    """T <- T + weight dT."""
    temperature += weight * tendency
