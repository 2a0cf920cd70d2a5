# SPDX-License-Identifier: Apache-2.0
"""What CMake translates for a model: the code and the header through which C++ calls it by name."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT
from thalweg.dsl import built
from thalweg.dsl.kernel_files import load_file

MODULE = ROOT / "python" / "thalweg" / "dsl" / "built.py"
KERNELS = """from thalweg.dsl import Field, InOut, Out, Parameter, Points, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def difference(t: Field[Cell, Level], factor: Parameter["1"], slope: Out[Edge, Level]) -> None:
    '''Between the two cells of an edge.'''
    slope = factor * (t[Edge.cells.second] - t[Edge.cells.first])


@kernel
def gathered(
    t: Field[Cell, Level], weight: Field[Cell, Cell.edges], some: Points[Cell],
    total: InOut[Cell, Level],
) -> None:
    difference(t, 1, slope)
    with some:
        total += sum(weight[e] * slope[e] for e in Cell.edges)
"""
LIST = """[difference]
target = "serial"

[gathered]
fuse = false

[gathered_in_tiles]
kernel = "gathered"
fuse = false
tile = 2
"""
# Three cells in a row of four edges, the outer ones without another cell; a third edge that counts
# for nothing.
PROGRAM = """
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>
#include "list.hpp"

