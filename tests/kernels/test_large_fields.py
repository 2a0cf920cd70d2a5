# SPDX-License-Identifier: Apache-2.0
"""What is written past the caches and called ahead: rows of any length, at any address."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.passes.streams import streamed
from thalweg.dsl.passes.sweeps import find_sweeps
from thalweg.dsl.targets import cpp_target
from thalweg.errors import ThalwegError
from thalweg.kernels import dynamico, made_dynamico
from thalweg.kernels.any_kernel import Shape, made_case
from thalweg.kernels.compiler import FLAGS, MORE_FLAGS, build
from thalweg.kernels.library import all_kernels, find_kernel
from thalweg.testing.kernels.ways import different, outputs

LARGE = Configuration("simd", stores="streaming", prefetch=5)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_rows_at_any_address_are_written_and_nothing_beside_them(
    precision: str, compiled: Path
) -> None:
    kernel = all_kernels()["cleared_edges"]
    code = cpp_target.translate(kernel.ir, replace(LARGE, precision=precision))
    library = build("cleared_edges", code, (*FLAGS, *MORE_FLAGS["simd"]), compiled)
    function = ctypes.CDLL(str(library)).cleared_edges
    function.restype = None
    real = np.float32 if precision == "single" else np.float64
    for shift in (0, 1, 7):
        for edges, levels in ((1, 1), (3, 5), (2, 16), (5, 67)):
            room = np.full(shift + edges * levels + 20, 9.0, real)
            to = room.ctypes.data + shift * room.itemsize
            function(ctypes.c_int64(edges), ctypes.c_int64(levels), ctypes.c_void_p(to))
            assert (room[shift : shift + edges * levels] == 0).all()
            assert (room[:shift] == 9).all()
            assert (room[shift + edges * levels :] == 9).all()


def test_only_what_is_not_read_again_is_streamed() -> None:
    def names(name: str) -> set[str]:
        kernel = all_kernels()[name]
        return {step.name for step in streamed(kernel.ir, find_sweeps(kernel.ir), by_points=False)}

    assert names("gradient") == {"difference"}
    assert names("time_step") == set(), "it reads what it sets"
    assert names("component_one") == set(), "what it sets, the next operation reads"
    assert names("weighted_neighbours") == set(), "its levels are set by several statements"
    assert names("block_extremes") == {"rises_anywhere"}


PIECES = """
from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.hexagons import Cell, HalfLevel, Level

@kernel
def pieces(
    a: Field[Cell, Level], whole: Out[Cell, Level], half: Out[Cell, HalfLevel],
    twice: Out[Cell, Level], gap: Out[Cell, Level], read: Out[Cell, Level], other: Out[Cell, Level],
    ends: Out[Cell, HalfLevel], beside: Out[Cell, HalfLevel], whole_row: Field[Cell],
) -> None:
    whole[-1] = a[-1]
    for k in Level[2:-1]:
        whole[k] = a[k] - a[k - 2]
    for k in Level[:2]:
        whole[k] = a[k] * 2
    half[0] = a[0] / 3
    for k in Level[:-1]:
        half[k + 1] = a[k] + a[k + 1]
    half[-1] = a[-1] / 3
    twice = a + 1
    twice[0] = 0
    for k in Level[1:-1]:
        gap[k] = a[k]
    gap[-1] = 1
    read[0] = a[0]
    for k in Level[1:]:
        read[k] = a[k - 1]
    other = read * 2
    for k in Level:
        ends[k] = a[k] * 3
    for k in Level[:-1]:
        beside[k] = a[k] * whole_row
    beside[-1] = 7
"""


ORDERED = """
from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.arcs import XYZ, Cell, Level, Side

@kernel
def ordered(a: Field[Cell, Level], h: Out[Cell, XYZ, Side, Level]) -> None:
    h[XYZ.x, Side.lower, 0] = 1
    h[Side.lower, XYZ.x, 0] = 2
    for k in Level[1:]:
        h[XYZ.x, Side.lower, k] = a[k]
