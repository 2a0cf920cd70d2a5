# SPDX-License-Identifier: Apache-2.0
"""Sweeps that go over tiles together give the same bits, whatever the tables and the points are."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import LARGEST_TILE, Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.targets import cpp_target, fortran_target
from thalweg.errors import ThalwegError
from thalweg.kernels.cases import Case
from thalweg.testing.kernels.ways import REFERENCE, different, outputs

HEAD = """from thalweg.dsl import InOut, Out, Points, Field, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def tried(
    some: Points[Cell],
    most: Points[Edge],
    t: InOut[Cell, Level],
    v: Field[Edge, Level],
    o: InOut[Cell, Level],
    p: InOut[Edge, Level],
) -> None:
"""
BODIES = {
    "local": """
    with some:
        half = 0.5 * t
    with most:
        p = half[Edge.cells.first] - half[Edge.cells.second] + v
    o = sum(p[e] for e in Cell.edges)
""",
    "what others read is set later": """
    with most:
        p = t[Edge.cells.first] * v
    with some:
        t = o
        o = 0
    with most:
        p += t[Edge.cells.second]
""",
    "two neighbours away": """
    with some:
        half = 0.5 * t
    o = sum(sum(half[n, m] for n in Cell.neighbours) for m in Cell.neighbours)
    with some:
        t = o
""",
    "set twice": """
    with some:
        x = 2 * t
    with most:
        y = v + x[Edge.cells.first]
    with some:
        x += sum(y[e] for e in Cell.edges)
    with most:
        p = x[Edge.cells.second]
    t = t + x
""",
    "set at other points": """
    with some:
        x = 2 * t
    y = 3 * t
    with most:
        p = x[Edge.cells.first] + y[Edge.cells.second]
    with some:
        z = 4 * t
    o = sum(x[n] + z[n] for n in Cell.neighbours)
""",
    "changed where it is not set": """
    with some:
        x = 2 * t
    with most:
        y = v + t[Edge.cells.first]
    x += sum(y[e] for e in Cell.edges)
    with most:
        p = x[Edge.cells.second] + 1
""",
    "not all levels": """
    for k in Level[1:]:
        x[k] = t[k] - t[k - 1]
    with most:
        for k in Level[2:]:
            p[k] = x[Edge.cells.first, k] + x[Edge.cells.second, k - 1]
""",
    "a column": """
    with most:
        for k in upward(Level[1:]):
            p[k] = p[k - 1] + t[Edge.cells.second, k]
    with some:
        o = sum(p[Cell.edges[1], k] for k in Level) + min(p[e] for e in Cell.edges)