int main() {
  const std::vector<std::int32_t> edge_cells{0, 0, 0, 1, 1, 2, 2, 2};
  const std::vector<std::int32_t> cell_edges{0, 1, 0, 1, 2, 1, 2, 3, 2};
  const std::vector<double> t{1, 2, 4, 8, 16, 32}, weight{-1, 1, 0, -1, 1, 0, -1, 1, 0};
  const std::array<std::int64_t, 2> some{1, 3};
  std::vector<double> slope(8), sweeps(6, 100.0), tiles(6, 100.0);
  difference({.cells = 3, .edges = 4, .levels = 2, .edge_cells = edge_cells.data(), .t = t.data(),
              .factor = 0.5, .slope = slope.data()});
  gathered_arguments of{.cells = 3, .edges = 4, .levels = 2, .edge_cells = edge_cells.data(),
                        .cell_edges = cell_edges.data(), .t = t.data(), .weight = weight.data(),
                        .some = some.data(), .some_parts = 1, .total = sweeps.data()};
  gathered(of);
  of.total = tiles.data();
  gathered_in_tiles(gathered_in_tiles_tiles(of), of);
  for (const double each : slope) std::printf("%g ", each);
  for (const double each : sweeps) std::printf("%g ", each);
  std::printf("%d %s:%u\\n", sweeps == tiles, gathered_source.file_name(), gathered_source.line());
}
"""


def build(list_: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """As `python -m thalweg.dsl.built` in the folder of the list, without a process for it."""
    words = [MODULE.name, list_.name, str(folder)]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(list_.parent)
        patch.setattr(sys, "argv", words)
        try:
            runpy.run_path(str(MODULE), run_name="__main__")
        except SystemExit as end:
            return subprocess.CompletedProcess(words, 1, "", f"{end.code}\n")
    return subprocess.CompletedProcess(words, 0, "", "")


def build_as_cmake(list_: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    words = [sys.executable, "-m", "thalweg.dsl.built", list_.name, str(folder)]
    return subprocess.run(
        words, env=environment, cwd=list_.parent, capture_output=True, text=True, check=False
    )


@pytest.fixture
def list_(tmp_path: Path) -> Path:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "list.toml").write_text(LIST)
    return tmp_path / "list.toml"


def test_cpp_calls_each_kernel_by_the_names_of_its_arguments(
    list_: Path,
    link: Callable[[Sequence[str], Sequence[Path], Path], Path],
    tmp_path: Path,
) -> None:
    made = tmp_path / "made"
    result = build_as_cmake(list_, made)
    assert (result.returncode, result.stderr) == (0, "")
    names = sorted(each.name for each in made.iterdir())
    assert names == ["difference.cpp", "gathered.cpp", "gathered_in_tiles.cpp", "list.hpp"]
    (tmp_path / "program.cpp").write_text(PROGRAM)
    words = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    sources = [*sorted(made.glob("*.cpp")), tmp_path / "program.cpp"]
    program = link([*words, "-fopenmp-simd"], sources, made)
    told = subprocess.run([program], capture_output=True, text=True, check=True)
    slopes, totals = "0 0 1.5 3 6 12 0 0", "100 100 109 118 88 76"
    assert told.stdout == f"{slopes} {totals} 1 kernels.py:11\n"


def test_an_argument_left_out_is_seen_by_the_compiler(list_: Path, tmp_path: Path) -> None:
    build(list_, tmp_path / "made")
    text = PROGRAM.replace(".weight = weight.data(),", "")
    (tmp_path / "program.cpp").write_text(text)
    words = ["g++", "-std=c++20", "-Wextra", "-fsyntax-only", f"-I{tmp_path / 'made'}"]
    told = subprocess.run(
        [*words, str(tmp_path / "program.cpp")], capture_output=True, text=True, check=False
    )
    assert "missing initializer for member" in told.stderr
    assert "weight" in told.stderr


def test_what_has_not_changed_is_not_written_again(list_: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    build(list_, made)
    for each in made.iterdir():
        os.utime(each, (1, 1))
    list_.write_text(LIST.replace("[gathered]\nfuse = false\n", ""))
    assert build(list_, made).returncode == 0
    assert not (made / "gathered.cpp").exists()
    assert (made / "gathered_in_tiles.cpp").stat().st_mtime == 1
    assert (made / "list.hpp").stat().st_mtime != 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[differences]", "'list.toml' [differences]: kernel 'differences' does not exist."
         " Did you mean 'difference'?"),
        ("[difference]\ntyle = 4", "'list.toml' [difference]: key 'tyle' does not exist; there"),
        ("[difference]\ntarget = 'numpy'", "'list.toml' [difference]: target 'numpy' is no code"),
        ("[difference]\ntarget = 'cuda'", "'list.toml' [difference]: target 'cuda' is no code"),
        ("[difference]\ntile = -1", "'list.toml' [difference]: tile = -1 is no number from 0 to"),
        ("difference = 1", "'list.toml' [difference] is no table with the keys of a configuration"),
        ("[difference", "'list.toml' cannot be read as TOML: "),
        ("[kernels]\n[gathered]", "'list.toml' [kernels]: [gathered] is there twice"),
        ("", "'list.toml' names no kernel; '[NAME]' in a line is one"),
        ("[difference]\nfuse = 'no'", "'list.toml' [difference]: fuse = 'no' is neither true nor"),
        ("[difference]\ntarget = 'serial'\nfunctions = 'vector'",
         "'list.toml' [difference]: functions = 'vector' goes with target openmp or simd"),
        *((f'["{name}"]\nkernel = "difference"', f"'list.toml' [{name}]: no function can be call")
          for name in ("my-slope", "class", "../slope", "", "exp", "1st", "main", "write")),
        *((f"[{name}]\nkernel = 'difference'\n[difference]",
           f"'list.toml' [{name}]: the code for [difference] has that name, too")
          for name in ("difference_arguments", "difference_source", "difference_tiles")),
        ("[difference_arguments]\nkernel = 'difference'",
         "'list.toml' [difference_arguments]: the code for its own kernel has that name, too"),
    ],
)  # fmt: skip
def test_a_list_that_makes_no_sense_is_refused(text: str, told: str, list_: Path) -> None:
    list_.write_text(text)
    result = build(list_, list_.parent / "made")
    assert result.returncode == 1
    assert result.stderr.startswith(told), result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (list_.parent / "made").exists()


def test_a_file_in_the_list_stands_for_all_of_its_kernels(list_: Path, tmp_path: Path) -> None:
    list_.write_text(
        "[kernels]\nfuse = false\n[gathered_in_tiles]\nkernel = 'gathered'\ntile = 2\n"
    )
    result = build(list_, made := tmp_path / "made")
    assert (result.returncode, result.stderr) == (0, "")
    names = sorted(each.name for each in made.iterdir())
    assert names == ["difference.cpp", "gathered.cpp", "gathered_in_tiles.cpp", "list.hpp"]


def test_a_list_with_no_kernels_beside_it_says_where_it_looked(list_: Path) -> None:
    other = list_.parent / "lists" / "list.toml"
    other.parent.mkdir()
    other.write_text("[difference]")
    result = build(other, list_.parent / "made")
    told = "kernel 'difference' does not exist; no file beside the list declares one ("
    assert told in result.stderr


ORDERED = """
#include <cstdio>
#include "list.hpp"
int main() {
  const std::int32_t edge_cells[]{0, 2, 2, 1, 1, 0};
  std::int32_t cells_order[3]{-1, -1, -1}, edges_order[3]{-1, -1, -1};
  difference_order({.cells = 3, .edges = 3, .levels = 1, .edge_cells = edge_cells, .t = nullptr,
                    .factor = 0.0, .slope = nullptr}, @);
  for (const auto each : cells_order) std::printf("%d ", each);
  for (const auto each : edges_order) std::printf("%d ", each);
}
"""


def test_the_header_has_the_order_of_points(
    list_: Path,
    link: Callable[[Sequence[str], Sequence[Path], Path], Path],
    tmp_path: Path,
) -> None:
    list_.write_text("[difference]\norder = 'curve'\n")
    made = tmp_path / "made"
    assert build(list_, made).returncode == 0
    orders = [
        f"{place.plural}_order"
        for place in load_file(tmp_path / "kernels.py")["difference"].ir.places()
    ]
    (tmp_path / "program.cpp").write_text(ORDERED.replace("@", ", ".join(orders)))
    sources = [made / "difference.cpp", tmp_path / "program.cpp"]
    program = link(["g++", "-std=c++20", "-Wall", "-Werror", "-fopenmp-simd"], sources, made)
    told = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    assert sorted(map(int, told[:3])) == sorted(map(int, told[3:])) == [0, 1, 2]


@pytest.mark.parametrize("way", ["tile = 8", "tile = 8\nfuse = false", "order = 'curve'"])
def test_a_model_calls_alike_where_there_are_no_tiles_and_no_orders(way: str, list_: Path) -> None:
    """On ranks, and where fusing leaves one sweep."""
    list_.write_text(f"[gathered]\n{way}\n")
    for target in ("simd", "mpi"):
        built.build(list_, list_.parent / target, target)
        text = (list_.parent / target / "list.hpp").read_text()
        assert ("gathered_tiles(const gathered_arguments&" in text) == ("tile" in way)
        assert ("inline void gathered_order(const gathered_arguments& of, " in text) == (
            "order" in way
        )


def test_two_kernels_of_one_name_are_refused(list_: Path) -> None:
    (list_.parent / "more.py").write_text(KERNELS)
    result = build(list_, list_.parent / "made")
    assert "has a kernel 'difference', too; call one of them otherwise" in result.stderr


def test_an_entry_is_no_argument_of_its_kernel(list_: Path) -> None:
    list_.write_text("[slope]\nkernel = 'difference'")
    result = build(list_, list_.parent / "made")
    assert "'list.toml' [slope]: kernels.py:6: the name 'slope' is taken" in result.stderr


def test_a_kernel_in_two_precisions_has_two_structs_of_arguments(
    list_: Path, tmp_path: Path
) -> None:
    more = '\n[difference_single]\nkernel = "difference"\nprecision = "single"\n'
    list_.write_text(LIST + more)
    assert build(list_, tmp_path / "made").returncode == 0
    (tmp_path / "program.cpp").write_text("""#include "list.hpp"
