# SPDX-License-Identifier: Apache-2.0
"""A rhombus of hexagons of which nobody has all: each rank makes its part and the values there.

A rank owns consecutive cells, with their edges and vertices. What it takes to make a part grows
with the part, not with the grid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thalweg.dsl import ir
from thalweg.dsl.passes.exchanges import Way
from thalweg.kernels.any_kernel import shape_of
from thalweg.kernels.cases import Array
from thalweg.kernels.compiled import Inputs
from thalweg.kernels.made_values import made_values
from thalweg.kernels.parts import Part
from thalweg.kernels.rhombus import Rhombus

OF_A_CELL = {"cells": 1, "edges": 3, "vertices": 2}  # number k of cell c is k cells + c
Points = dict[str, Array]  # place: rising numbers in the whole grid


class OneByOne(Mapping[str, Any]):
    """Arguments that are made when they are asked for, so that not all are there at a time."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]]) -> None:
        self.makers = makers

    def __getitem__(self, name: str) -> Any:
        return self.makers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self.makers)

    def __len__(self) -> int:
        return len(self.makers)


@dataclass(frozen=True)
class MadeGrid:
    """i x j cells, and so many ranks. kinds, seed: of values (made_values.py)."""

    i: int
    j: int
    levels: int
    ranks: int
    kinds: Sequence[str]
    seed: int = 1

    @property
    def rhombus(self) -> Rhombus:
        return Rhombus(self.i, self.j)

    @property
    def cells(self) -> int:
        return self.i * self.j

    def first(self, rank: int) -> int:
        """Its first cell: c ranks // cells = rank for it and those up to the next rank's first."""
        return -(-rank * self.cells // self.ranks)

    def owners(self, points: Array) -> Array:
        found: Array = points % self.cells * self.ranks // self.cells
        return found

    def own(self, kernel: ir.KernelIR, first: int, end: int) -> Points:
        """The points of these cells."""
        cells = np.arange(first, end)
        return {
            name: np.concatenate([cells + k * self.cells for k in range(OF_A_CELL[name])])
            for name in (place.plural for place in kernel.places())
        }

    def part(self, kernel: ir.KernelIR, rank: int, depth: int) -> Part:
        """As parts.deal makes it of a whole grid: what `depth` tables of neighbours lead to."""
        first, end = self.first(rank), self.first(rank + 1)
        new, beyond = self.own(kernel, first, end), self._none(kernel)
        for _ in range(depth):
            reached: dict[str, list[Array]] = {name: [] for name in beyond}
            for each in kernel.neighbour_tables():
                points = self.rhombus.table(each.full_name, new[each.source.plural]).ravel()
                reached[each.target.plural].append(self._others(points, first, end))
            new = {
                name: np.setdiff1d(_joined(each), beyond[name]) for name, each in reached.items()
            }
            beyond = {name: _joined([beyond[name], each]) for name, each in new.items()}
        return self._part(kernel, first, end, beyond, np.nan)

    def piece(
        self, kernel: ir.KernelIR, ways: Sequence[Sequence[Way]], first: int, end: int
    ) -> Part:
        """Own points, and all that their values are computed of. ways: of each sweep, to the values
        that it reads at neighbours. Values of all points are there; number -1, the last, has none:
        it stands for whatever should not be needed, and would be seen.
        """
        own, beyond = self.own(kernel, first, end), self._none(kernel)
        for sweep in reversed(ways):
            reached = {name: [each] for name, each in beyond.items()}
            for way in sweep:
                place = way[0][0].source.plural
                points = np.concatenate([own[place], beyond[place]])
                for relation, number in way:
                    table = self.rhombus.table(relation.full_name, points)
                    points = table.ravel() if number is None else table[number]
                    points = np.unique(points)
                    reached[relation.target.plural].append(self._others(points, first, end))
            beyond = {name: _joined(each) for name, each in reached.items()}
        return self._part(kernel, first, end, beyond, None)

    def _none(self, kernel: ir.KernelIR) -> Points:
        return {place.plural: np.empty(0, np.int64) for place in kernel.places()}

    def _others(self, points: Array, first: int, end: int) -> Array:
        cells = points % self.cells
        found: Array = points[(cells < first) | (cells >= end)]
        return found

    def _part(
        self, kernel: ir.KernelIR, first: int, end: int, beyond: Points, others: float | None
    ) -> Part:
        """others: the value of points that are not own ones. None: their values, and one more
        point, the last, that has none.
        """
        more = int(others is None)
        own = {name: (end - first) * OF_A_CELL[name] for name in beyond}
        points = {
            name: np.concatenate([each, beyond[name]])
            for name, each in self.own(kernel, first, end).items()
        }
        tables = {}
        for each in kernel.neighbour_tables():
            table = self.rhombus.table(each.full_name, points[each.source.plural])
            local = self._local(table, first, end, each.target.plural, beyond)
            tables[each.full_name] = np.pad(local, ((0, 0), (0, more)), constant_values=-1)
        makers: dict[str, Callable[[], Any]] = {}
        for number, (name, variable) in enumerate(kernel.arguments.items()):

            def made(number: int = number, kind: Any = variable.type) -> Any:
                return self._argument(kind, number, points, own, others)

            makers[name] = made
        sizes = {name: len(each) + more for name, each in points.items()}
        inputs = Inputs({**sizes, "levels": self.levels}, tables, OneByOne(makers))
        return Part(inputs, points, own)

    def _local(self, points: Array, first: int, end: int, place: str, beyond: Points) -> Array:
        """Numbers in a part, -1 for a point that it does not have."""
        cells, mine = points % self.cells, end - first
        found: Array = points // self.cells * mine + cells - first
        is_other = (cells < first) | (cells >= end)
        others = points[is_other]
        at = np.searchsorted(beyond[place], others)
        has = np.append(beyond[place], -1)[at] == others
        found[is_other] = np.where(has, OF_A_CELL[place] * mine + at, -1)
        return found

    def _argument(
        self, kind: Any, number: int, points: Points, own: Mapping[str, int], others: float | None
    ) -> Any:
        place = kind.place.plural if kind.place else ""
        if kind.role == "points":
            return np.arange(len(points[place]))
        here = points[place] if place else np.zeros(1, np.int64)
        total = self.cells * OF_A_CELL[place] if place else 1
        shape = shape_of(kind, {"levels": self.levels, **{n: len(p) for n, p in points.items()}})
        rows = int(np.prod(shape[:-1] if place else shape, dtype=np.int64))
        kinds = () if kind.role == "parameter" else self.kinds
        values = made_values((self.seed, number), rows, total, here, kinds).reshape(shape)
        if kind.role == "parameter":
            return float(values)
        if not place:
            return values
        if others is None:
            room = [(0, 0)] * (values.ndim - 1) + [(0, 1)]
            return np.pad(values, room, constant_values=np.nan)
        values[..., own[place] :] = others
        return values


def _joined(points: Sequence[Array]) -> Array:
    return np.unique(np.concatenate(points)) if points else np.empty(0, np.int64)
