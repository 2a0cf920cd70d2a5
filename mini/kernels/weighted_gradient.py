# SPDX-License-Identifier: Apache-2.0
"""Gradient of a field that a horizontal parameter weights."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def weighted_gradient(
    temperature: Field[Cell, Level, "K"],
    weight: Field[Cell],
    difference: Out[Edge, Level, "K"],
) -> None:
    """(p T)_a(e) - (p T)_b(e), with one p for all levels of a cell."""
    difference = (
        weight[Edge.cells.first] * temperature[Edge.cells.first]
        - weight[Edge.cells.second] * temperature[Edge.cells.second]
    )