void both(difference_arguments& of, difference_single_arguments& of_single) {
  float slope = 0;
  of_single.slope = &slope;
  difference(of);
  difference_single(of_single);
}
""")
    words = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    words += [f"-I{tmp_path / 'made'}", str(tmp_path / "program.cpp")]
    told = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")


def test_grids_and_programs_beside_the_kernels_are_let_alone(list_: Path, tmp_path: Path) -> None:
    (tmp_path / "own_grid.py").write_text("from thalweg.dsl.grid import Place\n")
    (tmp_path / "plot.py").write_text("raise SystemExit('this was run')\n")
    result = build(list_, tmp_path / "made")
    assert (result.returncode, result.stderr) == (0, "")


def test_a_file_of_kernels_that_ends_the_program_is_refused(list_: Path, tmp_path: Path) -> None:
    with (tmp_path / "kernels.py").open("a") as file:
        file.write("raise SystemExit(0)\n")
    result = build_as_cmake(list_, tmp_path / "made")
    assert result.returncode == 1
    assert "kernels.py:19: Python cannot read this file" in result.stderr


def test_what_cannot_be_written_is_told(list_: Path) -> None:
    result = build(list_, list_)
    assert (result.returncode, len(result.stderr.splitlines())) == (1, 1)
    assert "cannot write" in result.stderr


def test_a_backslash_that_ends_a_comment_does_not_take_the_next_line(
    list_: Path, tmp_path: Path
) -> None:
    (tmp_path / "kernels.py").write_text(
        KERNELS.replace("'''Between the two cells of an edge.'''", "r'''One \\\\\n    two \\\\'''")
    )
    assert build(list_, tmp_path / "made").returncode == 0
    words = ["g++", "-std=c++20", "-Wall", "-Werror", "-Wno-unknown-pragmas", "-fsyntax-only"]
    (tmp_path / "program.cpp").write_text('#include "list.hpp"\n#include "difference.cpp"\n')
    words += [f"-I{tmp_path / 'made'}", str(tmp_path / "program.cpp")]
    told = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")


def test_a_file_of_kernels_may_have_any_letters_in_its_name(list_: Path, tmp_path: Path) -> None:
    odd = tmp_path / 'a"b\\nc.py'
    (tmp_path / "kernels.py").rename(odd)
    assert build(list_, tmp_path / "made").returncode == 0
    (tmp_path / "program.cpp").write_text("""#include <cstdio>
#include "list.hpp"
int main() { std::printf("%s", difference_source.file_name()); }
""")
    program = tmp_path / "program"
    words = ["g++", "-std=c++20", f"-I{tmp_path / 'made'}", f"{program}.cpp", "-o", str(program)]
    assert subprocess.run(words, capture_output=True, text=True, check=False).stderr == ""
    told = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert Path(told).name == odd.name
