# SPDX-License-Identifier: Apache-2.0
"""Gradient across the edges of triangles whose lengths are 1."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def gradient(temperature: Field[Cell, Level, "K"], difference: Out[Edge, Level, "K"]) -> None:
    """grad(T)_e = T_a(e) - T_b(e)."""
    difference = temperature[Edge.cells.first] - temperature[Edge.cells.second]
