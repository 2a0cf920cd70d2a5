# SPDX-License-Identifier: Apache-2.0
"""Conditions with names: they may be joined, set again level by level, and read at neighbours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.kernels.any_kernel import made_case
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS, outputs

KERNEL = """from thalweg.dsl import Field, Out, Parameter, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def wetting(
    depth: Field[Cell, Level, "m"],
    least: Parameter["m"],
    flow: Field[Edge, Level, "m s-1"],
    carried: Out[Edge, Level, "m s-1"],
    below: Out[Cell, Level, "m"],
    around: Out[Cell],
) -> None:
    wet = depth > least
    shore = wet and not depth > 2 * least
    carried = where(wet[Edge.cells.first] and not wet[Edge.cells.second], flow, 0)
    for k in upward(Level[1:]):
        wet[k] = wet[k - 1] and wet[k]
    below = where(wet or shore, depth, 0)
    first = wet[0]
    around = sum(where(first[c], 1, 0) for c in Cell.neighbours)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "wetting.py").write_text(KERNEL)
    return tmp_path / "wetting.py"


def test_conditions_are_what_numpy_makes_of_them(file: Path, compiled: Path) -> None:
    case = made_case(load_file(file)["wetting"])
    depth, least = case.arguments["depth"], case.arguments["least"]
    wet = depth > least
    shore = wet & ~(depth > 2 * least)
    first, second = (wet[:, each] for each in case.tables["edge_cells"])
    whole = np.logical_and.accumulate(wet, axis=0)
    found = outputs(case, REFERENCE, compiled)
    assert 0 < whole.sum() < wet.sum() < wet.size
    assert np.array_equal(found["carried"], np.where(first & ~second, case.arguments["flow"], 0))
    assert np.array_equal(found["below"], np.where(whole | shore, depth, 0))
    assert np.array_equal(found["around"], wet[0][case.tables["cell_neighbours"]].sum(axis=0))


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_every_way_gives_the_same_bits(way: Configuration, file: Path, compiled: Path) -> None:
    case = made_case(load_file(file)["wetting"])
    right = outputs(case, REFERENCE, compiled)
    for name, found in outputs(case, way, compiled).items():
        assert found.tobytes() == right[name].tobytes(), name
