# SPDX-License-Identifier: Apache-2.0
"""A model translates its kernels with nothing but the installed package, and calls them from
Fortran and from C++ on ranks.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.config.checkout import ROOT
from thalweg.run.launch import mpirun_command, mpirun_environment

KERNELS = """from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grid import Place

Node = Place("node", "nodes")
Node.relate("beside", Node, ("before", "after"))


@kernel
def advance(t: Field[Node], moved: Out[Node]) -> None:
    moved = t[Node.beside.after] - 2 * t[Node.beside.before]
"""
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(model LANGUAGES CXX Fortran)
find_package(thalweg 0.1 REQUIRED)
translate_kernels(kernels kernels.toml FORTRAN)
translate_kernels(on_ranks on_ranks.toml RANKS)
add_executable(one one.f90)
target_link_libraries(one PRIVATE kernels_fortran)
add_executable(ring ring.cpp)
target_link_libraries(ring PRIVATE on_ranks)
"""
ONE = """program one
  use, intrinsic :: iso_c_binding
  use advance_kernel
  implicit none
  integer(c_int32_t) :: beside(2, 5)
  real(c_double) :: t(5), moved(5)
  integer :: i
  beside(1, :) = [4, 0, 1, 2, 3]
  beside(2, :) = [1, 2, 3, 4, 0]
  t = [(real(i * i, c_double), i = 0, 4)]
  call advance(nodes=5_c_int64_t, node_beside=beside, t=t, moved=moved)
  print '(5(1x, f5.1))', moved
end program
"""
# Each rank has so many nodes of the ring that it computes them in pieces, and those on both sides.
RING = """
#include <mpi.h>

#include <cstdio>

#include "on_ranks.hpp"

int main(int count, char**) {
  MPI_Init(nullptr, nullptr);
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr int own = 1500;
  const int n = own * ranks;
  std::vector<std::int64_t> nodes;
  std::vector<std::int32_t> owners, beside;
  for (int i = 0; i < own; ++i) {
    nodes.push_back(own * rank + i);
    beside.insert(beside.end(), {i == 0 ? own : i - 1, i == own - 1 ? own + 1 : i + 1});
  }
  nodes.insert(nodes.end(), {(own * rank + n - 1) % n, (own * rank + own) % n});
  beside.insert(beside.end(), 4, -1);
  std::vector<double> t, moved(own + 2);
  for (const auto node : nodes) owners.push_back(static_cast<std::int32_t>(node / own));
  for (const auto node : nodes) t.push_back(static_cast<double>(node * node));
  t[own] = t[own + 1] = -1e9;
  const std::vector<place_of_a_rank> places{{"nodes", own, owners, nodes}};
  const kernel_ranks on = forward_ranks(MPI_Comm_c2f(MPI_COMM_WORLD), places, 20.0);
  advance_arguments of{.nodes = own + 2, .node_beside = beside.data(), .t = t.data(),
                       .moved = moved.data()};
  const kernel_parts parts = forward_parts(on, of);
  if (count > 1) of.nodes = own;
  forward(parts, of);
  for (int i = 0; i < own; ++i) {
    const double before = static_cast<double>((nodes[i] + n - 1) % n);
    const double after = static_cast<double>((nodes[i] + 1) % n);
    if (moved[i] != after * after - 2 * before * before) std::puts("wrong");
  }
  std::puts("done");
  MPI_Finalize();
}
"""


@pytest.fixture(scope="module")
def model(
    installed: Any, must: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    if not shutil.which("gfortran"):
        pytest.skip("no gfortran on this machine")
    folder = tmp_path_factory.mktemp("model")
    files = {"kernels.py": KERNELS, "kernels.toml": "[advance]\n", "CMakeLists.txt": PROJECT,
             "on_ranks.toml": "[forward]\nkernel = 'advance'\ntarget = 'mpi'\n",
             "one.f90": ONE, "ring.cpp": RING}  # fmt: skip
    for name, text in files.items():
        (folder / name).write_text(text)
    prefix = f"-DCMAKE_PREFIX_PATH={installed.prefix}"
    python = f"-DTHALWEG_PYTHON={sys.executable}"
    must("cmake", "-S", folder, "-B", folder / "build", prefix, python, cwd=folder)
    must("cmake", "--build", folder / "build", cwd=folder)
    return folder / "build"


def test_a_fortran_model_calls_a_kernel(model: Path, must: Callable[..., str]) -> None:
    told = must(model / "one", cwd=model)
    assert [float(word) for word in told.split()] == [-31.0, 4.0, 7.0, 8.0, -18.0]


@pytest.mark.parametrize("ranks", [2, 3])
def test_a_model_on_ranks_calls_it(ranks: int, model: Path, must: Callable[..., str]) -> None:
    told = must(*mpirun_command(ranks, [str(model / "ring")]), cwd=model)
    assert told.split() == ["done"] * ranks


def test_a_call_of_another_size_than_that_of_its_parts_is_told(model: Path) -> None:
    told = subprocess.run(
        mpirun_command(2, [str(model / "ring"), "smaller"]), env=mpirun_environment(),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert told.returncode != 0
    assert "calls kernel 'forward' with 1500 nodes, and parts for 1502" in told.stderr
    assert "done" not in told.stdout


def test_the_package_has_no_file_of_the_checkout(installed: Any) -> None:
    """Python's caches, for one, and paths."""
    files = [each for each in (installed.prefix).rglob("translator/**/*") if each.is_file()]
    assert {each.suffix for each in files} == {".py"}
    assert not any(str(ROOT) in each.read_text() for each in files)
