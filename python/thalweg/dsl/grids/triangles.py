# SPDX-License-Identifier: Apache-2.0
"""Triangles as ICON has them: three edges and three neighbours a cell, two cells an edge.

The vertices are the centres of hexagons and pentagons, whose faces cross the edges. A pentagon has
a sixth edge and cell, its first once more, whose weights are 0.
"""

from __future__ import annotations

from thalweg.dsl.grid import LevelAxis, Place

Cell = Place("cell", "cells")
Edge = Place("edge", "edges")
Vertex = Place("vertex", "vertices")
EdgeLevel = Place("edge_level", "edge_levels")  # for tables that name an edge and a level
Block = Place("cell_block", "cell_blocks")  # cells in groups, as ICON's nproma cuts them
Whole = Place("whole", "wholes")  # one point: the grid
Level = LevelAxis("level")  # full levels, from the top down
HalfLevel = LevelAxis("half_level", extra=1)  # half level k is the upper face of level k

Cell.relate("edges", Edge, 3, ring=True)
Cell.relate("neighbours", Cell, 3, ring=True)
Cell.relate("vertices", Vertex, 3, ring=True)
Edge.relate("cells", Cell, ("first", "second"))
Edge.relate("vertices", Vertex, ("first", "second"))
Edge.relate("ring", Edge, 10)  # around the first vertex, then around the second, without itself
Vertex.relate("edges", Edge, 6)  # counter-clockwise
Vertex.relate("cells", Cell, 6)
Edge.relate("source", Edge, ("only",))  # where a table of edges says that a value comes from
EdgeLevel.relate("source", EdgeLevel, ("only",))
Block.group("cells", Cell)
Whole.group("blocks", Block)
