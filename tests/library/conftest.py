# SPDX-License-Identifier: Apache-2.0
"""The library as others see it: installed in a folder of its own, programs built against that."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT, binary_directory, build
from thalweg.run.launch import mpirun_command, mpirun_environment

EXAMPLES = ROOT / "examples/library"


def result_of(
    *words: object, cwd: Path, timeout: float = 300.0, **more: str
) -> subprocess.CompletedProcess[str]:
    environment = {**mpirun_environment(), **more}
    # As on a machine of somebody else: no settings of ours.
    for name in ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER"):
        environment.pop(name, None)
    return subprocess.run(
        [str(word) for word in words], cwd=cwd, env=environment, capture_output=True, text=True,
        timeout=timeout, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def run_well(*words: object, cwd: Path, timeout: float = 300.0, **more: str) -> str:
    """Standard output of a command that must end well."""
    result = result_of(*words, cwd=cwd, timeout=timeout, **more)
    told = f"{' '.join(map(str, words))}\n{result.stdout}\n{result.stderr}"
    assert result.returncode == 0, told
    return result.stdout


@pytest.fixture(scope="session")
def must() -> Callable[..., str]:
    return run_well


@dataclass(frozen=True)
class Installed:
    """The prefix of an installed library."""

    prefix: Path

    @property
    def libraries(self) -> Path:
        return next(self.prefix.rglob("libthalweg.so")).parent

    def flags(self, package: str) -> list[str]:
        """What pkg-config says about a package."""
        path = str(self.libraries / "pkgconfig")
        command = ("pkg-config", "--cflags", "--libs", package)
        return run_well(*command, cwd=self.prefix, PKG_CONFIG_PATH=path).split()

    def compile(self, compiler: str, source: Path, package: str, program: Path) -> Path:
        """With an MPI wrapper and pkg-config, as in a makefile."""
        words = [compiler, "-O1", "-Wall", "-Wextra"]
        if source.suffix != ".f90":  # gfortran 11 suspects arrays allocated by assignment
            words.append("-Werror")
        if source.suffix == ".cpp":  # Open MPI's own header casts between function types
            words += ["-std=c++20", "-Wno-cast-function-type"]
        run_well(*words, source, *self.flags(package), "-o", program, cwd=program.parent)
        return program

    def result(
        self, ranks: int, program: Path, *words: object, cwd: Path, under: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        """`under`: a command that runs the command that follows it."""
        command = mpirun_command(ranks, [str(program), *map(str, words)])
        return result_of(*under, *command, cwd=cwd, LD_LIBRARY_PATH=str(self.libraries))

    def assert_fortran_ends(self, ranks: int, source: Path, sentence: str, cwd: Path) -> None:
        """A Fortran program that does something wrong ends with code 2 and this sentence."""
        program = self.compile("mpifort", source, "thalweg_fortran", cwd / source.stem)
        result = self.result(ranks, program, cwd=cwd)
        assert result.returncode == 2, result.stderr
        assert sentence in result.stderr

    def run(self, ranks: int, program: Path, *words: object, cwd: Path) -> str:
        result = self.result(ranks, program, *words, cwd=cwd)
        assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
        return result.stdout


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Moved after it was installed: nothing in it may remember where it was."""
    if not os.environ.get("THALWEG_BIN"):
        build("thalweg_installed")
    first = tmp_path_factory.mktemp("installed") / "first"
    run_well("cmake", "--install", binary_directory().parent, "--prefix", first, cwd=ROOT)
    last = first.with_name("last")
    shutil.move(first, last)
    return Installed(last)


@pytest.fixture(scope="session")
def by_cmake(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the examples, copied out of the checkout and built with CMake."""
    folder = tmp_path_factory.mktemp("by_cmake")
    shutil.copytree(EXAMPLES, folder / "source")
    prefix = f"-DCMAKE_PREFIX_PATH={installed.prefix}"
    run_well("cmake", "-S", folder / "source", "-B", folder / "build", prefix, cwd=folder)
    run_well("cmake", "--build", folder / "build", cwd=folder)
    return folder / "build"


@pytest.fixture(scope="session")
def by_pkg_config(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the examples, built with compiler wrappers and pkg-config."""
    folder = tmp_path_factory.mktemp("by_pkg_config")
    ways = {".c": ("mpicc", ""), ".cpp": ("mpicxx", ""), ".f90": ("mpifort", "_fortran")}
    for source in sorted(EXAMPLES.glob("*.*")):
        if source.suffix in ways:
            compiler, suffix = ways[source.suffix]
            program = folder / f"{source.stem}_{source.suffix[1:]}"
            installed.compile(compiler, source, f"thalweg{suffix}", program)
    return folder


@pytest.fixture(params=["by_cmake", "by_pkg_config"])
def programs(request: pytest.FixtureRequest) -> Path:
    """The examples, built each way."""
    return Path(request.getfixturevalue(request.param))
