# SPDX-License-Identifier: Apache-2.0
"""What is kept on ranks, where arrays are parts of each other or have no points; and neighbours
that nobody has.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from thalweg.dsl.built import build
from thalweg.run.launch import mpirun_command, mpirun_environment

pytestmark = pytest.mark.skipif(not shutil.which("mpicxx"), reason="no mpicxx on this machine")
Link = Callable[[Sequence[str], Sequence[Path], Path], Path]
KERNELS = """from thalweg.dsl import Field, InOut, Out, Points, kernel
from thalweg.dsl.grid import LevelAxis, Place

Node = Place("node", "nodes")
Level = LevelAxis("level")
Node.relate("beside", Node, ("left", "right"))


@kernel
def layer(ts: Field[Node], out: Out[Node]) -> None:
    out = ts[Node.beside.left] + ts[Node.beside.right]


@kernel
def layers(t: Field[Node, Level], out: Out[Node, Level]) -> None:
    out = t[Node.beside.left] + t[Node.beside.right]


@kernel
def twice(ts: InOut[Node]) -> None:
    ts = ts + ts


@kernel
def leftwards(ts: Field[Node], out: Out[Node]) -> None:
    out = ts[Node.beside.left]


@kernel
def inside(ts: Field[Node], some: Points[Node], out: InOut[Node]) -> None:
    with some:
        out = ts[Node.beside.left] + ts[Node.beside.right]
"""
LIST = "".join(
    f"[{name}]\nlayout = 'point_innermost'\n"
    for name in ("layer", "layers", "twice", "leftwards", "inside")
)
# A ring of twelve nodes on the ranks but the last, if that is to have none; values beyond own
# ones are NaN, tables [neighbour][node].
PROGRAM = """
#include <mpi.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include "list.hpp"

constexpr int n = 12, levels = 3;
struct Ring {
  std::vector<std::int32_t> owners, beside;
  std::vector<std::int64_t> globals;
  std::int64_t own = 0, all = 0;
  Ring(int rank, int ranks, bool needs_right) {
    const auto owner = [&](int node) { return node * ranks / n; };
    for (int node = 0; node < n; ++node)
      if (owner(node) == rank) globals.push_back(node);
    own = std::ssize(globals);
    for (std::int64_t i = 0; i < own; ++i) {
      const int node = static_cast<int>(globals[i]);
      for (int each : {(node + n - 1) % n, needs_right ? (node + 1) % n : node})
        if (at(each) < 0) globals.push_back(each);
    }
    all = std::ssize(globals);
    for (const auto node : globals) owners.push_back(owner(static_cast<int>(node)));
    for (int step : {n - 1, 1})
      for (const auto node : globals) beside.push_back(at((node + step) % n));
  }
  std::int32_t at(std::int64_t node) const {
    const auto found = std::find(globals.begin(), globals.end(), node);
    return found == globals.end() ? -1 : static_cast<std::int32_t>(found - globals.begin());
  }
};

