# SPDX-License-Identifier: Apache-2.0
"""A Fortran program calls a translated kernel through its module, in every layout."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.targets import cpp_target, fortran_target
from thalweg.errors import ThalwegError
from thalweg.kernels.library import all_kernels

KERNEL = """from thalweg.dsl import Field, InOut, Parameter, Points, kernel
from thalweg.dsl.grid import Axis
from thalweg.dsl.grids.triangles import Cell, Edge, Level

PAIR = Axis("pair", ("one", "two"))


@kernel
def spread_out(
    some_cells: Points[Cell],
    flux: Field[Edge, PAIR, Level],
    weight: Field[Cell, Cell.edges],
    factor: Parameter["1"],
    column: Field[Level],
    total: InOut[Cell, Level],
) -> None:
    with some_cells:
        total = total + factor * column * sum(
            weight[e] * (flux[e, PAIR.one] - flux[e, PAIR.two]) for e in Cell.edges
        )
"""
CELLS, EDGES, LEVELS, BLOCK = 5, 9, 4, 2
PROGRAM = """program use_it
  use, intrinsic :: iso_c_binding
  use spread_out_kernel
  implicit none
  integer(c_int64_t), parameter :: cells = 5, edges = 9, levels = 4
  integer(c_int64_t) :: parts(2, 2) = reshape([0_8, 2_8, 3_8, 5_8], [2, 2])
  integer(c_int32_t) :: table(@table@)
  real(c_double) :: flux(@flux@), weight(@weight@), total(@total@), column(levels)
  integer :: unit
  open (newunit=unit, file='in.bin', access='stream', form='unformatted')
  read (unit) table, flux, weight, column, total
  close (unit)
  call spread_out(cells, edges, levels, table, parts, 2_8, flux, weight, 0.5d0, column, total)
  open (newunit=unit, file='out.bin', access='stream', form='unformatted')
  write (unit) total
  close (unit)
end program use_it
"""
SHAPES = {
    "level_innermost": ("3, cells", "levels, 2, edges", "3, cells", "levels, cells"),
    "point_innermost": ("cells, 3", "edges, levels, 2", "cells, 3", "cells, levels"),
    "blocked": ("cells, 3", "2, levels, 2, 5", "2, 3, 3", "2, levels, 3"),
}


@pytest.mark.skipif(not shutil.which("gfortran"), reason="no gfortran on this machine")
@pytest.mark.some(2)
@pytest.mark.parametrize("layout", SHAPES)
def test_fortran_gets_what_the_reference_has(layout: str, tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    kernel = load_file(tmp_path / "kernel.py")["spread_out"]
    way = Configuration("serial", layout, BLOCK)
    text = PROGRAM
    for name, shape in zip(("table", "flux", "weight", "total"), SHAPES[layout], strict=True):
        text = text.replace(f"@{name}@", shape)
    (tmp_path / "kernel.cpp").write_text(cpp_target.translate(kernel.ir, way))
    (tmp_path / "program.f90").write_text(fortran_target.translate(kernel.ir, way) + text)
    for command in (
        ["c++", "-std=c++20", "-ffp-contract=off", "-c", "kernel.cpp"],
        ["gfortran", "-Wall", "-Werror", "program.f90", "kernel.o", "-lstdc++", "-o", "program"],
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    random = np.random.default_rng(1)
    table = random.integers(0, EDGES, (3, CELLS))
    flux = random.standard_normal((2, LEVELS, EDGES))
    weight, column = random.standard_normal((3, CELLS)), random.standard_normal(LEVELS)
    total = random.standard_normal((LEVELS, CELLS))
    types = {name: each.type for name, each in kernel.ir.arguments.items()}
    memory = way.memory
    with (tmp_path / "in.bin").open("wb") as file:
        for array in (
            memory.lay_table(table),
            memory.lay(types["flux"], flux),
            memory.lay(types["weight"], weight),
            column,
            memory.lay(types["total"], total),
        ):
            file.write(array.tobytes())
    subprocess.run(["./program"], cwd=tmp_path, check=True)
    laid = memory.lay(types["total"], total)
    found = np.fromfile(tmp_path / "out.bin").reshape(laid.shape)
    around = sum(weight[n] * (flux[0][:, table[n]] - flux[1][:, table[n]]) for n in range(3))
    right = total + 0.5 * column[:, None] * around
    right[:, 2] = total[:, 2]  # not among the points
    assert np.array_equal(memory.reference(types["total"], found, CELLS), right)


def test_a_model_is_told_how_many_levels_there_must_be() -> None:
    divdamp = all_kernels()["divdamp"].ir
    assert divdamp.least_levels == 2
    module = fortran_target.translate(divdamp, Configuration("simd"))
    assert "levels  ! levels: 2 at least\n" in module


LONG = """from thalweg.dsl import Field, InOut, Points, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def NAME(POINTS: Points[Cell], t: Field[Cell, Level], o: InOut[Cell, Level]) -> None:
    with POINTS:
        o = 2 * t
"""


@pytest.mark.parametrize(("name", "points"), [("k" * 55, "some"), ("one", "p" * 60)])
def test_names_that_fortran_has_not_are_refused(name: str, points: str, tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(LONG.replace("NAME", name).replace("POINTS", points))
    kernel = load_file(tmp_path / "kernel.py")[name].ir
    with pytest.raises(ThalwegError, match="Fortran has no name of more than 63 letters"):
        fortran_target.translate(kernel, Configuration("mpi"))


@pytest.mark.skipif(not shutil.which("gfortran"), reason="no gfortran on this machine")
def test_long_names_are_continued_on_another_line(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(LONG.replace("NAME", "one").replace("POINTS", "p" * 57))
    kernel = load_file(tmp_path / "kernel.py")["one"].ir
    (tmp_path / "one.f90").write_text(fortran_target.translate(kernel, Configuration("simd")))
    words = ["gfortran", "-std=f2018", "-Wall", "-Werror", "-fsyntax-only", "one.f90"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not shutil.which("gfortran"), reason="no gfortran on this machine")
@pytest.mark.parametrize("way", [Configuration("simd"), Configuration("mpi")])
def test_many_long_names_are_continued_on_as_many_lines(way: Configuration, tmp_path: Path) -> None:
    """Sizes of four places, whose names have 50 letters each, stand in one declaration."""
    places = {letter: letter * 50 for letter in "abcd"}
    lines = [f"{name.upper()} = Place('one_{name[:9]}', '{name}')\n" for name in places.values()]
    lines += [f"D.relate('{a}_beside', {a.upper()}, ('left', 'right'))\n" for a in "abc"]
    text = "from thalweg.dsl import Field, Out, kernel\nfrom thalweg.dsl.grid import Place\n\n"
    text += "".join(lines)
    for letter, name in places.items():
        text = text.replace(f"{name.upper()} =", f"{letter.upper()} =")
    text += "\n\n@kernel\ndef joined(x: Field[A], y: Field[B], z: Field[C], o: Out[D]) -> None:\n"
    sums = (f"sum({f}[n] for n in D.{a}_beside)" for f, a in zip("xyz", "abc", strict=True))
    (tmp_path / "kernel.py").write_text(f"{text}    o = {' + '.join(sums)}\n")
    module = fortran_target.translate(load_file(tmp_path / "kernel.py")["joined"].ir, way)
    assert all(len(line) <= 132 for line in module.splitlines())
    (tmp_path / "one.f90").write_text(module)
    words = ["gfortran", "-std=f2018", "-Wall", "-Werror", "-fsyntax-only", "one.f90"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