""",
}
SIZES = {"cells": 60, "edges": 90, "levels": 11}  # more than a long vector has


def read(folder: Path, name: str) -> Kernel:
    (folder / "tried.py").write_text(HEAD + BODIES[name].lstrip("\n"))
    return load_file(folder / "tried.py")["tried"]


def case_of(kernel: Kernel, seed: int) -> Case:
    """On a grid that nobody has: any cell may be the neighbour of any other."""
    random = np.random.default_rng(seed)
    cells, edges, levels = SIZES.values()
    near = seed % 2
    wanted = {"edge_cells": (2, edges, cells), "cell_edges": (3, cells, edges),
              "cell_neighbours": (3, cells, cells)}  # fmt: skip
    tables = {}
    for name, (length, points, targets) in wanted.items():
        own = np.arange(points) * targets // points
        away = random.integers(-3, 4, (length, points))
        tables[name] = (own + away) % targets if near else random.integers(
            0, targets, (length, points)
        )  # fmt: skip
    some = np.flatnonzero(random.random(cells) < 0.7)
    most = np.flatnonzero(random.random(edges) < 0.9)
    missing = np.setdiff1d(np.arange(edges), most)
    tables["edge_cells"][:, missing] = -3  # nobody asks for neighbours of these
    arguments = {
        "some": some,
        "most": most,
        "t": random.random((levels, cells)),
        "v": random.random((levels, edges)),
        "o": random.random((levels, cells)),
        "p": random.random((levels, edges)),
    }
    used = {each.full_name for each in kernel.ir.neighbour_tables()}
    return Case(
        kernel, SIZES, {name: table for name, table in tables.items() if name in used}, arguments
    )


@pytest.mark.some(29)
@pytest.mark.parametrize("tile", [1, 4, 17, 1000])
@pytest.mark.parametrize("name", BODIES)
def test_the_bits_are_those_of_the_reference(
    name: str, tile: int, tmp_path: Path, compiled: Path
) -> None:
    way = Configuration("simd", tile=tile, prefetch=tile % 3, fuse=tile != 4)
    for seed in range(6):
        case = case_of(read(tmp_path, name), seed)
        assert not different(case, way, compiled), case.kernel.name


@pytest.fixture
def three_threads() -> Iterator[None]:
    """However many processors there are: threads run at any time, and so do shares of tiles."""
    gomp = ctypes.CDLL("libgomp.so.1")
    before = gomp.omp_get_max_threads()
    gomp.omp_set_num_threads(3)
    yield
    gomp.omp_set_num_threads(before)


@pytest.mark.some(25, 2)
@pytest.mark.usefixtures("three_threads")
@pytest.mark.parametrize("tile", [1, 4, 17, 1000])
@pytest.mark.parametrize("name", BODIES)
def test_threads_with_tiles_give_the_bits_of_the_reference(
    name: str, tile: int, tmp_path: Path, compiled: Path
) -> None:
    way = Configuration("openmp", tile=tile, prefetch=tile % 3, fuse=tile != 4)
    for seed in range(4):
        case = case_of(read(tmp_path, name), seed)
        for _ in range(5):
            assert not different(case, way, compiled), case.kernel.name


def test_no_points_at_all(tmp_path: Path, compiled: Path) -> None:
    case = case_of(read(tmp_path, "local"), 1)
    none = np.zeros(0, dtype=np.int64)
    case = replace(case, arguments={**case.arguments, "some": none, "most": none})
    right = outputs(case, REFERENCE, compiled)
    for output, found in outputs(case, Configuration("serial", tile=8), compiled).items():
        assert np.array_equal(found, right[output], equal_nan=True)


def test_no_cells_at_all(tmp_path: Path, compiled: Path) -> None:
    """Edges without cells: nobody has that, and nothing is written beyond an array."""
    case = case_of(read(tmp_path, "a column"), 1)
    none = np.zeros(0, dtype=np.int64)
    arguments = {**case.arguments, "some": none, "most": none}
    arguments |= {name: np.zeros((7, 0)) for name in ("t", "o")}
    tables = {**case.tables, "cell_edges": np.zeros((3, 0), dtype=np.int64)}
    case = replace(case, arguments=arguments, tables=tables, sizes={**SIZES, "cells": 0})
    found = outputs(case, Configuration("serial", tile=8), compiled)
    assert found["p"].tobytes() == np.asarray(arguments["p"]).tobytes()


def test_a_local_field_has_room_for_some_tiles_only(tmp_path: Path) -> None:
    kernel = read(tmp_path, "local").ir
    code = cpp_target.translate(kernel, Configuration("serial", tile=8))
    assert "half[cell_room * line_levels + level] = 0.5 * t[cell * levels + level];" in code
    assert "half[cells_first_room * line_levels + level]" in code
    assert "_room *" not in cpp_target.translate(kernel, Configuration("serial"))
    module = fortran_target.translate(kernel, Configuration("serial", tile=8))
    assert "subroutine tried(tiles, " in module
    assert "function tried_tiles(" in module
    assert "tiles" not in fortran_target.translate(kernel, Configuration("serial"))


@pytest.mark.parametrize("tile", [-1, LARGEST_TILE + 1, True, 1.5])
def test_a_tile_that_is_none_is_refused(tile: int) -> None:
    with pytest.raises(ThalwegError, match="tile = "):
        Configuration(tile=tile)


@pytest.mark.parametrize("layout", ["blocked", "point_innermost"])
def test_where_there_are_no_tiles_they_are_refused(layout: str) -> None:
    with pytest.raises(ThalwegError, match="tile goes with"):
        Configuration().changed(tile=64, layout=layout)
