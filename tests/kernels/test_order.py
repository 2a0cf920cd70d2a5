# SPDX-License-Identifier: Apache-2.0
"""`order`: numbers along a curve or in blocks, found from the tables of any grid."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.targets import cpp_target, fortran_target
from thalweg.errors import ThalwegError
from thalweg.kernels import dynamico, icon_like, made_dynamico
from thalweg.kernels.cases import Array, Case
from thalweg.kernels.compiled import _Compiled, bind
from thalweg.kernels.library import FOLDER, find_kernel
from thalweg.kernels.order import inverse, renumbered
from thalweg.testing.kernels.ways import different

CURVE = Configuration("simd", order="curve")


def shuffled(case: Case, seed: int) -> Case:
    """The same grid, its points numbered at random."""
    random = np.random.default_rng(seed)
    orders = {place: random.permutation(case.sizes[place]) for place in ("cells", "edges")}
    changed = renumbered(case.kernel.ir, case.inputs, orders)
    return replace(case, tables=changed.tables, arguments=changed.arguments)


def orders_of(case: Case, way: Configuration, folder: Path) -> dict[str, Array]:
    bound = bind(case.kernel, way, case.inputs, folder)
    assert isinstance(bound, _Compiled)
    return bound.orders


def distance(case: Case, orders: dict[str, Array]) -> float:
    """How far apart the numbers of a cell and its neighbours are, in the median."""
    rank = inverse(orders["cells"])
    table = case.tables["edge_cells"]
    return float(np.median(np.abs(rank[table[0]] - rank[table[1]])))


@pytest.fixture(scope="module")
def gradient() -> Case:
    cases = icon_like.cases_of(icon_like.made_up(64, 11))
    return next(case for case in cases if case.kernel.name == "gradient")


@pytest.mark.parametrize(
    ("order", "layout", "most"),
    [
        ("curve", "level_innermost", 20),
        ("curve", "point_innermost", 20),
        ("curve", "blocked", 20),
        ("blocks", "level_innermost", 120),  # about a layer of a block
    ],
)
def test_neighbours_come_near_each_other_however_they_were_numbered(
    gradient: Case, order: str, layout: str, most: int, compiled: Path
) -> None:
    case = shuffled(gradient, 5)
    way = replace(CURVE, order=order, layout=layout)
    orders = orders_of(case, way, compiled)
    for numbers in orders.values():
        assert (np.sort(numbers) == np.arange(len(numbers))).all()
    numbered = {"cells": np.arange(case.sizes["cells"])}
    assert distance(case, numbered) > 500  # of 4096
    assert distance(case, orders) < most
    assert different(case, way, compiled) == []


def test_points_of_an_argument_stay_few_ranges(compiled: Path) -> None:
    cases = dynamico.cases_of("comp_caldyn_horiz", made_dynamico.made_up(30, 20, 4))
    case = next(each for each in cases if each.kernel.name == "caldyn_horiz")
    orders = orders_of(case, CURVE, compiled)
    changed = renumbered(case.kernel.ir, case.inputs, orders).arguments
    for name, each in case.kernel.ir.arguments.items():
        if each.type.role == "points":
            assert (np.diff(changed[name]) != 1).sum() <= 4, name


@pytest.mark.parametrize("name", ["block_extremes", "vertical_integral"])
def test_what_has_groups_or_no_neighbours_keeps_its_order(name: str) -> None:
    kernel = find_kernel(name).ir
    assert f"{name}_order" not in cpp_target.translate(kernel, CURVE)
    assert f"{name}_order" not in fortran_target.translate(kernel, CURVE)


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(ThalwegError, match=r"order 'curved' does not exist.* mean 'curve'"):
        Configuration("simd", order="curved")


def test_no_cells_at_all_have_an_order(gradient: Case, compiled: Path) -> None:
    arguments = {name: np.zeros((*np.shape(each)[:-1], 0)) if np.ndim(each) else each
                 for name, each in gradient.arguments.items()}  # fmt: skip
    tables = {name: np.zeros((len(each), 0), int) for name, each in gradient.tables.items()}
    sizes = {"cells": 0, "edges": 0, "levels": 11}
    case = replace(gradient, sizes=sizes, tables=tables, arguments=arguments)
    assert [len(each) for each in orders_of(case, CURVE, compiled).values()] == [0, 0]


NAMES = """from thalweg.dsl import Field, InOut, Points, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def named({name}: Points[Cell], t: Field[Edge, Level], o: InOut[Cell, Level]) -> None:
    with {name}:
        o = sum(t[e] for e in Cell.edges)
    o = o + sum(t[e] for e in Cell.edges)
"""


@pytest.mark.parametrize("name", ["within", "i", "rank_of_edge", "cells_order"])
def test_words_of_the_functions_that_find_orders_and_tiles_are_taken(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / "named.py"
    path.write_text(NAMES.format(name=name))
    with pytest.raises(ThalwegError, match=f"the name '{name}' is taken"):
        _ = load_file(path)["named"].ir


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="gfortran is not installed")
def test_fortran_has_an_interface_to_the_order(gradient: Case, tmp_path: Path) -> None:
    text = fortran_target.translate(gradient.kernel.ir, replace(CURVE, tile=8))
    path = tmp_path / "gradient_kernel.f90"
    path.write_text(text)
    assert "integer(c_int32_t), intent(out) :: cells_order(cells)" in text
    words = ["gfortran", "-std=f2018", "-Wall", "-Werror", "-c", str(path), "-J", str(tmp_path)]
    subprocess.run([*words, "-o", str(tmp_path / "gradient.o")], check=True)


def test_reading_kernels_leaves_nothing_beside_them() -> None:
    """A cache of bytecode looked like sources that had changed since the build."""
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = False
    try:
        find_kernel("laplacian")
    finally:
        sys.dont_write_bytecode = before
    assert not list(FOLDER.rglob("__pycache__"))
