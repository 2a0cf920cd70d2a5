# SPDX-License-Identifier: Apache-2.0
"""A build translates the mini-model's kernels, and says what it lacks for that."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_without_numpy_the_build_says_so_and_the_library_alone_needs_none(
    library_alone: Any,
) -> None:
    told = " ".join(library_alone.refused.split())
    assert "translated by a Python with NumPy, and none was found" in told
    assert "-DTHALWEG_MINI=OFF" in told
    targets = (library_alone.folder / "build.ninja").read_text()
    assert "libthalweg.so" in targets
    assert "thalweg_mini" not in targets


WORDS = "after the list come THREADS, RANKS, FORTRAN, DEVICE, WAITS, ALONE, or ON and a target"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "kernel 'no_such_kernel' does not exist"),
        ("ON mpi", "kernel 'no_such_kernel' does not exist"),
        ("ON", WORDS),
        ('ON ""', WORDS),
        ("ON serial DEVICE", "DEVICE goes with ON cuda"),
        ("ON cuda WAITS", "WAITS goes with DEVICE"),
        ("RANK", WORDS),
    ],
)
def test_what_is_wrong_stops_the_configuration_with_its_own_words(
    words: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / "model_kernels.toml").write_text("[no_such_kernel]\n")
    script = tmp_path / "try.cmake"
    included = ROOT / "tools" / "cmake" / "translate_kernels.cmake"
    script.write_text(f"include({included})\ntranslate_kernels(tried ${{LIST}} {words})\n")
    command = ["cmake", f"-DCMAKE_SOURCE_DIR={ROOT}", f"-DCMAKE_BINARY_DIR={tmp_path}"]
    command += [f"-DLIST={tmp_path / 'model_kernels.toml'}", "-P", str(script)]
    made = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert made.returncode != 0
    assert told in " ".join(made.stderr.split())


GRID = """from thalweg.dsl.grid import Place
Point = Place("point", "points")
Point.relate("beside", Point, ("next", "last"), ring=True)
"""
KERNELS = """from thalweg.dsl import Field, Out, kernel
from own_grid import Point


@kernel
def smooth(t: Field[Point], smoother: Out[Point]) -> None:
    smoother = 2 * t[Point.beside.next]
"""
PROJECT = f"""cmake_minimum_required(VERSION 3.22)
project(own LANGUAGES CXX)
include({ROOT}/tools/cmake/translate_kernels.cmake)
translate_kernels(first list.toml)
translate_kernels(second "other räume/list.toml")
"""


def cmake(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["cmake", *words], capture_output=True, text=True, timeout=300, check=False
    )


def make_project(parent: Path) -> Path:
    """Of a group of its own: two lists with one name, a grid and a program beside the kernels."""
    for folder in (parent / "own", parent / "own" / "other räume"):
        folder.mkdir()
        (folder / "own_grid.py").write_text(GRID)
        (folder / "kernels.py").write_text(KERNELS)
        (folder / "plot.py").write_text("raise SystemExit('this was run')\n")
        (folder / "list.toml").write_text("[smooth]\n")
    (parent / "own" / "CMakeLists.txt").write_text(PROJECT)
    return parent / "own"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A project that is configured in its folder `build`, and what CMake said."""
    project = make_project(tmp_path_factory.mktemp("configured"))
    made = cmake("-S", str(project), "-B", str(project / "build"), "-G", "Ninja")
    assert made.returncode == 0, made.stderr
    return project, made.stderr


def test_a_project_of_ones_own_has_two_lists_of_one_name(project: Path) -> None:
    other = project / "other räume"
    (other / "kernels.py").write_text(KERNELS.replace("smooth", "rough"))
    (other / "list.toml").write_text("[roughed]\nkernel = 'rough'\n")
    build = project / "build"
    made = cmake("-S", str(project), "-B", str(build))
    assert (made.returncode, made.stderr) == (0, "")
    made = cmake("--build", str(build))
    assert made.returncode == 0, made.stdout + made.stderr
    for library, name in (("first", "smooth"), ("second", "roughed")):
        told = subprocess.run(
            ["nm", str(build / f"lib{library}.a")], capture_output=True, text=True, check=True
        )
        assert f" T {name}\n" in told.stdout


def test_only_the_folder_of_the_list_is_looked_at_and_a_changed_kernel_is_translated(
    configured: tuple[Path, str],
) -> None:
    project, _ = configured
    build = project / "build"
    globs = (build / "CMakeFiles" / "VerifyGlobs.cmake").read_text()
    looked_at = [
        line.split('"')[1].replace("//", "/") for line in globs.splitlines() if "file(GLOB" in line
    ]
    assert set(looked_at) == {
        f"{project}/*.py", f"{project}/other räume/*.py", f"{ROOT}/python/thalweg/dsl/*.py"
    }  # fmt: skip
    (project / "kernels.py").write_text(KERNELS.replace("2 * t", "3 * t"))
    cmake("--build", str(build), "--target", "build.ninja")
    assert "3.0 * t" in (build / "generated" / "first" / "smooth.cpp").read_text()


def test_a_project_without_a_mini_model_is_not_told_to_leave_it_out(project: Path) -> None:
    refused = cmake("-S", str(project), "-B", str(project / "b"), "-DTHALWEG_PYTHON=/no/python")
    told = " ".join(refused.stderr.split())
    assert "none was found (tried: /no/python; 3.10 wants tomli, too); install python3" in told
    assert "MINI" not in told


def test_a_constant_in_a_folder_beside_the_kernels_is_read_again(project: Path) -> None:
    (project / "physics").mkdir()
    (project / "physics" / "__init__.py").write_text("")
    (project / "physics" / "numbers.py").write_text("TWICE = 2\n")
    text = KERNELS.replace("from own_grid", "from physics.numbers import TWICE\nfrom own_grid")
    (project / "kernels.py").write_text(text.replace("2 * t", "TWICE * t"))
    build = project / "build"
    made = cmake("-S", str(project), "-B", str(build), "-G", "Ninja")
    assert made.returncode == 0, made.stderr
    (project / "physics" / "numbers.py").write_text("TWICE = 7\n")
    cmake("--build", str(build), "--target", "build.ninja")
    assert "7.0 * t" in (build / "generated" / "first" / "smooth.cpp").read_text()


def test_threads_are_not_left_out_without_a_word(project: Path) -> None:
    (project / "list.toml").write_text("[smooth]\ntarget = 'openmp'\n")
    alone = PROJECT.partition("translate_kernels(second")[0]
    (project / "CMakeLists.txt").write_text(alone)
    words = ["-S", str(project), "-B", str(project / "b"), "-G", "Ninja"]
    refused = cmake(*words)
    assert refused.returncode != 0
    assert "translate_kernels(first list.toml THREADS)" in " ".join(refused.stderr.split())
    both = "[smooth]\ntarget = 'mpi'\neach_rank = 'openmp'\n"
    (project / "list.toml").write_text(both)
    refused = cmake(*words)
    assert "translate_kernels(first list.toml THREADS RANKS)" in " ".join(refused.stderr.split())
    (project / "list.toml").write_text("[smooth]\ntarget = 'openmp'\n")
    text = alone.replace("first list.toml", "first list.toml THREADS")
    (project / "CMakeLists.txt").write_text(text)
    made = cmake(*words)
    assert made.returncode == 0, made.stderr


def test_one_name_in_two_lists_is_warned_of(configured: tuple[Path, str]) -> None:
    told = " ".join(configured[1].split())
    assert "'smooth' is a function of first and of second: a program linked with both" in told
