# SPDX-License-Identifier: Apache-2.0
"""Cases of the ICON-like kernels: a torus of triangles, numbered along a Hilbert curve."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from thalweg.kernels.cases import Array, Case, Named
from thalweg.kernels.library import all_kernels

# Kernel: names of its arguments in a file of vectors ("" = begins as NaN), and of its outputs.
ARGUMENTS: dict[str, tuple[dict[str, str | float], dict[str, str]]] = {
    "gradient": (
        {"temperature": "in_temp", "difference": ""},
        {"difference": "out_grad"},
    ),
    "divergence_of_triangles": (
        {"flux": "in_grad", "weight": "grid_div_weight", "divergence": ""},
        {"divergence": "out_dvg"},
    ),
    "time_step": (
        {"tendency": "in_dvg", "weight": 0.1, "temperature": "in_temp"},
        {"temperature": "out_step_temp"},
    ),
    "neighbour_mean": (
        {"temperature": "in_temp", "mean": ""},
        {"mean": "out_lap_temp"},
    ),
    "vertical_integral": (
        {"temperature": "in_temp", "integral": "in_vi_prev"},
        {"integral": "out_o2_vi"},
    ),
    "weighted_gradient": (
        {"temperature": "in_temp", "weight": "in_cell_param", "difference": ""},
        {"difference": "out_o3_edge"},
    ),
    "weighted_neighbours": (
        {
            "flux": "in_grad",
            "edge_weight": "in_o8_a",
            "level_weight": "in_o8_p",
            "result": "in_o8_prev",
        },
        {"result": "out_o8_cell"},
    ),
    "column_recurrence": (
        {"temperature": "in_temp", "tendency": "in_dvg", "result": ""},
        {"result": "out_o9_cell"},
    ),
    "laplacian": (
        {"temperature": "in_temp", "weight": "grid_div_weight", "result": ""},
        {},
    ),
    "component_one": (
        {
            "weight": 0.1,
            "edge_weight": "grid_div_weight",
            "temperature": "in_temp",
            "slope": "",
            "tendency": "",
        },
        {
            "temperature": "out_com1x10_temp",
            "slope": "out_com1x10_grad",
            "tendency": "out_com1x10_dvg",
        },
    ),
}
STEPS = {"component_one": (10, 1e-13)}  # times that it is called, tolerance
TABLES = {
    "cell_edges": "grid_cell_edge",
    "cell_neighbours": "grid_neighbor",
    "edge_cells": "grid_edge_cell",
}


def cases_of(data: Mapping[str, Array]) -> list[Case]:
    """One case for each kernel. What it sets and does not begin with is NaN before."""
    kernels = all_kernels()
    named = Named(data, "the data file")
    sizes = {
        "cells": int(named["par_ncells"]),
        "edges": int(named["par_nedges"]),
        "levels": int(named["par_nlev"]),
    }
    tables = {name: named[each] for name, each in TABLES.items()}
    found = []
    for name, (words, outputs) in ARGUMENTS.items():
        kernel = kernels[name]
        arguments: dict[str, Array | float] = {}
        for argument, word in words.items():
            if isinstance(word, float):
                arguments[argument] = word
            elif word == "grid_div_weight":
                arguments[argument] = named[word].astype(np.float64)
            elif word:
                arguments[argument] = named[word]
            else:
                place = kernel.ir.arguments[argument].type.place
                assert place is not None
                arguments[argument] = np.full((sizes["levels"], sizes[place.plural]), np.nan)
        expected = {each: data[word] for each, word in outputs.items() if word in data}
        times, tolerance = STEPS.get(name, (1, 1e-14))
        case = Case(kernel, sizes, tables, arguments, expected, tolerance, times=times)
        found.append(case.checked())
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
        "in_temp": 250 + 40 * random.random((levels, cells)),
        "in_dvg": random.standard_normal((levels, cells)),
        "in_grad": random.standard_normal((levels, edges)),
        "in_vi_prev": random.standard_normal(cells),
        "in_cell_param": random.random(cells),
        "in_o8_a": random.standard_normal((3, cells)),
        "in_o8_p": random.random((levels, cells)),
        "in_o8_prev": random.standard_normal((levels, cells)),
    }
