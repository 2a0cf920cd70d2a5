# SPDX-License-Identifier: Apache-2.0
"""A list for one target on ranks: the calls stay those of a model that knows of none."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT
from thalweg.dsl.built import build
from thalweg.errors import ThalwegError
from thalweg.run.launch import mpirun_command, mpirun_environment

pytestmark = pytest.mark.skipif(not shutil.which("mpicxx"), reason="no mpicxx on this machine")
KERNELS = """from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grid import Place

Cell, Edge, Column = Place("cell", "cells"), Place("edge", "edges"), Place("column", "columns")
Cell.relate("edges", Edge, ("left", "right", "spare"))
Edge.relate("cells", Cell, ("behind", "ahead"))


@kernel
def flow(t: Field[Cell], more: Field[Edge], flux: Out[Edge], change: Out[Cell]) -> None:
    flux = more + t[Edge.cells.ahead] - t[Edge.cells.behind]
    change = sum(flux[e] for e in Cell.edges)


@kernel
def total(flux: Field[Edge], around: Out[Cell]) -> None:
    around = sum(flux[e] for e in Cell.edges)


@kernel
def both(t: Field[Cell], more: Field[Edge], flux: Out[Edge], around: Out[Cell]) -> None:
    flux = t[Edge.cells.ahead] - t[Edge.cells.behind]
    around = sum(more[e] + flux[e] for e in Cell.edges)


@kernel
def twice(values: Field[Column], doubled: Out[Column]) -> None:
    doubled = 2 * values

"""
LIST = """[flow]
fuse = false
tile = 4

[total]
[twice]

[both]
fuse = false
"""
# Eight cells in a ring, edge e behind cell e and before cell e + 1; one edge more that each rank
# has for itself. What others own is NaN.
PROGRAM = """
#include <mpi.h>

#include <cmath>
#include <cstdio>

#include "list.hpp"

