# SPDX-License-Identifier: Apache-2.0
"""A rhombus of hexagons, a piece of an icosahedral grid, numbered row by row as DYNAMICO does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thalweg.kernels.cases import Array

# Of cell (i, j), counter-clockwise from the right: the step to the cell on the other side.
STEPS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
TABLES = (
    "cell_neighbours", "cell_edges", "cell_vertices", "edge_cells", "edge_vertices", "edge_others",
    "vertex_cells", "vertex_edges",
)  # fmt: skip
ORIENTATION = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])  # +1: the edge's normal points outward


@dataclass(frozen=True)
class Rhombus:
    """n_i x n_j cells; cell (i, j) has the number i + n_i j. A neighbour is a constant further on.

    It owns three edges (right, left up, left down: numbers c, N + c, 2 N + c) and two vertices (up
    and down: c, N + c). Tables have the shape (neighbours, points). Where there is no neighbour,
    beyond the first and last row, the table names a point that is there but has no meaning.
    """

    n_i: int
    n_j: int

    @property
    def cells(self) -> int:
        return self.n_i * self.n_j

    def sizes(self, levels: int) -> dict[str, int]:
        n = self.cells
        return {"cells": n, "edges": 3 * n, "vertices": 2 * n, "levels": levels}

    def cell_steps(self) -> list[int]:
        return [di + self.n_i * dj for di, dj in STEPS]

    def edges_of(self, cells: Array) -> Array:
        """The six edges of each cell, counter-clockwise from the right: [direction, cell]."""
        n, row = self.cells, self.n_i
        steps = [0, 2 * n + row, n, -1, 2 * n, n - row + 1]
        return np.stack([(cells + step) % (3 * n) for step in steps])

    def vertices_of(self, cells: Array) -> Array:
        """The six corners of each cell, from the right and up: [corner, cell]."""
        n, row = self.cells, self.n_i
        steps = [n + row, 0, n + row - 1, -row, n, -row + 1]
        return np.stack([(cells + step) % (2 * n) for step in steps])

    def tables(self) -> dict[str, Array]:
        points = {"cell": self.cells, "edge": 3 * self.cells, "vertex": 2 * self.cells}
        return {name: self.table(name, np.arange(points[name.split("_")[0]])) for name in TABLES}

    def table(self, name: str, points: Array) -> Array:
        """The neighbours of these points alone, from their numbers: [neighbour, point]."""
        owner, which = points % self.cells, points // self.cells
        if name == "cell_neighbours":
            return np.stack([self._beside(owner, direction) for direction in range(6)])
        if name == "cell_edges":
            return self.edges_of(owner)
        if name == "cell_vertices":
            return self.vertices_of(owner)
        if name in ("edge_cells", "edge_vertices", "edge_others"):
            ways = [self._of_edge(name, owner[which == each], 2 * each) for each in range(3)]
        else:
            ways = [self._of_vertex(name, owner[which == each], 3 * each) for each in range(2)]
        found = np.empty((len(ways[0]), len(points)), np.int64)
        for each, values in enumerate(ways):
            found[:, which == each] = values
        return found

    def _beside(self, cells: Array, direction: int) -> Array:
        return (cells + self.cell_steps()[direction]) % self.cells

    def _of_edge(self, name: str, cells: Array, direction: int) -> Array:
        """Of the edges that these cells own in a direction."""
        ahead = self._beside(cells, direction)
        if name == "edge_cells":
            return np.stack([cells, ahead])
        if name == "edge_vertices":
            return self.vertices_of(cells)[[(direction - 1) % 6, direction]]
        edges, others = self.edges_of(cells), self.edges_of(ahead)
        return np.concatenate([_after(edges, direction), _after(others, direction + 3)])

    def _of_vertex(self, name: str, cells: Array, turn: int) -> Array:
        """Of the vertices up (0) or down (3) of these cells. Edges around `up`: across right_up of
        the cell, across left of the cell there, across left_up of the cell.
        """
        first = self._beside(cells, turn + 1)
        if name == "vertex_cells":
            return np.stack([cells, first, self._beside(cells, turn + 2)])
        edges = self.edges_of(cells)
        across = self.edges_of(first)[(turn + 3) % 6]
        return np.stack([edges[turn + 1], across, edges[turn + 2]])

    def offsets(self) -> dict[str, int]:
        """From the number of a cell to those around it, with the names that files have for them."""
        row, n = self.n_i, self.cells
        return {
            "off_t_right": 1, "off_t_rup": row, "off_t_lup": row - 1,
            "off_t_left": -1, "off_t_ldown": -row, "off_t_rdown": 1 - row,
            "off_u_right": 0, "off_u_rup": 2 * n + row, "off_u_lup": n,
            "off_u_left": -1, "off_u_ldown": 2 * n, "off_u_rdown": n - row + 1,
            "off_z_rup": n + row, "off_z_up": 0, "off_z_lup": n + row - 1,
            "off_z_ldown": -row, "off_z_down": n, "off_z_rdown": 1 - row,
        }  # fmt: skip

    def vertex_orientation(self) -> Array:
        """+1 where the normal of the edge goes around the vertex counter-clockwise: [3, vertex]."""
        up = ORIENTATION[1], ORIENTATION[3], -ORIENTATION[2]
        down = ORIENTATION[4], ORIENTATION[0], -ORIENTATION[5]
        return np.repeat(np.array([up, down]).T, self.cells, axis=1)

    def vertex_overlap(self, overlap: Array) -> Array:
        """`overlap` of cells with the duals of their corners [6, cell], as vertices see it."""
        c = np.arange(self.cells)
        at = [(c + step) % self.cells for step in self.cell_steps()]
        up = [overlap[1], overlap[3][at[1]], overlap[5][at[2]]]
        down = [overlap[4], overlap[0][at[4]], overlap[2][at[5]]]
        return np.concatenate([up, down], axis=1)

    def edges_owned_by(self, cells: Array) -> Array:
        return np.concatenate([cells, cells + self.cells, cells + 2 * self.cells])

    def vertices_owned_by(self, cells: Array) -> Array:
        return np.concatenate([cells, cells + self.cells])


def _after(edges: Array, direction: int) -> Array:
    """The five edges counter-clockwise after `direction`."""
    return edges[[(direction + m) % 6 for m in range(1, 6)]]
