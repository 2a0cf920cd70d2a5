# SPDX-License-Identifier: Apache-2.0
"""Temperature from potential temperature and the Exner function."""

from __future__ import annotations

from thalweg.dsl import Field, Out, Parameter, kernel
from thalweg.dsl.grids.hexagons import Cell, Level


@kernel
def air_temperature(
    theta: Field[Cell, Level, "K"],
    exner: Field[Cell, Level, "J kg-1 K-1"],
    heat_capacity: Parameter["J kg-1 K-1"],
    temperature: Out[Cell, Level, "K"],
) -> None:
    """T = theta Pi / c_p, with Pi = c_p (p / p_r)^kappa (Dubos et al. 2015)."""
    temperature = theta * exner / heat_capacity
