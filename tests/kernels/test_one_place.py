# SPDX-License-Identifier: Apache-2.0
"""A loop with an order sets values of one place and, beside them, of none."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.problem import KernelError
from thalweg.kernels.any_kernel import made_case
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS, outputs

HEAD = """from thalweg.dsl import Field, InOut, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def tried(
    a: Field[Level],
    on_cells: InOut[Cell, Level],
    on_edges: InOut[Edge, Level],
    column: InOut[Level],
) -> None:
"""
ONE_FOR_ALL = "has one value for all cells, and would be set anew at each of them"


def written(tmp_path: Path, body: str) -> Path:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (tmp_path / "tried.py").write_text(HEAD + lines)
    return tmp_path / "tried.py"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("on_edges[k] = on_edges[k - 1]\non_cells[k] = on_cells[k - 1]",
         "'on_cells' has values on cells, others of this loop on edges"),
        ("on_cells[k] = on_cells[k - 1]\ncolumn[k] = column[k] + a[k]", f"'column' {ONE_FOR_ALL}"),
        ("half = a[k] / 2\nhalf = half + half\non_cells[k] = half * on_cells[k - 1]", ""),
        ("on_cells[k] = half * on_cells[k - 1]\nhalf = a[k]", f"'half' {ONE_FOR_ALL}"),
        ("half[k] = half[k - 1] + a[k]\non_cells[k] = half[k]", f"'half' {ONE_FOR_ALL}"),
        ("half[k] = a[k] / 2\non_cells[k] = half[k]", f"'half' {ONE_FOR_ALL}"),
        ("total = total + a[k]\non_cells[k] = total", f"'total' {ONE_FOR_ALL}"),
    ],
)  # fmt: skip
def test_loops_of_two_places_are_refused(body: str, told: str, tmp_path: Path) -> None:
    before = "half = a\ntotal = 0 * a[0]\n" if told and "column" not in told else ""
    loop = "for k in upward(Level[1:]):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    kernel = load_file(written(tmp_path, before + loop + "on_edges = on_edges + 1\ncolumn = a"))[
        "tried"
    ]
    if not told:
        assert made_case(kernel)
        return
    with pytest.raises(KernelError, match=told):
        _ = kernel.ir


def test_what_the_loop_leaves_for_others_has_a_loop_of_its_own(tmp_path: Path) -> None:
    body = """for k in upward(Level[1:]):
    half[k] = a[k] / 2
    on_cells[k] = on_cells[k - 1] * half[k]
for k in Level[1:]:
    column[k] = half[k]
on_edges = on_edges + 1"""
    with pytest.raises(KernelError, match=f"'half' {ONE_FOR_ALL}"):
        _ = load_file(written(tmp_path, body))["tried"].ir


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_every_way_gives_the_same_bits(way: Configuration, tmp_path: Path, compiled: Path) -> None:
    body = """for k in upward(Level[1:]):
    half = a[k] / 2
    other[k] = a[k] + half
    on_cells[k] = on_cells[k - 1] * half + other[k]
on_edges = on_edges + 1
column = a"""
    case = made_case(load_file(written(tmp_path, body))["tried"])
    right = outputs(case, REFERENCE, compiled)
    for name, found in outputs(case, way, compiled).items():
        assert found.tobytes() == right[name].tobytes(), name


@pytest.mark.parametrize("target", ["serial", "simd"])
def test_a_row_that_begins_at_a_level_from_the_end_is_streamed_whole(
    target: str, tmp_path: Path, compiled: Path
) -> None:
    body = """for k in Level[-2:]:
    on_cells[k] = a[k]
on_edges = on_edges + sum(on_cells[c] for c in Edge.cells)
column = a"""
    case = made_case(load_file(written(tmp_path, body))["tried"])
    right = outputs(case, REFERENCE, compiled)
    way = Configuration(target, stores="streaming")
    for name, found in outputs(case, way, compiled).items():
        assert found.tobytes() == right[name].tobytes(), name


def test_slots_of_a_value_without_a_place_are_refused(tmp_path: Path) -> None:
    text = HEAD.replace("@kernel", 'XY = Axis("xy", ("x", "y"))\n\n\n@kernel', 1)
    imports = "from thalweg.dsl.grid import Axis\nfrom thalweg.dsl.grids"
    text = text.replace("from thalweg.dsl.grids", imports)
    body = """    for k in upward(Level[1:]):
        both[XY.x] = a[k]
        both[XY.y] = a[k] + both[XY.x]
        on_cells[k] = on_cells[k - 1] + both[XY.y]
    on_edges = on_edges + 1
    column = a
"""
    (tmp_path / "tried.py").write_text(text + body)
    with pytest.raises(KernelError, match=f"'both' {ONE_FOR_ALL}"):
        _ = load_file(tmp_path / "tried.py")["tried"].ir
