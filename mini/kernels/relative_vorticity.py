# SPDX-License-Identifier: Apache-2.0
"""Vertical component of the curl of velocity in a triangle."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def relative_vorticity(
    velocity: Field[Edge, Level, "m s-1"],
    circulation_weight: Field[Cell, Cell.edges, "m-1"],
    vorticity: Out[Cell, Level, "s-1"],
) -> None:
    """zeta_c = 1/A_c sum_e (+-1) d_e u_e (Stokes; Ringler et al. 2010).

    circulation_weight  +-d_e / A_c
    """
    vorticity = sum(circulation_weight[e] * velocity[e] for e in Cell.edges)
