# SPDX-License-Identifier: Apache-2.0
"""A kernel calls another as if its statements stood there; names of translated code are refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.problem import KernelError
from thalweg.errors import ThalwegError
from thalweg.kernels.compiled import Inputs, bind
from thalweg.kernels.icon_like import made_up
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS

OTHER = """from thalweg.dsl import Field, InOut, Out, Parameter, Points, constant, kernel
from thalweg.dsl.grid import Axis
from thalweg.dsl.grids.triangles import Cell, Edge, Level

XYZ = Axis("component", ("x", "y", "z"))
SLOW = constant(0.25)


@kernel
def slope(
    value: Field[Cell, Level, "K"],
    factor: Parameter["1"],
    where_to: Points[Edge],
    result: Out[Edge, Level, "K"],
) -> None:
    with where_to:
        half = factor * value[Edge.cells.first]
        result = half - factor * value[Edge.cells.second]
"""
KERNEL = """from other import XYZ, SLOW, Cell, Edge, slope
from thalweg.dsl import Field, InOut, Parameter, Points, kernel
from thalweg.dsl.grids.triangles import Level


@kernel
def tried(
    t: Field[Cell, XYZ, Level, "K"],
    flat: Field[Cell, "K"],
    weight: Parameter["1"],
    some_edges: Points[Edge],
    total: InOut[Edge, Level, "K"],
) -> None:
    half = total
    for s in XYZ:
        slope(t[s], weight, some_edges, result=part)
        total += part
    total += 0 * half
"""


def read(folder: Path, kernel: str = KERNEL) -> Kernel:
    (folder / "other.py").write_text(OTHER)
    (folder / "tried.py").write_text(kernel)
    return load_file(folder / "tried.py")["tried"]


@pytest.mark.some(5, 4)
@pytest.mark.parametrize("way", [REFERENCE, *WAYS], ids=["numpy", *IDS])
def test_statements_of_a_called_kernel_stand_where_it_is_called(
    way: Configuration, tmp_path: Path, compiled: Path
) -> None:
    data, random = made_up(4, 3), np.random.default_rng(2)
    kernel = read(tmp_path, KERNEL.replace("part", "piece"))
    arguments = {
        "t": random.standard_normal((3, 3, 16)),
        "flat": random.standard_normal(16),
        "weight": 0.5,
        "some_edges": np.arange(24),
        "total": random.standard_normal((3, 24)),
    }
    sizes = {"cells": 16, "edges": 24, "levels": 3}
    tables = {"edge_cells": data["grid_edge_cell"]}
    bound = bind(kernel, way, Inputs(sizes, tables, arguments), compiled)
    bound.run()
    first, second = data["grid_edge_cell"]
    right = arguments["total"].copy()
    for s in range(3):
        right += 0.5 * arguments["t"][s][:, first] - 0.5 * arguments["t"][s][:, second]
    right += 0 * arguments["total"]
    assert np.array_equal(bound.outputs()["total"], right)
    assert "slope_half" in kernel.ir.locals, "a local of the called kernel has its own name"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("slope(t[s]", "slop(t[s]", "'slop' is no kernel"),
        ("weight, some_edges", "weight, some_edges, total, t", "has 4 arguments"),
        (", result=part", "", "wants 'result', too"),
        ("result=part", "outcome=part", "has no argument 'outcome'"),
        ("result=part", "value=part", "argument 'value' is given twice"),
        ("t[s], weight", "t[s] + t[s], weight", "wants the name of a value"),
        ("t[s], weight", "flat, weight", "'value' of kernel 'slope' is cell, level in 'K'"),
        ("weight, some", "flat, some", "'factor' of kernel 'slope' is number in '1'"),
        ("some_edges, result", "total, result", "'where_to' of kernel 'slope' is edge in '1'"),
        ("result=part", "result=t", "'t' is read only"),
        ("slope(t[s]", "tried(t[s]", "kernel 'tried' calls itself"),
        ("    for s in XYZ:", "    with some_edges:", "has points of its own, 'with' others"),
        ("half", "edge", "the name 'edge' is taken"),
        ("half", "new", "the name 'new' is taken"),
        ("    flat:", "    edge_cells:", "the name 'edge_cells' is taken"),
        ("    flat:", "    cells_first:", "the name 'cells_first' is taken"),
        ("    flat:", "    Weight:", "'weight' and 'Weight' are one name in Fortran"),
        ("    flat:", "    _flat:", "'_flat' is no name in Fortran"),
        ("    flat:", "    Höhe:", "'Höhe' is no name in Fortran"),
        ("    flat:", "    lane:", "the name 'lane' is taken"),
        ("    flat:", "    some_edges_parts:", "the name 'some_edges_parts' is taken"),
        ("    flat:", "    half_room:", "the name 'half_room' is taken"),
        ("    flat:", "    levels:", "the name 'levels' is taken"),
    ],
)
def test_calls_and_names_that_make_no_sense_are_refused(
    old: str, new: str, sentence: str, tmp_path: Path
) -> None:
    text = re.sub(r"\bpart\b", "piece", KERNEL.replace(old, new, 2 if old == "half" else 1))
    if "with some_edges" in new:
        text = text.replace("t[s]", "t[XYZ.x]")
    with pytest.raises(KernelError) as caught:
        _ = read(tmp_path, text).ir
    assert sentence in caught.value.sentence


def test_a_file_beside_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "tried.py").write_text(KERNEL)
    with pytest.raises(ThalwegError, match=r"tried\.py:1: Python cannot read this file: No module"):
        load_file(tmp_path / "tried.py")