"""


def test_slots_may_be_named_in_any_order(tmp_path: Path, compiled: Path) -> None:
    (tmp_path / "ordered.py").write_text(ORDERED)
    case = made_case(find_kernel(str(tmp_path / "ordered.py")))
    assert different(case, LARGE, compiled) == []


@pytest.mark.parametrize("levels", [2, 3, 9, 20])
def test_a_row_that_is_set_in_pieces_is_written_whole(
    levels: int, tmp_path: Path, compiled: Path
) -> None:
    """`half` is set at levels beside the loop's, `gap`, `ends` and `beside` not at all of them,
    `read` is read again.
    """
    (tmp_path / "pieces.py").write_text(PIECES)
    kernel = find_kernel(str(tmp_path / "pieces.py"))
    rows = streamed(kernel.ir, find_sweeps(kernel.ir), by_points=True)
    assert {row.name for row in rows.values()} == {"whole_row_", "twice_row", "other_row"}
    assert sorted(row.name for row in rows.values() if row.is_whole) == [
        "other_row", "twice_row", "whole_row_"
    ]  # fmt: skip
    case = made_case(kernel, shape=Shape(7, 5, levels))
    right = outputs(case, Configuration("numpy"), compiled)
    for way in (LARGE, replace(LARGE, target="openmp", prefetch=0), replace(LARGE, tile=50)):
        found = outputs(case, way, compiled)
        for name, values in right.items():
            assert np.array_equal(values, found[name], equal_nan=True), name


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not shutil.which("objdump"),
    reason="what a compiler makes of a fetch is looked for by objdump in code of x86-64",
)
def test_what_is_called_ahead_is_called_by_the_processor(compiled: Path) -> None:
    """GCC 12 takes a function that only fetches for one that does nothing, and leaves it out."""
    way = replace(LARGE, tile=64, order="curve")
    code = cpp_target.translate(all_kernels()["caldyn_horiz"].ir, way)
    library = build("caldyn_horiz", code, (*FLAGS, *MORE_FLAGS["simd"]), compiled)
    found = subprocess.run(
        ["objdump", "-d", str(library)], capture_output=True, text=True, check=True
    ).stdout
    assert code.count("fetch(&") >= 8
    assert found.count("prefetch") >= code.count("fetch(&")


SOME_LEVELS = """
from thalweg.dsl import Field, InOut, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level

@kernel
def faces(
    a: Field[Cell, Level], b: Field[Edge, Level], flux: InOut[Edge, Level],
    slope: InOut[Edge, Level], total: Out[Edge], early: Out[Edge, Level], late: Out[Cell, Level],
) -> None:
    for k in Level[2:-3]:
        flux[k] = (a[Edge.cells[0], k] - a[Edge.cells[1], k]) * b[k - 1]
    for k in Level[1:]:
        slope[k] = flux[k] - flux[k - 1]
    total = sum(flux[k] for k in Level) + slope[-1]
    early = slope * b
    for k in Level:
        late[k] = sum(early[e, k] for e in Cell.edges)
"""


def test_rows_that_are_read_again_have_the_levels_beside_those_that_are_set(
    tmp_path: Path, compiled: Path
) -> None:
    """`early` is needed by other points, and is not streamed; NumPy is the reference."""
    (tmp_path / "faces.py").write_text(SOME_LEVELS)
    kernel = find_kernel(str(tmp_path / "faces.py"))
    plan = find_sweeps(kernel.ir)
    rows = streamed(kernel.ir, plan, by_points=True)
    assert {(step.name, row.is_read) for step, row in rows.items()} == {
        ("flux", True),
        ("slope", True),
        ("late", False),
    }
    assert {step.name for step in streamed(kernel.ir, plan, by_points=False)} == {"late"}
    case = made_case(kernel)
    right = outputs(case, Configuration("numpy"), compiled)
    for way in (LARGE, replace(LARGE, target="openmp", prefetch=0), replace(LARGE, tile=50)):
        found = outputs(case, way, compiled)
        for name, values in right.items():
            assert np.array_equal(values, found[name], equal_nan=True), name


NARROW = """
from thalweg.dsl import Field, InOut, Out, kernel
from thalweg.dsl.grids.hexagons import Cell, Level

