# SPDX-License-Identifier: Apache-2.0
"""Hexagons (and pentagons) as NICAM has them: all values at the centres, fluxes through arcs.

Three neighbouring cells make a triangle; its centre is a corner of each. An arc is the face between
two cells, kept once, by its anchor. A pentagon has a sixth neighbour, its fifth once more, that
counts for nothing.
"""

from __future__ import annotations

from thalweg.dsl.grid import Axis, LevelAxis, Place

Cell = Place("cell", "cells")
Triangle = Place("triangle", "triangles")
Arc = Place("arc", "arcs")
Level = LevelAxis("level")  # with one ghost layer below and one above; half level k is below k
XYZ = Axis("component", ("x", "y", "z"), ring=True)
Side = Axis("side", ("lower", "upper"))  # faces of a layer
Face = Axis("face", ("before", "own", "after"))  # of a neighbour, and those beside it
Bound = Axis("bound", ("least", "largest"))

Cell.relate("neighbours", Cell, 6, ring=True)  # counter-clockwise
Cell.relate("arcs", Arc, 6, ring=True)  # towards them
Cell.relate("following", Arc, 6, ring=True)  # the one after each of these
Cell.relate("preceding", Arc, 6, ring=True)
Cell.relate("before", Triangle, 6, ring=True)  # at the ends of these arcs
Cell.relate("after", Triangle, 6, ring=True)
Triangle.relate("cells", Cell, 3, ring=True)
Arc.relate("cells", Cell, ("anchor", "other"))  # the normal points from one to the other
Arc.relate("triangles", Triangle, ("before", "after"))
Arc.relate("around", Cell, 4)  # its two cells and those that touch its ends
