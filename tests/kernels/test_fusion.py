# SPDX-License-Identifier: Apache-2.0
"""A local field that need not be stored is not, and not a bit changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.targets import cpp_target
from thalweg.kernels.any_kernel import made_case
from thalweg.kernels.library import find_kernel
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS, outputs

HEAD = """from thalweg.dsl import Field, InOut, Out, Points, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level

@kernel
def tried(
    t: Field[Cell, Level],
    length: Field[Edge],
    weight: Field[Cell, Cell.edges],
    some_edges: Points[Edge],
    o: InOut[Cell, Level],
    more: InOut[Edge, Level],
) -> None:
"""
STORED = {  # statements, and whether `flux` has to be stored
    "twice over the same name": (
        "    mean = sum(weight[e] * length[e] for e in Cell.edges) * t\n"
        "    flux = length * sum(mean[e] for e in Edge.cells)\n"
        "    o = sum(weight[e] * flux[e] for e in Cell.edges)\n",
        False,
    ),
    "other levels": (
        "    flux = length * (t[Edge.cells.first] - t[Edge.cells.second])\n"
        "    for k in Level[1:]:\n"
        "        o[k] = sum(flux[e, k] - flux[e, k - 1] for e in Cell.edges)\n",
        False,
    ),
    "its operand changes": (
        "    flux = more - length\n    more = 2 * more\n    o = sum(flux[e] for e in Cell.edges)\n",
        True,
    ),
    "set twice": (
        "    flux = length * t[Edge.cells.first]\n"
        "    flux = flux + length\n"
        "    o = sum(flux[e] for e in Cell.edges)\n",
        True,
    ),
    "set at some points": (
        "    flux = more * length\n"
        "    with some_edges:\n"
        "        flux = length * t[Edge.cells.first]\n"
        "    o = sum(flux[e] for e in Cell.edges)\n",
        True,
    ),
    "sums of columns": (
        "    flux = length * sum(more[k] for k in Level) * more\n"
        "    o = sum(flux[e] for e in Cell.edges)\n",
        True,
    ),
}


def read(folder: Path, body: str) -> Kernel:
    (folder / "tried.py").write_text(HEAD + body)
    return load_file(folder / "tried.py")["tried"]


@pytest.mark.some(37)
@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_not_a_bit_changes(name: str, way: object, tmp_path: Path, compiled: Path) -> None:
    body, _ = STORED[name]
    case = made_case(read(tmp_path, body))
    right = outputs(case, REFERENCE, compiled)
    for fuse in (True, False):
        found = outputs(case, replace(way, fuse=fuse), compiled)  # type: ignore[type-var]
        assert {each: array.tobytes() for each, array in found.items()} == {
            each: array.tobytes() for each, array in right.items()
        }


@pytest.mark.parametrize("name", STORED)
def test_what_must_be_stored_is(name: str, tmp_path: Path) -> None:
    body, is_stored = STORED[name]
    kernel = read(tmp_path, body)
    assert ("flux_room" in cpp_target.translate(kernel.ir, WAYS[0])) == is_stored
    assert "flux_room" in cpp_target.translate(kernel.ir, replace(WAYS[0], fuse=False))


def test_a_gradient_that_only_its_divergence_needs_is_not_stored() -> None:
    kernel = find_kernel("laplacian")
    assert "slope" not in cpp_target.translate(kernel.ir, WAYS[0])
    assert "slope_room" in cpp_target.translate(kernel.ir, replace(WAYS[0], fuse=False))


@pytest.mark.slow
def test_thousands_of_statements_are_translated_at_once(tmp_path: Path) -> None:
    """No pass looks at all statements for each of them."""
    lines = [f"    x{n} = x{n - 1} * 0.5 + t\n" for n in range(1, 3000)]
    (tmp_path / "long.py").write_text(
        "from thalweg.dsl import Field, Out, kernel\n"
        "from thalweg.dsl.grids.triangles import Cell, Level\n\n\n@kernel\n"
        "def many(t: Field[Cell, Level], o: Out[Cell, Level]) -> None:\n    x0 = t\n"
        + "".join(lines) + "    o = x2999\n"
    )  # fmt: skip
    kernel = load_file(tmp_path / "long.py")["many"]
    code = cpp_target.translate(kernel.ir, Configuration("serial"))
    assert "x2999 = x2998 * 0.5 + " in code


@pytest.mark.parametrize("way", [Configuration("serial"), Configuration("simd", "blocked", 16)])
def test_hundreds_of_fields_become_one_at_once(way: Configuration, tmp_path: Path) -> None:
    """Nor for each local field that goes, nor for each loop that is joined."""
    lines = [
        f"    y{n} = x{n - 1}[Edge.cells.first] - x{n - 1}[Edge.cells.second]\n"
        f"    x{n} = sum(y{n}[e] for e in Cell.edges)\n"
        f"    for k in Level[1:]:\n        x{n}[k] = x{n}[k] + t[k - 1]\n"
        for n in range(1, 600)
    ]
    (tmp_path / "long.py").write_text(
        "from thalweg.dsl import Field, Out, kernel\n"
        "from thalweg.dsl.grids.triangles import Cell, Edge, Level\n\n\n@kernel\n"
        "def many(t: Field[Cell, Level], o: Out[Cell, Level]) -> None:\n    x0 = t\n"
        + "".join(lines) + "    o = x599\n"
    )  # fmt: skip
    code = cpp_target.translate(load_file(tmp_path / "long.py")["many"].ir, way)
    assert "y599" not in code
    assert "x599" in code
