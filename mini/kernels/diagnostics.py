# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of the mini-model: all kernels of this file are built into it (mini/fields.cpp calls
them).
"""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Level, Vertex


@kernel
def absolute_vorticity(
    vorticity: Field[Cell, Level, "s-1"],
    coriolis: Field[Cell, "s-1"],
    absolute: Out[Cell, Level, "s-1"],
) -> None:
    """Of a triangle: eta_c = zeta_c + f_c."""
    absolute = vorticity + coriolis


@kernel
def tracer_content(
    tracer_mass: Field[Vertex, Level, "m"],
    thickness: Field[Vertex, Level, "m"],
    tracer: Out[Vertex, Level],
) -> None:
    """Tracer from its mass: q = (h q) / h."""
    tracer = tracer_mass / thickness