@kernel
def narrow(t: Field[Cell, Level], a: InOut[Cell, Level], b: Out[Cell, Level]) -> None:
    for k in Level[3:-3]:
        a[k] = t[k] * 2
    b = a + t
"""


@pytest.mark.parametrize("levels", [1, 2, 5, 7])
def test_rows_of_a_loop_over_no_level_lie_inside_their_arrays(
    levels: int, tmp_path: Path, compiled: Path
) -> None:
    (tmp_path / "narrow.py").write_text(NARROW)
    case = made_case(find_kernel(str(tmp_path / "narrow.py")), shape=Shape(7, 5, levels))
    assert case.sizes["levels"] == levels
    assert different(case, LARGE, compiled) == []
    code = cpp_target.translate(case.kernel.ir, LARGE)
    assert "for (std::int64_t k = std::max<std::int64_t>(levels - 3, 0);" in code


def test_neighbours_of_neighbours_are_called_ahead() -> None:
    code = cpp_target.translate(all_kernels()["laplacian"].ir, LARGE)
    assert "if (cell + 5 < cells) {" in code
    assert "fetch(&temperature[edge_cells[cell_edges[(cell + 5) * 3 + n] * 2 + n1]" in code


def test_a_neighbour_that_nobody_reads_is_in_no_table(tmp_path: Path) -> None:
    (tmp_path / "named.py").write_text(
        "from thalweg.dsl import Field, Out, kernel\n"
        "from thalweg.dsl.grids.triangles import Cell, Edge, Level\n\n\n"
        "@kernel\ndef named(t: Field[Cell, Level], o: Out[Cell, Level]) -> None:\n"
        "    o = t[Edge.cells.first, Cell.edges[0]]\n"
    )
    code = cpp_target.translate(load_file(tmp_path / "named.py")["named"].ir, LARGE)
    assert "fetch(&t[edge_cells[std::max(cell_edges[(cell + 5) * 3 + n], 0) * 2 + n1]" in code


def test_vector_functions_are_near_those_of_the_library(compiled: Path) -> None:
    case = next(
        each
        for each in dynamico.cases_of("comp_geopot", made_dynamico.made_up(9, 7, 19))
        if each.kernel.name == "geopot"
    )
    right = outputs(case, Configuration("simd"), compiled)
    for way in (Configuration("simd"), Configuration("openmp", "blocked", 16)):
        vector = replace(way, functions="vector")
        assert "declare simd" in cpp_target.translate(case.kernel.ir, vector)
        found = outputs(case, vector, compiled)["exner"]
        np.testing.assert_array_max_ulp(found, right["exner"], 4)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("functions", "fast", "functions 'fast' does not exist; choose one of: scalar, vector."),
        ("prefetch", -1, "prefetch = -1 is no number from 0 to 1024"),
        ("prefetch", True, "prefetch = True is no number"),
        ("prefetch", 2.5, "prefetch = 2.5 is no number"),
        (
            "prefetch_into",
            "third",
            "prefetch_into 'third' does not exist; choose one of: first, second",
        ),
        ("stores", "stream", "stores 'stream' does not exist; choose one of: cached, streaming."),
        ("precision", "half", "precision 'half' does not exist; choose one of: double, single."),
        ("precision", ["single"], "precision '['single']' does not exist"),
    ],
)
def test_a_wrong_key_is_a_sentence(key: str, value: object, sentence: str) -> None:
    with pytest.raises(ThalwegError) as refusal:
        Configuration().changed(**{key: value})
    assert sentence in refusal.value.sentence


def test_vector_functions_want_a_target_of_many_values() -> None:
    way = Configuration("serial", functions="vector")
    with pytest.raises(ThalwegError, match="goes with target openmp or simd, not with serial"):
        cpp_target.translate(all_kernels()["geopot"].ir, way)
