# SPDX-License-Identifier: Apache-2.0
"""`n + 1` is the next neighbour around a point, after the last the first again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.problem import KernelError
from thalweg.kernels.any_kernel import made_case
from thalweg.kernels.compiled import Inputs, bind
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS, different

KERNEL = """from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.arcs import XYZ, Cell, Level, Side, Triangle


@kernel
def turned(
    t: Field[Cell, Level],
    corner: Field[Triangle, Level],
    weight: Field[Cell, Cell.neighbours],
    left: Field[Cell, XYZ, Level],
    right: Field[Cell, XYZ, Level],
    flow: Out[Cell, Level],
    product: Out[Cell, XYZ, Level],
) -> None:
    for n in Cell.neighbours:
        half[n] = t[n + 1] + t[n]
    flow = sum(
        weight[n - 1] * (half[n + 2] - t[n - 7]) + corner[Cell.after[n + 5]]
        for n in Cell.neighbours
    )
    for s in XYZ:
        product[s] = left[s + 1] * right[s + 2] - left[s - 1] * right[s - 2]
"""


def read(folder: Path, text: str = KERNEL) -> Kernel:
    (folder / "turned.py").write_text(text)
    return load_file(folder / "turned.py")["turned"]


@pytest.mark.some(7)
@pytest.mark.parametrize("way", [REFERENCE, *WAYS], ids=["numpy", *IDS])
def test_neighbours_beside_one_are_those_of_the_ring(
    way: Configuration, tmp_path: Path, compiled: Path
) -> None:
    random, cells, triangles, levels = np.random.default_rng(4), 11, 7, 5
    neighbours = random.integers(0, cells, (6, cells))
    after = random.integers(0, triangles, (6, cells))
    arguments = {
        "t": random.standard_normal((levels, cells)),
        "corner": random.standard_normal((levels, triangles)),
        "weight": random.standard_normal((6, cells)),
        "left": random.standard_normal((3, levels, cells)),
        "right": random.standard_normal((3, levels, cells)),
        "flow": np.zeros((levels, cells)),
        "product": np.zeros((3, levels, cells)),
    }
    kernel = read(tmp_path)
    sizes = {"cells": cells, "triangles": triangles, "levels": levels}
    tables = {"cell_neighbours": neighbours, "cell_after": after}
    bound = bind(kernel, way, Inputs(sizes, tables, arguments), compiled)
    bound.run()
    there = [arguments["t"][:, neighbours[n]] for n in range(6)]
    half = [there[(n + 1) % 6] + there[n] for n in range(6)]
    flow = sum(
        arguments["weight"][(n + 5) % 6] * (half[(n + 2) % 6] - there[(n + 5) % 6])
        + arguments["corner"][:, after[(n + 5) % 6]]
        for n in range(6)
    )
    found = bound.outputs()
    assert np.array_equal(found["flow"], flow)
    cross = np.cross(arguments["left"], arguments["right"], axis=0)
    assert np.allclose(found["product"], cross, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("t[n + 1]", "t[1 + n]", "'1 \\+ n' names no neighbour and no level"),
        ("t[n + 1]", "t[n + 0.5]", "'n \\+ 0.5' names no neighbour and no level"),
        ("t[n + 1]", "t[n * 2]", "'n \\* 2' names no neighbour and no level"),
        ("t[n + 1]", "t[n + n]", "'n \\+ n' names no neighbour and no level"),
        (
            "for s in XYZ:",
            "for s in Side:\n        product[s + 1] = 0\n    for s in XYZ:",
            "'side' are no ring",
        ),
        ("half[n] =", "t[n + 1] =", "a kernel sets values here"),
        ("left[s + 1]", "left[Cell.neighbours[s + 1]]", "names no neighbour and no level"),
    ],
)
def test_what_is_no_place_in_a_ring_is_refused(
    old: str, new: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(KernelError, match=told):
        _ = read(tmp_path, KERNEL.replace(old, new, 1)).ir


THROUGH = """from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def turned(t: Field[Cell, Level], o: Out[Cell, Level]) -> None:
    o = sum(t[Edge.cells.second, e] for e in Cell.edges)
"""


@pytest.mark.some(4, 1)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_neighbours_may_be_reached_through_a_place_without_fields(
    way: Configuration, tmp_path: Path, compiled: Path
) -> None:
    case = made_case(read(tmp_path, THROUGH))
    assert not different(case, way, compiled)
    if way.target != "cuda":  # which has no order
        assert not different(case, replace(way, order="curve"), compiled)