int main(int count, char**) {
  MPI_Init(nullptr, nullptr);
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int n = 8, own = n / ranks, first = rank * own;
  std::vector<std::int64_t> cells, edges;
  for (int i = 0; i < own; ++i) cells.push_back(first + i), edges.push_back(first + i);
  if (ranks > 1) {
    cells.push_back((first + n - 1) % n), cells.push_back((first + own) % n);
    edges.push_back((first + n - 1) % n);
  }
  const auto at = [&](const auto& list, int global) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i] == (global + n) % n) return static_cast<std::int32_t>(i);
    return std::int32_t{-1};
  };
  const auto spare = static_cast<std::int32_t>(edges.size());
  std::vector<std::int32_t> cell_edges, edge_cells;
  for (const auto cell : cells) {
    cell_edges.insert(cell_edges.end(), {at(edges, cell - 1), at(edges, cell), spare});
  }
  for (const auto edge : edges) {
    for (const auto cell : {at(cells, edge), at(cells, edge + 1)}) edge_cells.push_back(cell);
  }
  edge_cells.insert(edge_cells.end(), {0, 0});
  const auto value = [](int cell) { return std::cos(1.0 + cell); };
  std::vector<double> t, more(edges.size(), 0.0), flux(edges.size() + 1, NAN);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    t.push_back(static_cast<int>(i) < own ? value(static_cast<int>(cells[i])) : NAN);
  }
  more.push_back(100.0);
  std::vector<double> change(cells.size(), NAN), around(cells.size(), NAN), doubled(3, NAN);

  const auto owner = [&](const auto& list) {
    std::vector<std::int32_t> found;
    for (const auto each : list) found.push_back(static_cast<std::int32_t>(each / own));
    return found;
  };
  place_of_a_rank of_cells{"cells", own, owner(cells), cells};
  place_of_a_rank of_edges{"edges", own, owner(edges), edges};
  of_edges.owners.push_back(each_rank), of_edges.globals.push_back(-1);
  const std::int64_t all = static_cast<std::int64_t>(cells.size());
  const flow_arguments of{.cells = all, .edges = spare + 1, .edge_cells = edge_cells.data(),
                          .cell_edges = cell_edges.data(), .t = t.data(), .more = more.data(),
                          .flux = flux.data(), .change = change.data()};
  const std::vector<double> values{1, 2, 3};
  bool was_refused = false, more_was_refused = ranks == 1;
  {
    ranks_of_calls calls(flow_ranks(MPI_Comm_c2f(MPI_COMM_WORLD), std::vector{of_cells, of_edges}));
    const on_ranks now(CALLS, calls);
    if (count > 1 && rank == 1) {  // another kernel than the others
      total({.edges = spare + 1, .cells = own, .cell_edges = cell_edges.data(),
             .flux = flux.data(), .around = around.data()});
    }
    for (int time = 0; time < 3; ++time) flow(flow_tiles(of), of);
    total({.edges = spare + 1, .cells = own, .cell_edges = cell_edges.data(), .flux = flux.data(),
           .around = around.data()});  // room for own cells alone
    twice({.columns = 3, .values = values.data(), .doubled = doubled.data()});
    try {
      total({.edges = spare, .cells = own - 1, .cell_edges = cell_edges.data(),
             .flux = flux.data(), .around = around.data()});
    } catch (const std::runtime_error& error) {
      was_refused = true;
      if (rank == 0) std::puts(error.what());
    }
    try {
      total({.edges = spare + 1, .cells = own, .cell_edges = nullptr, .flux = flux.data(),
             .around = around.data()});
    } catch (const std::runtime_error& error) {
      if (rank == 0) std::puts(error.what());
    }
    if (ranks > 1) {
      try {  // travels with t, though a later sweep reads it
        both({.cells = all, .edges = own, .edge_cells = edge_cells.data(),
              .cell_edges = cell_edges.data(), .t = t.data(), .more = more.data(),
              .flux = flux.data(), .around = around.data()});
      } catch (const std::runtime_error&) {
        more_was_refused = true;
      }
    }
  }
  bool is_right = was_refused && more_was_refused && doubled == std::vector<double>{2, 4, 6};
  for (int i = 0; i < own; ++i) {
    const int c = first + i;
    const double right = value((c + 1) % n) - value(c), left = value(c) - value((c + n - 1) % n);
    is_right = is_right && change[i] == left + right + 100.0 && around[i] == change[i];
  }
  for (std::size_t i = own; i < cells.size(); ++i) is_right = is_right && std::isnan(around[i]);
  std::printf("rank %d is %s\\n", rank, is_right ? "right" : "wrong");
  try {
    twice({.columns = 3, .values = values.data(), .doubled = doubled.data()});
  } catch (const std::logic_error& error) {
    if (rank == 0) std::puts(error.what());
  }
  MPI_Finalize();
}
"""


# Of the kernels, one alone and three together: what ranks know is in both, and is linked once.
SOURCES = {
    "alone.cpp": '#include "flow.cpp"\n',
    "together.cpp": '#include "total.cpp"\n#include "twice.cpp"\n#include "both.cpp"\n',
    "program.cpp": PROGRAM,
}


Link = Callable[[Sequence[str], Sequence[Path], Path], Path]


def started(
    target: str, ranks: int, link: Link, monkeypatch: pytest.MonkeyPatch, folder: Path, *words: str
) -> subprocess.CompletedProcess[str]:
    monkeypatch.chdir(folder)
    Path("kernels.py").write_text(KERNELS)
    Path("list.toml").write_text(LIST)
    build(Path("list.toml"), Path("made"), target)
    names = sorted(each.name for each in Path("made").iterdir())
    assert names == ["both.cpp", "flow.cpp", "list.hpp", "total.cpp", "twice.cpp"]
    for name, text in SOURCES.items():
        Path(name).write_text(text)
    command = ["mpicxx", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    command += ["-Wno-cast-function-type", "-fopenmp-simd", f"-DCALLS=calls_on_{target}"]
    program = link(command, [Path(name) for name in SOURCES], Path("made"))
    return subprocess.run(
        mpirun_command(ranks, [str(program), *words]), env=mpirun_environment(),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize("target", ["onesided", "mpi"])
def test_two_ranks_that_call_different_kernels_are_told(
    target: str, link: Link, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Onesided: their windows have two sizes, and one would write beyond the other's."""
    told = started(target, 2, link, monkeypatch, tmp_path, "another")
    assert told.returncode != 0
    assert "they call kernels differently, or changed() on some only" in told.stderr, told.stderr


@pytest.mark.some(3, 2)
@pytest.mark.parametrize(("target", "ranks"), [("mpi", 2), ("mpi", 1), ("onesided", 4)])
def test_calls_name_no_ranks(
    target: str, ranks: int, link: Link, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = started(target, ranks, link, monkeypatch, tmp_path)
    assert told.returncode == 0, told.stderr
    lines = told.stdout.splitlines()
    assert sorted(line for line in lines if line.startswith("rank ")) == [
        f"rank {rank} is right" for rank in range(ranks)
    ]
    own = 8 // ranks
    assert f"kernel 'total': rank 0 was told of {own if ranks == 1 else own + 2} cells, and" in (
        told.stdout
    )
    assert "kernel 'total': rank 0 was given no table 'cell_edges'" in told.stdout
    assert "kernel 'twice' was called on no ranks: make an on_ranks" in told.stdout


@pytest.mark.parametrize("target", ["serial", "openmp", "simd", "cuda", "mpi", "onesided"])
def test_a_list_of_the_checkout_is_translated_for_any_target(target: str, tmp_path: Path) -> None:
    """Keys that are nothing for it are left out, and calls with tiles stay."""
    build(ROOT / "mini" / "kernels" / "model_kernels.toml", tmp_path, target)
    header = (tmp_path / "model_kernels.hpp").read_text()
    assert "anticipation_in_tiles_tiles(" in header
    assert ("inline ranks_of_calls* calls_on_" in header) == (target in ("mpi", "onesided"))


def test_another_target_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "list.toml").write_text(LIST)
    for target, told in (("numpy", "'numpy' is no code"), ("mqi", "Did you mean 'mpi'?")):
        with pytest.raises(ThalwegError) as refused:
            build(tmp_path / "list.toml", tmp_path / "made", target)
        assert told in refused.value.sentence
