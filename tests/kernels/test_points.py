# SPDX-License-Identifier: Apache-2.0
"""`with owned:` sets some points and leaves the others; loops over axes, and along a column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.problem import KernelError
from thalweg.errors import ThalwegError
from thalweg.kernels.cases import Case
from thalweg.kernels.compiled import Inputs, bind, ranges_of
from thalweg.kernels.icon_like import made_up
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS

Array = NDArray[Any]
KERNEL = """from __future__ import annotations

from thalweg.dsl import Field, InOut, Out, Parameter, Points, kernel
from thalweg.dsl.grid import Axis
from thalweg.dsl.grids.triangles import Cell, Edge, Level

XYZ = Axis("component", ("x", "y", "z"))


@kernel
def tried(
    owned: Points[Cell],
    normal: Field[Edge, XYZ],
    speed: Field[Edge, Level, "m s-1"],
    weight: Parameter["1"],
    wind: InOut[Cell, XYZ, Level, "m s-1"],
    total: InOut[Cell, Level, "m s-1"],
) -> None:
    with owned:
        for s in XYZ:
            wind[s] = sum(normal[e, s] * speed[e] for e in Cell.edges) / 3
        strength = wind[XYZ.x] + wind[XYZ.y] + wind[XYZ.z]
        total = strength
        for k in downward(Level[:-1]):
            total[k] = weight * total[k + 1] + strength[k]
"""


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    path = tmp_path_factory.mktemp("kernel") / "tried.py"
    path.write_text(KERNEL)
    data, random = made_up(8, 5), np.random.default_rng(3)
    arguments = {
        "owned": np.array([0, 1, 2, 9, 10, 40, 63]),
        "normal": random.standard_normal((3, 96)),
        "speed": data["in_grad"],
        "weight": 0.5,
        "wind": random.standard_normal((3, 5, 64)),
        "total": random.standard_normal((5, 64)),
    }
    sizes = {"cells": 64, "edges": 96, "levels": 5}
    tables = {"cell_edges": data["grid_cell_edge"]}
    return Case(load_file(path)["tried"], sizes, tables, arguments).checked()


@pytest.mark.some(6)
@pytest.mark.parametrize("way", [REFERENCE, *WAYS], ids=["numpy", *IDS])
def test_points_outside_keep_their_values(way: Configuration, case: Case, compiled: Path) -> None:
    bound = bind(case.kernel, way, case.inputs, compiled)
    bound.run()
    found = bound.outputs()
    given, wind = case.arguments, case.arguments["wind"].copy()
    total = case.arguments["total"].copy()
    for c in given["owned"]:
        edges = case.tables["cell_edges"][:, c]
        for s in range(3):
            terms = [given["normal"][s, e] * given["speed"][:, e] for e in edges]
            wind[s, :, c] = ((terms[0] + terms[1]) + terms[2]) / 3
        strength = (wind[0, :, c] + wind[1, :, c]) + wind[2, :, c]
        total[:, c] = strength
        for k in range(3, -1, -1):
            total[k, c] = 0.5 * total[k + 1, c] + strength[k]
    assert np.array_equal(found["wind"], wind)
    assert np.array_equal(found["total"], total)


def test_points_become_ranges() -> None:
    assert ranges_of(np.array([0, 1, 2, 9, 10, 40])).tolist() == [0, 3, 9, 11, 40, 41]
    assert ranges_of(np.array([], dtype=int)).tolist() == []


@pytest.mark.parametrize("points", [[3, 2], [0, 64], [-1, 2], [1, 1], [0.0, 1.0]])
def test_points_that_are_none_are_refused(points: list[float], case: Case) -> None:
    arguments = {**case.arguments, "owned": np.array(points)}
    with pytest.raises(ThalwegError, match="wants rising numbers from 0 to 63"):
        Case(case.kernel, case.sizes, case.tables, arguments).checked()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("with owned:", "with speed:", "'with' goes with an argument of type Points"),
        ("with owned:", "with ownd:", "Did you mean 'owned'"),
        ("owned: Points[Cell]", "owned: Points[Edge]", "'with owned' names edges"),
        ("total = strength", "total = strength + owned", "'owned' is no value"),
        ("wind[s] = sum", "wind = sum", "has several values here"),
        ("wind[XYZ.y]", "wind[XYZ.w]", "'w' is none of 'component'"),
        ("for s in XYZ", "for s in Cell.edges", "sets values here, at a level, and nowhere else"),
    ],
)
def test_points_and_axes_that_make_no_sense_are_refused(
    old: str, new: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "tried.py").write_text(KERNEL.replace(old, new))
    with pytest.raises(KernelError) as caught:
        _ = load_file(tmp_path / "tried.py")["tried"].ir
    assert sentence in caught.value.sentence


@pytest.mark.some(13)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_what_an_earlier_call_left_is_not_seen(
    way: Configuration, tmp_path: Path, compiled: Path
) -> None:
    """A local value that was not set in this call is NaN at a neighbour, whoever called before."""
    (tmp_path / "two.py").write_text(
        "from thalweg.dsl import Field, InOut, Points, kernel\n"
        "from thalweg.dsl.grids.triangles import Cell, Level\n"
        "@kernel\n"
        "def two(some: Points[Cell], t: Field[Cell, Level], o: InOut[Cell, Level]) -> None:\n"
        "    with some:\n"
        "        half = 0.5 * t\n"
        "    o = sum(half[n] for n in Cell.neighbours)\n"
    )
    kernel = load_file(tmp_path / "two.py")["two"]
    table = {"cell_neighbours": made_up(8, 3)["grid_neighbor"]}
    sizes = {"cells": 64, "levels": 3}
    for points in (np.arange(64), np.r_[0:30, 33:50]):
        arguments = {"some": points, "t": np.ones((3, 64)), "o": np.zeros((3, 64))}
        found = []
        for each in (REFERENCE, way):
            bound = bind(kernel, each, Inputs(sizes, table, arguments), compiled)
            bound.run()
            found.append(bound.outputs()["o"])
        assert np.array_equal(*found, equal_nan=True)
    assert np.isnan(found[0]).any()
    assert not np.isnan(found[0]).all()
