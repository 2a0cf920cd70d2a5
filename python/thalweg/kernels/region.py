# SPDX-License-Identifier: Apache-2.0
"""A rhombus of NICAM's grid with its ring of halo cells, and the two poles with five cells each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thalweg.kernels.cases import Array

# Counter-clockwise: where the neighbours of cell (i, j) are.
STEPS = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
POLES, RING = 2, 5


@dataclass(frozen=True)
class Region:
    """Cells (i, j), 0 <= i, j < n + 2, number j (n + 2) + i; then north pole, its five, south pole.

    The first owned cell (1, 1) is a pentagon. Triangles: T0 of all anchors, T1 of all, five for
    each pole. Arcs: towards (i + 1, j) of all anchors, towards (i + 1, j + 1), towards (i, j + 1),
    five for each pole. Tables have the shape (neighbours, points); what is not there points to
    something that is, and counts for nothing.
    """

    n: int

    @property
    def side(self) -> int:
        return self.n + 2

    @property
    def points(self) -> int:
        """Of the rhombus alone."""
        return self.side * self.side

    def sizes(self, levels: int) -> dict[str, int]:
        around = POLES * RING
        return {
            "cells": self.points + POLES + around,
            "triangles": 2 * self.points + around,
            "arcs": 3 * self.points + around,
            "levels": levels,
        }

    def at(self) -> tuple[Array, Array]:
        """i and j of every cell of the rhombus."""
        j, i = np.divmod(np.arange(self.points), self.side)
        return i, j

    def cell(self, i: Array, j: Array) -> Array:
        last = self.side - 1
        return np.asarray(np.clip(j, 0, last) * self.side + np.clip(i, 0, last))

    def triangle(self, which: int, i: Array, j: Array) -> Array:
        """T0 at (0, 0) is that of the pentagon: T1 at (1, 0)."""
        found = which * self.points + self.cell(i, j)
        other = self.points + self.cell(np.array(1), np.array(0))
        return np.where((which == 0) & (i == 0) & (j == 0), other, found)

    def arc(self, kind: int, i: Array, j: Array) -> Array:
        return kind * self.points + self.cell(i, j)

    def pole_cells(self) -> Array:
        return self.points + np.arange(POLES) * (RING + 1)

    def is_pole(self) -> Array:
        """1 at a pole, else 0. [cell]"""
        return np.isin(np.arange(self.sizes(1)["cells"]), self.pole_cells()).astype(float)

    def tables(self) -> dict[str, Array]:
        i, j = self.at()
        g = self.cell(i, j)
        beside = [self.cell(i + di, j + dj) for di, dj in STEPS]
        t0, t1 = self.triangle(0, i, j), self.triangle(1, i, j)
        left = self.triangle(0, i - 1, j)
        below = self.triangle(1, i, j - 1)
        corner0, corner1 = self.triangle(0, i - 1, j - 1), self.triangle(1, i - 1, j - 1)
        back, down = np.maximum(g - 1, 0), np.maximum(g - self.side, 0)
        around = np.concatenate(
            [
                [g, down, beside[0], beside[1]],
                [g, beside[0], beside[1], beside[2]],
                [g, beside[1], beside[2], back],
            ],
            axis=1,
        )
        around[1, self.points] = self.cell(np.array(1), np.array(1))  # beside the pentagon
        around[2, self.points] = self.cell(np.array(2), np.array(1))
        arcs = [
            *(self.arc(kind, i, j) for kind in range(3)),
            self.arc(0, i - 1, j),
            self.arc(1, i - 1, j - 1),
            self.arc(2, i, j - 1),
        ]
        regular = {
            "cell_neighbours": np.stack(beside),
            "cell_arcs": np.stack(arcs),
            "cell_before": np.stack([below, t0, t1, left, corner1, corner0]),
            "cell_after": np.stack([t0, t1, left, corner1, corner0, below]),
            "triangle_cells": np.concatenate(
                [[g, beside[0], beside[1]], [g, beside[1], beside[2]]], axis=1
            ),
            "arc_cells": np.concatenate([[g, beside[kind]] for kind in range(3)], axis=1),
            "arc_triangles": np.concatenate([[below, t0], [t0, t1], [t1, left]], axis=1),
            "arc_around": around,
        }
        poles = self._pole_tables()
        return {name: np.concatenate([each, poles[name]], axis=1) for name, each in regular.items()}

    def _pole_tables(self) -> dict[str, Array]:
        pole = self.pole_cells()[:, None]
        v = np.arange(RING)
        ring = (pole + 1 + v).reshape(-1)
        after = (pole + 1 + (v + 1) % RING).reshape(-1)
        before = (pole + 1 + (v - 1) % RING).reshape(-1)
        centre = np.repeat(pole, RING)
        first_arc = 3 * self.points + np.arange(POLES)[:, None] * RING
        first_triangle = 2 * self.points + np.arange(POLES)[:, None] * RING
        triangles = (first_triangle + v).reshape(-1)
        triangles_before = (first_triangle + (v - 1) % RING).reshape(-1)

        def of_cells(rows: Array) -> Array:
            """Of the pole and its ring, which has none of its own; the sixth is the fifth again."""
            found = np.repeat(np.append(rows, rows[:, -1:], axis=1).T[:, :, None], RING + 1, axis=2)
            return found.reshape(RING + 1, -1)

        return {
            "cell_neighbours": of_cells(pole + 1 + v),
            "cell_arcs": of_cells(first_arc + v),
            "cell_before": of_cells(first_triangle + (v - 1) % RING),
            "cell_after": of_cells(first_triangle + v),
            "triangle_cells": np.stack([centre, ring, after]),
            "arc_cells": np.stack([centre, ring]),
            "arc_triangles": np.stack([triangles_before, triangles]),
            "arc_around": np.stack([centre, ring, before, after]),
        }

    def pentagons(self) -> Array:
        return np.append(self.cell(np.array(1), np.array(1)), self.pole_cells())

    def corners(self, cells: Array, triangles: Array) -> Array:
        """[…, corner, cell]: 1 where that corner of the triangle is the cell, of […, cell]."""
        found = self.tables()["triangle_cells"][:, triangles] == cells
        return np.moveaxis(found.astype(float), 0, -2)

    def corners_of_neighbours(self) -> tuple[Array, Array]:
        """[face, corner, cell] in the triangle after a face and in that before it.

        The sixth neighbour of a pentagon is its fifth once more: one has the triangle before it,
        the other that after.
        """
        tables, pentagons = self.tables(), self.pentagons()
        there = tables["cell_neighbours"]
        after = self.corners(there, tables["cell_after"])
        before = self.corners(there, tables["cell_before"])
        after[4][:, pentagons] = 0.0
        before[5][:, pentagons] = 0.0
        return after, before

    def within(self, first_i: int, first_j: int) -> Array:
        """Cells from (first_i, first_j) to (n, n)."""
        i, j = self.at()
        inside = (i >= first_i) & (i <= self.n) & (j >= first_j) & (j <= self.n)
        return np.flatnonzero(inside)

    def owned(self) -> Array:
        return np.concatenate([self.within(1, 1), self.pole_cells()])

    def halo(self) -> Array:
        return np.setdiff1d(np.arange(self.points), self.within(1, 1))

    def owned_triangles(self) -> Array:
        anchors = self.within(0, 0)
        poles = np.arange(POLES * RING) + 2 * self.points
        return np.concatenate([anchors, anchors + self.points, poles])

    def arcs(self, firsts: tuple[tuple[int, int], ...]) -> Array:
        """Those of the poles, and of each kind those whose anchor is within."""
        found = [self.within(*first) + kind * self.points for kind, first in enumerate(firsts)]
        return np.concatenate([*found, np.arange(POLES * RING) + 3 * self.points])

    def orientation(self, arcs: Array) -> Array:
        """1: the cell is the anchor of the arc, -1: it is the other, 0: there is no such arc."""
        table, (anchor, other) = self.tables()["cell_arcs"], self.tables()["arc_cells"]
        cells = np.arange(table.shape[1])
        there = np.isin(table, arcs)
        there[RING, self.points :] = False
        outward, inward = anchor[table] == cells, other[table] == cells
        i, j = self.at()
        outward[:, : self.points] &= np.arange(6)[:, None] < 3
        inward[:, : self.points] &= np.arange(6)[:, None] >= 3
        inward[3, : self.points] &= i > 0  # beyond the rim a table points to something else
        inward[4, : self.points] &= (i > 0) & (j > 0)
        inward[5, : self.points] &= j > 0
        inward[:, self.points :] = False  # cells around a pole have no faces of their own
        return np.where(there & outward, 1.0, np.where(there & inward, -1.0, 0.0))
