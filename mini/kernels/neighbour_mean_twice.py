# SPDX-License-Identifier: Apache-2.0
"""Two neighbour means, one of the other: what comes out stands where the first went in."""

from __future__ import annotations

from neighbour_mean import neighbour_mean

from thalweg.dsl import InOut, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def neighbour_mean_twice(temperature: InOut[Cell, Level, "K"]) -> None:
    """T <- S(S(T))."""
    neighbour_mean(temperature, mean)
    neighbour_mean(mean, temperature)
