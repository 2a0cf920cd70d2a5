# SPDX-License-Identifier: Apache-2.0
"""A step of diffusion: gradient, its divergence, a step with that."""

from __future__ import annotations

from divergence_of_triangles import divergence_of_triangles
from gradient import gradient
from time_step import time_step

from thalweg.dsl import Field, InOut, Out, Parameter, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def component_one(
    weight: Parameter["1"],
    edge_weight: Field[Cell, Cell.edges],
    temperature: InOut[Cell, Level, "K"],
    slope: Out[Edge, Level, "K"],
    tendency: Out[Cell, Level, "K"],
) -> None:
    """T <- T + weight div(grad(T)); both are kept."""
    gradient(temperature, slope)
    divergence_of_triangles(slope, edge_weight, tendency)
    time_step(tendency, weight, temperature)
