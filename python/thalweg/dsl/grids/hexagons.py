# SPDX-License-Identifier: Apache-2.0
"""Hexagons (and pentagons) as DYNAMICO has them: a C-grid with vorticity on the corners."""

from __future__ import annotations

from thalweg.dsl.grid import LevelAxis, Place

Cell = Place("cell", "cells")
Edge = Place("edge", "edges")
Vertex = Place("vertex", "vertices")
Level = LevelAxis("level")  # layers, the lowest first
HalfLevel = LevelAxis("half_level", extra=1)  # half level k is the lower face of layer k

DIRECTIONS = ("right", "right_up", "left_up", "left", "left_down", "right_down")
CORNERS = ("right_up", "up", "left_up", "left_down", "down", "right_down")

Cell.relate("neighbours", Cell, DIRECTIONS, ring=True)
Cell.relate("edges", Edge, DIRECTIONS, ring=True)
Cell.relate("vertices", Vertex, CORNERS, ring=True)
Edge.relate("cells", Cell, ("behind", "ahead"))  # the normal points from `behind` to `ahead`
Edge.relate("vertices", Vertex, ("first", "second"))
Edge.relate("others", Edge, 10)  # of both cells, counter-clockwise, first those of `behind`
Vertex.relate("cells", Cell, 3, ring=True)
Vertex.relate("edges", Edge, 3, ring=True)
