# SPDX-License-Identifier: Apache-2.0
"""Absolute vorticity of a triangle."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def absolute_vorticity(
    vorticity: Field[Cell, Level, "s-1"],
    coriolis: Field[Cell, "s-1"],
    absolute: Out[Cell, Level, "s-1"],
) -> None:
    """eta_c = zeta_c + f_c."""
    absolute = vorticity + coriolis
