# SPDX-License-Identifier: Apache-2.0
"""Mean of the three neighbours of a triangle, a step of the Jacobi iteration."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def neighbour_mean(temperature: Field[Cell, Level, "K"], mean: Out[Cell, Level, "K"]) -> None:
    """S(T)_c = the mean of T at the three neighbours of c."""
    mean = sum(temperature[n] for n in Cell.neighbours) / 3
