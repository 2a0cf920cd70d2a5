# SPDX-License-Identifier: Apache-2.0
"""Which kernels are timed on which grids: beyond the caches, within them, in another numbering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from thalweg.kernels import dynamico, icon_like, made_dynamico, made_nicam, nicam
from thalweg.kernels.cases import Array, Case
from thalweg.kernels.order import inverse, renumbered

# Kernels whose share of triad is demanded; others are parts or variants of them.
ICON_LIKE = (
    "gradient", "divergence_of_triangles", "neighbour_mean", "column_recurrence", "laplacian",
    "component_one",
)  # fmt: skip
DYNAMICO = {"comp_pvort": "pvort", "comp_geopot": "geopot", "comp_caldyn_horiz": "caldyn_horiz",
            "comp_caldyn_vert": "caldyn_vert"}  # fmt: skip
NICAM = {
    "dyn_diffusion": ("diffusion",),
    "dyn_divdamp": ("divdamp",),
    "dyn_horiz_adv_flux": ("horizontal_flux",),
    "dyn_horiz_adv_limiter": ("outflow_bounds", "horizontal_limiter"),
    "dyn_vert_adv_limiter": ("vertical_limiter",),
    "dyn_vi_rhow_solver": ("vertical_solver",),
}
# Kernels that do what others do one after the other, without what lies between.
FUSED = {"laplacian": ("gradient", "divergence_of_triangles")}
LAID_OUT = ("gradient", "divergence_of_triangles", "neighbour_mean")  # in the layout experiment


@dataclass(frozen=True)
class Sizes:
    """side: of the torus of triangles, with `levels`; n_i x n_j hexagons with `layers`; NICAM's
    region of cells x cells with `region_layers` and two ghost layers.
    """

    side: int
    levels: int
    n_i: int
    n_j: int
    layers: int
    cells: int
    region_layers: int


BEYOND_CACHES = Sizes(256, 64, 184, 200, 60, 128, 40)  # as the published measurements have them
IN_CACHES = Sizes(32, 32, 20, 20, 20, 16, 20)  # some hundred KB an array, a few MB at most in all
QUICK = Sizes(32, 8, 20, 20, 10, 16, 8)

Make = Callable[[], Case]


def made_cases(sizes: Sizes) -> dict[str, Make]:
    """A case for each kernel, made when it is wanted."""

    def icon() -> list[Case]:
        return icon_like.cases_of(icon_like.made_up(sizes.side, sizes.levels))

    def hexagons(vectors: str) -> list[Case]:
        made = made_dynamico.made_up(sizes.n_i, sizes.n_j, sizes.layers)
        return dynamico.cases_of(vectors, made)

    def region(vectors: str) -> list[Case]:
        return nicam.cases_of(vectors, made_nicam.made_up(sizes.cells, sizes.region_layers))

    made: list[tuple[str, Callable[[], list[Case]]]] = [
        *((name, icon) for name in ICON_LIKE),
        *((name, partial(hexagons, vectors)) for vectors, name in DYNAMICO.items()),
        *((name, partial(region, vectors)) for vectors, names in NICAM.items() for name in names),
    ]
    return {name: partial(_of, name, cases) for name, cases in made}


def _of(name: str, cases: Callable[[], list[Case]]) -> Case:
    return next(each for each in cases() if each.kernel.name == name)


def numbered_cases(case: Case, side: int) -> dict[str, Case]:
    """The same torus with its points numbered row by row, at random, and along Hilbert's curve."""
    i, j = np.indices((side, side))
    rows = icon_like.hilbert_number(side, i, j).T.ravel()  # old number of each new cell
    random = np.random.default_rng(1).permutation(side * side)
    return {
        "rows": _in_order(case, rows),
        "random": _in_order(case, random),
        "Hilbert": case,
    }


def _in_order(case: Case, cells: Array) -> Case:
    """Edges follow the first of their cells."""
    kernel = case.kernel.ir
    table = next(each for each in kernel.neighbour_tables())
    first = _first_cells(case, inverse(cells), table.source.plural, table.full_name)
    orders = {"cells": cells, "edges": np.argsort(first, kind="stable")}
    changed = renumbered(kernel, case.inputs, orders)
    return replace(case, tables=changed.tables, arguments=changed.arguments)


def _first_cells(case: Case, rank: Array, source: str, name: str) -> Array:
    """Of each edge: the first of its cells, by a table of either direction."""
    table = case.tables[name]
    if source == "edges":
        return np.asarray(rank[table].min(axis=0))
    first = np.full(case.sizes["edges"], len(rank))
    if name == "cell_edges":
        np.minimum.at(first, table.ravel(), np.broadcast_to(rank, table.shape).ravel())
    return first