int main(int, char** words) {
  MPI_Init(nullptr, nullptr);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string what = words[1];
  Ring ring(rank, what == "nothing" ? ranks - 1 : ranks, what != "left");
  const auto all = ring.all;
  const place_of_a_rank place{"nodes", ring.own, ring.owners, ring.globals};
  ranks_of_calls calls(layer_ranks(MPI_Comm_c2f(MPI_COMM_WORLD), std::span(&place, 1), 20.0));
  const on_ranks now(CALLS, calls);
  std::vector<double> t(all * levels, NAN), out(all * levels, 0.0), ts(all, NAN), sum(all, 0.0);
  for (int i = 0; i < ring.own; ++i) {
    ts[i] = ring.globals[i] * ring.globals[i];
    for (int level = 0; level < levels; ++level) t[level * all + i] = 100 * level + ring.globals[i];
  }
  const layers_arguments whole{.nodes = all, .levels = levels, .node_beside = ring.beside.data(),
                               .t = t.data(), .out = out.data()};
  bool is_right = true;
  const auto compare = [&](int level, double factor) {
    for (int i = 0; i < ring.own; ++i) {
      const auto node = ring.globals[i];
      const double right = factor * (200 * level + (node + n - 1) % n + (node + 1) % n);
      is_right = is_right && out[level * all + i] == right;
    }
  };
  if (what == "part first" || what == "part set" || what == "whole set") {
    layer_keeps(calls.ranks(), t.data());
    layer_keeps(calls.ranks(), t.data() + all);
    const layer_arguments upper{.nodes = all, .node_beside = ring.beside.data(),
                                .ts = t.data() + all, .out = sum.data()};
    if (what == "part first") {  // of the same address as the whole
      layer({.nodes = all, .node_beside = ring.beside.data(), .ts = t.data(), .out = sum.data()});
    }
    layers(whole);
    if (what == "part set") {
      twice({.nodes = all, .ts = t.data() + all});
      layers(whole);
    }
    if (what == "whole set") {
      layer(upper);
      twice({.nodes = all * 0 + all, .ts = t.data()});
      twice({.nodes = all, .ts = t.data() + all});
      layer(upper);
      std::copy(sum.begin(), sum.end(), out.begin() + all);
    }
    compare(1, what == "part first" ? 1.0 : 2.0);
    if (what != "whole set") compare(2, 1.0);
  } else if (what == "nothing") {  // the vectors of a rank are all at nullptr
    layer_keeps(calls.ranks(), ts.data());
    const layer_arguments of{.nodes = all, .node_beside = ring.beside.data(), .ts = ts.data(),
                             .out = sum.data()};
    layer(of), layer(of);
    layers(whole), layers(whole);
    for (int level = 0; level < levels; ++level) compare(level, 1.0);
  } else if (what == "left") {  // the right neighbour is read by nobody
    leftwards({.nodes = all, .node_beside = ring.beside.data(), .ts = ts.data(),
               .out = sum.data()});
    for (int i = 0; i < ring.own; ++i)
      is_right = is_right && std::sqrt(sum[i]) == (ring.globals[i] + n - 1) % n;
  } else {  // an open line: its ends have no neighbour, and are not set
    for (std::int64_t i = 0; i < all; ++i) {
      if (ring.globals[i] == 0) {
        ring.beside[i] = -1;
        if (what == "beyond") ring.beside[all + i] = 99;
      }
      if (ring.globals[i] == n - 1) ring.beside[all + i] = -1;
    }
    std::vector<std::int64_t> some;
    for (int i = 0; i < ring.own; ++i) {
      const bool is_end = ring.globals[i] == 0 || ring.globals[i] == n - 1;
      if (!is_end || what == "ends") some.insert(some.end(), {i, i + 1});
    }
    inside({.nodes = all, .node_beside = ring.beside.data(), .ts = ts.data(), .some = some.data(),
            .some_parts = std::ssize(some) / 2, .out = sum.data()});
    for (int i = 0; i < ring.own; ++i) {
      const auto node = static_cast<double>(ring.globals[i]);
      const double right = node == 0 || node == n - 1 ? 0.0 : 2 * node * node + 2;
      is_right = is_right && sum[i] == right;
    }
  }
  std::printf("%s\\n", is_right ? "right" : "wrong");
  MPI_Finalize();
}
"""


@pytest.fixture
def started(
    link: Link, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, int, str], subprocess.CompletedProcess[str]]:
    def run(target: str, ranks: int, what: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(tmp_path)
        Path("kernels.py").write_text(KERNELS)
        Path("list.toml").write_text(LIST)
        build(Path("list.toml"), Path("made"), target)
        names = [each.name for each in sorted(Path("made").glob("*.cpp"))]
        whole = "".join(f'#include "{name}"\n' for name in names)  # what ranks are is read once
        Path("program.cpp").write_text(whole + PROGRAM)
        command = ["mpicxx", "-std=c++20", "-Wall", "-Werror", "-Wno-cast-function-type"]
        command += ["-fopenmp-simd", f"-DCALLS=calls_on_{target}"]
        program = link(command, [Path("program.cpp")], Path("made"))
        return subprocess.run(
            mpirun_command(ranks, [str(program), what]), env=mpirun_environment(),
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    return run


@pytest.mark.some(7)
@pytest.mark.parametrize("target", ["mpi", "onesided"])
@pytest.mark.parametrize(
    ("what", "ranks"),
    [("part first", 2), ("part set", 3), ("whole set", 2), ("nothing", 3), ("left", 3), ("line", 2),
     ("line", 1)],
)  # fmt: skip
def test_values_are_right(
    what: str,
    ranks: int,
    target: str,
    started: Callable[[str, int, str], subprocess.CompletedProcess[str]],
) -> None:
    told = started(target, ranks, what)
    assert told.returncode == 0, told.stderr
    assert told.stdout.split() == ["right"] * ranks


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("ends", "was to set, in kernel 'inside', number 0, which has a neighbour -1"),
        ("beyond", "neighbour 1 of number 0 of its nodes is 99, and it has"),
    ],
)
def test_what_is_wrong_with_neighbours_of_an_end_is_told(
    what: str, sentence: str, started: Callable[[str, int, str], subprocess.CompletedProcess[str]]
) -> None:
    told = started("mpi", 2, what)
    assert told.returncode != 0
    assert sentence in told.stdout + told.stderr
