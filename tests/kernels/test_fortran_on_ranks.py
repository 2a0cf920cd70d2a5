# SPDX-License-Identifier: Apache-2.0
"""A Fortran model on ranks with a decomposition of its own calls a kernel through its module."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.targets import fortran_target, ranks_target

POINTS, ROUNDS = 13, 3
KERNEL = """from thalweg.dsl import Field, InOut, Parameter, Points, kernel
from thalweg.dsl.grid import LevelAxis, Place

Point = Place("point", "points")
Level = LevelAxis("level")
Point.relate("beside", Point, ("left", "right"))


@kernel
def spread_out(
    t: InOut[Point, Level], weight: Field[Point], step: Parameter["1"], some: Points[Point]
) -> None:
    moved = step * weight * sum(t[n] - t for n in Point.beside)
    with some:
        t = t + moved
"""
# A ring; ranks have every so-manieth point of it, and so none beside its own.
PROGRAM = """program use_it
  use, intrinsic :: iso_c_binding
  use mpi
  use spread_out_kernel
  implicit none
  integer(c_int64_t), parameter :: all = 13, levels = 2
  integer :: rank, ranks, failed, i, round, beside(2)
  integer(c_int64_t) :: own, total, here(0:all - 1), some(2, 1)
  integer(c_int64_t), allocatable, target :: globals(:)
  integer(c_int32_t), allocatable, target :: owners(:)
  integer(c_int32_t), allocatable :: table(:, :)
  real(c_double), allocatable :: t(:, :)
  real(c_double), allocatable, target :: weight(:)
  character(kind=c_char), target :: points(7)
  character(kind=c_char) :: said(400)
  type(c_ptr) :: of_ranks, parts
  real(c_double) :: figures(5)
  points = [character(kind=c_char) :: '@', 'o', 'i', 'n', 't', 's', c_null_char]
  call MPI_Init(failed)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, failed)
  own = count([(mod(i, ranks) == rank, i = 0, 12)])
  total = all
  globals = [pack([(int(i, c_int64_t), i = 0, 12)], [(mod(i, ranks) == rank, i = 0, 12)]), &
             pack([(int(i, c_int64_t), i = 0, 12)], [(mod(i, ranks) /= rank, i = 0, 12)])]
  owners = int(mod(globals, int(ranks, c_int64_t)), c_int32_t)
  do i = 1, 13
    here(globals(i)) = i - 1
  end do
  allocate (table(2, total), t(levels, total), weight(total))
  do i = 1, 13
    beside = int(modulo(globals(i) + [-1_c_int64_t, 1_c_int64_t], all))
    table(:, i) = int(here(beside), c_int32_t)
    weight(i) = 1 + 0.125d0 * real(globals(i), c_double)
    t(:, i) = [0.1d0 * real(globals(i)**2, c_double), -1.0d0 * real(globals(i), c_double)]
    if (i > own) t(:, i) = 1.0d300
  end do
  of_ranks = spread_out_ranks(MPI_COMM_WORLD, 1_c_int64_t, [c_loc(points)], [total], [own], &
                              [c_loc(owners)], [c_loc(globals)], 30.0d0, said, 400_c_int64_t)
  if (.not. c_associated(of_ranks)) call refused()
  call spread_out_keeps(of_ranks, c_loc(weight))
  parts = spread_out_parts(of_ranks, total, table, 1, said, 400_c_int64_t)
  if (.not. c_associated(parts)) call refused()
  some(:, 1) = [0_c_int64_t, merge(own - 1, own, mod(12, ranks) == rank)]  ! not the last of all
  do round = 1, 3
    call spread_out(parts, total, levels, table, t, weight, 0.1d0, some, 1_c_int64_t)
  end do
  call spread_out_told(of_ranks, figures)
  if (ranks > 1 .and. figures(3) < 3) error stop 'too few exchanges'
  do i = 1, int(own)
    write (*, '(i0, 2(1x, es24.17))') globals(i), t(:, i)
  end do
  call spread_out_free_parts(parts)
  call spread_out_free_ranks(of_ranks)
  call MPI_Finalize(failed)
contains
  subroutine refused()
    if (rank == 0) write (0, '(400a)') said(1:findloc(said, c_null_char, 1) - 1)
    call MPI_Finalize(failed)
    stop 2
  end subroutine refused
end program use_it
"""
needed = pytest.mark.skipif(not shutil.which("mpifort"), reason="no mpifort on this machine")
WAYS = (Configuration("mpi"), Configuration("onesided", "point_innermost", each_rank="openmp"))


def program(way: Configuration, text: str, folder: Path) -> Path:
    (folder / "kernel.py").write_text(KERNEL)
    kernel = load_file(folder / "kernel.py")["spread_out"].ir
    (folder / "kernel.cpp").write_text(ranks_target.translate(kernel, way))
    (folder / "program.f90").write_text(fortran_target.translate(kernel, way) + text)
    for command in (
        ["mpicxx", "-std=c++20", "-ffp-contract=off", "-fopenmp", "-c", "kernel.cpp"],
        ["mpifort", "-fopenmp", "-Wall", "program.f90", "kernel.o", "-lstdc++", "-o", "program"],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "Warning" not in done.stderr, done.stderr
    return folder / "program"


def run(path: Path, ranks: int) -> subprocess.CompletedProcess[str]:
    words = ["mpirun", "--oversubscribe", "-n", str(ranks), str(path)]
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(words, capture_output=True, text=True, check=False, env=env, timeout=120)


def right() -> list[list[float]]:
    t = [[0.1 * float(i) ** 2, -1.0 * i] for i in range(POINTS)]
    for _ in range(ROUNDS):
        moved = []
        for i, here in enumerate(t[:-1]):  # not the last of all
            around = [t[(i - 1) % POINTS], t[(i + 1) % POINTS]]
            both = [(around[0][k] - here[k]) + (around[1][k] - here[k]) for k in range(2)]
            moved.append([here[k] + 0.1 * (1 + 0.125 * i) * both[k] for k in range(2)])
        t = [*moved, t[-1]]
    return t


@needed
@pytest.mark.some(2)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.target)
def test_a_fortran_model_has_the_values_of_one_rank(way: Configuration, tmp_path: Path) -> None:
    text = PROGRAM.replace("'@'", "'p'")
    if way.layout == "point_innermost":
        for old, new in (("table(2, total), t(levels, total)", "table(total, 2), t(total, levels)"),
                         ("table(:, i)", "table(i, :)"), ("t(:, i)", "t(i, :)")):  # fmt: skip
            assert old in text
            text = text.replace(old, new)
    path = program(way, text, tmp_path)
    for ranks in (1, 2, 3):
        done = run(path, ranks)
        assert done.returncode == 0, done.stderr
        rows = sorted(line.split() for line in done.stdout.splitlines())
        found = {int(row[0]): [float(word) for word in row[1:]] for row in rows}
        assert found == dict(enumerate(right()))


@pytest.mark.slow
@needed
def test_what_a_rank_refuses_is_told(tmp_path: Path) -> None:
    path = program(WAYS[0], PROGRAM.replace("'@'", "'j'"), tmp_path)
    done = run(path, 2)
    assert done.returncode == 2, done.stderr
    assert "spread_out" in done.stderr
    assert "points" in done.stderr
