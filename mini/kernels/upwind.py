# SPDX-License-Identifier: Apache-2.0
"""The value of the cell that lies upwind of an edge."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def upwind(
    temperature: Field[Cell, Level, "K"],
    slope: Field[Edge, Level, "K"],
    result: Out[Edge, Level, "K"],
) -> None:
    """T of cell a(e) where the slope is positive, else of b(e)."""
    result = where(slope > 0, temperature[Edge.cells.first], temperature[Edge.cells.second])


@kernel
def upwind_of_next_level(
    temperature: Field[Cell, Level, "K"],
    slope: Field[Edge, Level, "K"],
    result: Out[Edge, Level, "K"],
) -> None:
    """The same one level on. The last level has its own, and the one before it the first."""
    first = temperature[Edge.cells.first]
    second = temperature[Edge.cells.second]
    for k in Level[:-2]:
        result[k] = where(slope[k] > 0, first[k + 1], second[k + 1])
    result[-2] = where(slope[-2] > 0, first[0], second[0])
    result[-1] = where(slope[-1] > 0, first[-1], second[-1])
