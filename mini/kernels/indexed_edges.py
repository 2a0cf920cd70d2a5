# SPDX-License-Identifier: Apache-2.0
"""Values that a table moves from edge to edge: a scatter, read the other way round, is a gather."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Edge, EdgeLevel, Level


@kernel
def indexed_edges(flux: Field[Edge, Level, "K"], result: Out[Edge, Level, "K"]) -> None:
    """Half of what the table of edges brings here, on every level."""
    result = 0.5 * flux[Edge.source.only]


@kernel
def indexed_edge_levels(flux: Field[EdgeLevel, "K"], result: Out[EdgeLevel, "K"]) -> None:
    """The same where the table names an edge and a level: together they are a point."""
    result = 0.5 * flux[EdgeLevel.source.only]
