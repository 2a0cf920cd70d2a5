# SPDX-License-Identifier: Apache-2.0
"""Reductions over blocks of cells, and over all of them."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Block, Cell, Level, Whole


@kernel
def block_extremes(
    tendency: Field[Cell, Level, "K"],
    rises: Out[Block, Level],
    rises_anywhere: Out[Whole, Level],
    largest_rise: Out[Block, "K"],
    largest_rise_of_all: Out[Whole, "K"],
) -> None:
    """1 where some cell of a block has a positive tendency, else 0; and the largest, at least 0."""
    highest = max(tendency[c] for c in Block.cells)
    rises = where(highest > 0, 1, 0)
    rises_anywhere = max(rises[b] for b in Whole.blocks)
    largest_rise = max(0, max(highest[k] for k in Level))
    largest_rise_of_all = max(largest_rise[b] for b in Whole.blocks)
