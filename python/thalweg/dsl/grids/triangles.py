# SPDX-License-Identifier: Apache-2.0
"""Triangles as ICON has them: three edges and three neighbours a cell, two cells an edge."""

from __future__ import annotations

from thalweg.dsl.grid import LevelAxis, Place

Cell = Place("cell", "cells")
Edge = Place("edge", "edges")
EdgeLevel = Place("edge_level", "edge_levels")  # for tables that name an edge and a level
Block = Place("cell_block", "cell_blocks")  # cells in groups, as ICON's nproma cuts them
Whole = Place("whole", "wholes")  # one point: the grid
Level = LevelAxis("level")

Cell.relate("edges", Edge, 3, ring=True)
Cell.relate("neighbours", Cell, 3, ring=True)
Edge.relate("cells", Cell, ("first", "second"))
Edge.relate("source", Edge, ("only",))  # where a table of edges says that a value comes from
EdgeLevel.relate("source", EdgeLevel, ("only",))
Block.group("cells", Cell)
Whole.group("blocks", Block)
