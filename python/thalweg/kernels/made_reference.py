# SPDX-License-Identifier: Apache-2.0
"""Whether what ranks have computed on a made grid is what NumPy computes there, piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.passes.exchanges import Way, ways_of
from thalweg.dsl.translation import plan_of
from thalweg.kernels.cases import Array
from thalweg.kernels.compiled import bind
from thalweg.kernels.made_grid import OF_A_CELL, MadeGrid

REFERENCE = Configuration("numpy")
ROWS, FEWEST_CELLS, MOST_CELLS = 8, 4096, 65536  # of a piece: its rim costs as much as itself


def ways_to_values(kernel: Kernel) -> list[list[Way]]:
    """Of each sweep: to what it reads at neighbours. One after the other, from the last, they lead
    to all that values of own points are computed of.
    """
    plan = plan_of(kernel.ir, REFERENCE)
    return [
        [way for found in ways_of(kernel.ir, plan, each).values() for way in found]
        for each in plan.sweeps
    ]


def cells_of_piece(grid: MadeGrid) -> int:
    return min(max(ROWS * grid.i, FEWEST_CELLS), MOST_CELLS)


def reference(kernel: Kernel, grid: MadeGrid, first: int, end: int) -> dict[str, Array]:
    """What one call sets at the points of these cells, which come place by place."""
    part = grid.piece(kernel.ir, ways_to_values(kernel), first, end)
    bound = bind(kernel, REFERENCE, part.inputs, Path())
    bound.run()
    found = {}
    for name, values in bound.outputs().items():
        place = kernel.ir.arguments[name].type.place
        found[name] = values[..., : part.own[place.plural]] if place else values
    return found


def different(
    kernel: Kernel, grid: MadeGrid, rank: int, found: Mapping[str, Array], tolerance: float
) -> list[str]:
    """Names of what has other values at own points of the rank. found: as it has them, own first"""
    first, end = grid.first(rank), grid.first(rank + 1)
    names: set[str] = set()
    for begin, behind in _pieces(first, end, cells_of_piece(grid)):
        for name, right in reference(kernel, grid, begin, behind).items():
            place = kernel.ir.arguments[name].type.place
            values = found[name]
            if place:
                cells = np.arange(begin - first, behind - first)
                own = [k * (end - first) + cells for k in range(OF_A_CELL[place.plural])]
                values = values[..., np.concatenate(own)]
            if not np.allclose(values, right, tolerance, 0.0, equal_nan=True):
                names.add(name)
    return sorted(names)


def _pieces(first: int, end: int, cells: int) -> Iterator[Sequence[int]]:
    return ((begin, min(begin + cells, end)) for begin in range(first, end, cells))
