# SPDX-License-Identifier: Apache-2.0
"""docs/language.md: its kernel is read, run and translated as the page says, in its order."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from thalweg.config.checkout import ROOT
from thalweg.dsl.expressions import FUNCTIONS
from thalweg.dsl.grid import Place
from thalweg.dsl.kernel_files import load_file

Cli = Callable[..., "CompletedProcess[str]"]
PAGE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
KERNEL, GRID = [code for language, code in BLOCKS if language == "python"]
(SAID,) = [code for language, code in BLOCKS if language == "text"]
(LINES,) = [code for language, code in BLOCKS if language == "cmake"]
(SETTINGS,) = [code for language, code in BLOCKS if language == "toml"]
COMMANDS = [
    line for language, code in BLOCKS if language == "sh" for line in code.splitlines() if line
]

MODEL = """#include <cstdio>
#include "list.hpp"

int main() {  // two cells, each the only neighbour of the other, and one of its own
  const std::int32_t neighbours[] = {1, 1, 1, 0, 0, 0, 2, 2, 2};
  const double before[] = {2, 4, 3.5};
  double after[3];
  smooth({.cells = 3, .levels = 1, .cell_neighbours = neighbours, .temperature = before,
          .strength = 0.25, .smoother = after});
  std::printf("%g %g %g\\n", after[0], after[1], after[2]);
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "smooth.py").write_text(KERNEL)
    (tmp_path / "kernel.toml").write_text(SETTINGS)
    return tmp_path


def test_every_block_is_used() -> None:
    assert {language for language, _ in BLOCKS} == {"cmake", "python", "sh", "text", "toml"}
    assert PAGE.count("```") == 2 * len(BLOCKS)
    assert all(f"`{name}" in PAGE or f"{name}(" in PAGE for name in FUNCTIONS)


@pytest.mark.parametrize("command", COMMANDS)
def test_its_commands_run(command: str, folder: Path, cli: Cli) -> None:
    program, *words = shlex.split(command)
    assert program == "thalweg"
    result = cli(*words, cwd=folder)
    assert result.returncode == 0, result.stderr
    if "run" in words:
        assert "+diff[smoother] relative=0.000e+00" in result.stdout
    if "-o" in words:
        written = (folder / words[-1]).read_text()
        assert 'extern "C" void smooth(' in written or "subroutine smooth(" in written


def test_a_model_of_its_kernel_is_built(folder: Path) -> None:
    head = "cmake_minimum_required(VERSION 3.22)\nproject(mine LANGUAGES CXX)\n"
    package, _, rest = LINES.strip().partition("\n")  # tests/library has it installed
    assert package.startswith("find_package(thalweg 0.1 REQUIRED) ")
    included = package.partition("# or ")[2].partition(" of ")[0].replace("THALWEG/", f"{ROOT}/")
    rest = rest.replace("target_link", "add_executable(my_model model.cpp)\ntarget_link")
    lines = f"{included}\n{rest}\n"
    (folder / "CMakeLists.txt").write_text(head + lines)
    (folder / "list.toml").write_text("[smooth]\n")
    (folder / "model.cpp").write_text(MODEL)
    for words in (["-S", str(folder), "-B", str(folder / "b")], ["--build", str(folder / "b")]):
        made = subprocess.run(["cmake", *words], capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stdout + made.stderr
    told = subprocess.run([folder / "b" / "my_model"], capture_output=True, text=True, check=True)
    assert told.stdout == "2.5 3.5 3.5\n"


def test_what_is_refused_is_said_so(folder: Path, cli: Cli) -> None:
    wrong = KERNEL.replace('strength: Parameter["1"]', 'strength: Parameter["s"]')
    head, _, _ = wrong.partition("    mean =")
    (folder / "wrong.py").write_text(head + "    smoother = temperature * strength\n")
    result = cli("translate", "wrong.py", cwd=folder)
    assert result.returncode == 2
    assert result.stderr == f"thalweg: error: {SAID}"


def test_its_grid_is_one(tmp_path: Path) -> None:
    names: dict[str, object] = {}
    exec(GRID, names)
    point = names["Point"]
    assert isinstance(point, Place)
    assert point.neighbours.names == ("east", "north", "west", "south")
    use = (
        "from thalweg.dsl import Field, Out, kernel\n"
        + GRID
        + (
            "@kernel\ndef turn(a: Field[Point, Level], b: Out[Point, Level]) -> None:\n"
            "    b = a[Point.neighbours.east] - a[Point.neighbours.west]\n"
        )
    )
    (tmp_path / "turn.py").write_text(use)
    assert load_file(tmp_path / "turn.py")["turn"].ir.least_levels == 1
