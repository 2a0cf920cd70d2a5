# SPDX-License-Identifier: Apache-2.0
"""Cases of the ICON-like kernels: a torus of triangles, numbered along a Hilbert curve."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.kernels.cases import Array, Case, Named
from thalweg.kernels.icon_like_arguments import CALLS
from thalweg.kernels.library import all_kernels

TABLES = {
    "cell_edges": "grid_cell_edge",
    "cell_neighbours": "grid_neighbor",
    "edge_cells": "grid_edge_cell",
}


def cases_of(data: Mapping[str, Array]) -> list[Case]:
    """One case for each kernel. What it sets and does not begin with is NaN before."""
    kernels = all_kernels()
    named = Named(data, "the data file")
    sizes = _sizes(named)
    tables = {name: named[each] for name, each in TABLES.items()} | _more_tables(named, sizes)
    named |= _other_shapes(named)
    found = []
    for name, call in CALLS.items():
        kernel = kernels[name]
        arguments: dict[str, Array | float] = {}
        for argument, word in call.arguments.items():
            if isinstance(word, float):
                arguments[argument] = word
            elif word == "grid_div_weight":
                arguments[argument] = named[word].astype(np.float64)
            elif word:
                arguments[argument] = named[word]
            else:
                kind = kernel.ir.arguments[argument].type
                assert kind.place is not None
                levels = [sizes["levels"]] if kind.level else []
                arguments[argument] = np.full([*levels, sizes[kind.place.plural]], np.nan)
        expected = {each: named[word] for each, word in call.outputs.items() if word in named}
        case = Case(
            kernel, sizes, tables, arguments, expected, call.tolerance, times=call.times
        )  # fmt: skip
        found.append(case.checked())
    return found


def _sizes(named: Named) -> dict[str, int]:
    cells, edges, levels, block = (
        named.whole(name) for name in ("par_ncells", "par_nedges", "par_nlev", "par_nblk_size")
    )
    if block < 1:
        raise ThalwegError(f"'par_nblk_size' = {block} is no number of cells of a block")
    return {
        "cells": cells,
        "edges": edges,
        "levels": levels,
        "edge_levels": edges * levels,
        "cell_blocks": -(-cells // block),
        "wholes": 1,
    }


def _more_tables(named: Named, sizes: Mapping[str, int]) -> dict[str, Array]:
    """Blocks; and where values come from, if the file says it: as shipped, from where they are."""
    cells, block = sizes["cells"], named.whole("par_nblk_size")
    found = {
        "cell_block_cells": np.append(np.arange(0, cells, block), cells),
        "whole_blocks": np.array([0, sizes["cell_blocks"]]),
    }
    for name, points in (("edge", sizes["edges"]), ("edge_level", sizes["edge_levels"])):
        source = named.get(f"grid_{name}_source", np.arange(points))
        found[f"{name}_source"] = source.reshape(1, -1)
    return found


def _other_shapes(named: Named) -> dict[str, Array]:
    """A point for each edge and level, and results of blocks as kernels have them."""
    found = {
        f"flat_{name}": named[name].ravel() for name in ("in_grad", "out_o6_edge") if name in named
    }
    shapes = {
        "block_level_mask": (1, 0),
        "level_mask": (0, None),
        "block_max": (0,),
        "max": (None,),
    }
    for name, axes in shapes.items():
        word = f"out_o10_{name}"
        if word in named:
            order = [axis for axis in axes if axis is not None]
            array = named[word].astype(np.float64).transpose(order)
            found[word] = array if None not in axes else array[..., None]
    return found


def torus(side: int) -> dict[str, Array]:
    """Tables of a torus of side x side triangles; `side` is a power of two."""
    i, j = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    number = hilbert_number(side, i, j)
    cells = side * side
    at = np.empty((2, cells), dtype=np.int64)
    at[0, number], at[1, number] = i, j
    i, j = at
    even = (i + j) % 2 == 0
    neighbour = np.stack(
        [
            number[(i + 1) % side, j],
            number[(i - 1) % side, j],
            number[i, (j + np.where(even, -1, 1)) % side],
        ]
    )
    cell = np.arange(cells)
    own = 3 * cell // 2 + 2  # edge 2 of an even cell
    third = np.where(even, own, own[neighbour[2]])
    edges = np.stack([3 * cell // 2, (3 * neighbour[1]) // 2, third])
    edge_cells = np.empty((2, 3 * cells // 2), dtype=np.int64)
    edge_cells[:, edges[0]] = neighbour[0], cell
    edge_cells[:, own[even]] = cell[even], neighbour[2][even]
    weight = np.stack([np.ones(cells), -np.ones(cells), np.where(even, -1.0, 1.0)])
    return {
        "grid_ij": at,
        "grid_neighbor": neighbour,
        "grid_cell_edge": edges,
        "grid_edge_cell": edge_cells,
        "grid_div_weight": weight,
    }


def hilbert_number(side: int, i: Array, j: Array) -> Array:
    """Number of each cell along a Hilbert curve through side x side cells (Hilbert 1891)."""
    number = np.zeros_like(i)
    x, y = i.copy(), j.copy()
    step = side // 2
    while step:
        right, up = (x & step) > 0, (y & step) > 0
        number += step * step * ((3 * right) ^ up)
        turned = ~up & right
        x, y = np.where(turned, side - 1 - x, x), np.where(turned, side - 1 - y, y)
        x, y = np.where(up, x, y), np.where(up, y, x)
        step //= 2
    return number


def made_up(side: int = 64, levels: int = 30, seed: int = 1) -> dict[str, Array]:
    """Inputs with the names of a file of vectors, and no outputs."""
    random = np.random.default_rng(seed)
    grid = torus(side)
    cells, edges = side * side, 3 * side * side // 2
    return {
        **grid,
        "par_ncells": np.array(cells),
        "par_nedges": np.array(edges),
        "par_nlev": np.array(levels),
        "par_nblk_size": np.array(64 if cells % 64 == 0 else 5),
        "grid_edge_source": random.permutation(edges),
        "grid_edge_level_source": random.permutation(edges * levels),
        "in_temp": 250 + 40 * random.random((levels, cells)),
        "in_dvg": random.standard_normal((levels, cells)),
        "in_grad": random.standard_normal((levels, edges)),
        "in_vi_prev": random.standard_normal(cells),
        "in_cell_param": random.random(cells),
        "in_o8_a": random.standard_normal((3, cells)),
        "in_o8_p": random.random((levels, cells)),
        "in_o8_prev": random.standard_normal((levels, cells)),
    }
