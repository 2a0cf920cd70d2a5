# SPDX-License-Identifier: Apache-2.0
"""Divergence of a flux out of triangles."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def divergence_of_triangles(
    flux: Field[Edge, Level, "K"],
    weight: Field[Cell, Cell.edges],
    divergence: Out[Cell, Level, "K"],
) -> None:
    """div(F)_c = sum over the edges of c of w F; w is length over area with the sign outward."""
    divergence = sum(weight[e] * flux[e] for e in Cell.edges)
