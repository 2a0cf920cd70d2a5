# SPDX-License-Identifier: Apache-2.0
"""Divergence of the gradient on triangles."""

from __future__ import annotations

from divergence_of_triangles import divergence_of_triangles
from gradient import gradient

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def laplacian(
    temperature: Field[Cell, Level, "K"],
    weight: Field[Cell, Cell.edges],
    result: Out[Cell, Level, "K"],
) -> None:
    """div(grad(T)): the gradient is not kept, so that it need not be stored."""
    gradient(temperature, slope)
    divergence_of_triangles(slope, weight, result)
