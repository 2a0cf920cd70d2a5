# SPDX-License-Identifier: Apache-2.0
"""Sum over the levels of each column."""

from __future__ import annotations

from thalweg.dsl import Field, InOut, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def vertical_integral(temperature: Field[Cell, Level, "K"], integral: InOut[Cell, "K"]) -> None:
    """v_c <- v_c + sum over k of T_c,k: it accumulates from call to call."""
    integral += sum(temperature[k] for k in Level)
