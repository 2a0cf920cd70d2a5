# SPDX-License-Identifier: Apache-2.0
"""The library as others see it: installed in a folder of its own, programs built against that."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT, binary_directory, build
from thalweg.kernels.made_for import made_for
from thalweg.run.launch import mpirun_command, mpirun_environment

EXAMPLES = ROOT / "examples/library"
COMPILERS = {".c": "mpicc", ".cpp": "mpicxx", ".f90": "mpifort"}
PACKAGES = {".c": "thalweg", ".cpp": "thalweg", ".f90": "thalweg_fortran"}


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
    """The prefix of an installed library, and where programs of the tests before are."""

    prefix: Path
    kept: Path

    @property
    def libraries(self) -> Path:
        return next(self.prefix.rglob("libthalweg.so")).parent

    def flags(self, package: str) -> list[str]:
        """What pkg-config says about a package."""
        path = str(self.libraries / "pkgconfig")
        command = ("pkg-config", "--cflags", "--libs", package)
        return run_well(*command, cwd=self.prefix, PKG_CONFIG_PATH=path).split()

    def compile(self, source: Path, program: Path) -> Path:
        """With an MPI wrapper and pkg-config, as in a makefile; what is small needs no -O."""
        words = [COMPILERS[source.suffix], "-O0", "-Wall", "-Wextra"]
        if source.suffix != ".f90":  # gfortran 11 suspects arrays allocated by assignment
            words.append("-Werror")
        if source.suffix == ".cpp":  # Open MPI's own header casts between function types
            words += ["-std=c++20", "-Wno-cast-function-type"]
        flags = self.flags(PACKAGES[source.suffix])
        run_well(*words, source, *flags, "-o", program, cwd=program.parent)
        return program

    def program(self, source: Path) -> Path:
        """Of a source that no test changes: compiled by the first test that needs it, unless all
        that a compiler reads is that of before, the installed headers too.
        """
        program = self.kept / f"library-{source.stem}_{source.suffix[1:]}-{self.mark(source)}"
        if not program.is_file():
            folder = self.prefix.with_name("programs")  # where modules of Fortran go as well
            folder.mkdir(exist_ok=True)
            made = self.compile(source, folder / program.name)
            aside = program.with_suffix(f".{os.getpid()}.part")  # two may make it at a time
            shutil.copy2(made, aside)
            aside.replace(program)
        return program

    def mark(self, source: Path) -> str:
        """Of what a compiler reads with `source`: the library is another file when it runs."""
        compiler = made_for((COMPILERS[source.suffix],), False)
        flags = [word.replace(str(self.prefix), "") for word in self.flags(PACKAGES[source.suffix])]
        here = Path(__file__).read_text(encoding="utf-8")  # has the other words of the command
        mark = hashlib.sha256("\0".join((compiler, *flags, here)).encode())
        beside = [source, *source.parent.glob("*.h")]
        for each in sorted({*beside, *self.prefix.rglob("*.h*"), *self.prefix.rglob("*.mod")}):
            mark.update(f"\0{each.name}\0".encode() + each.read_bytes())
        return mark.hexdigest()[:16]

    def result(
        self, ranks: int, program: Path, *words: object, cwd: Path, under: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        """`under`: a command that runs the command that follows it."""
        command = mpirun_command(ranks, [str(program), *map(str, words)])
        return result_of(*under, *command, cwd=cwd, LD_LIBRARY_PATH=str(self.libraries))

    def assert_fortran_ends(
        self, ranks: int, source: Path, sentence: str, cwd: Path, *words: object
    ) -> None:
        """A Fortran program that does something wrong ends with code 2 and this sentence."""
        result = self.result(ranks, self.program(source), *words, cwd=cwd)
        assert result.returncode == 2, result.stderr
        assert sentence in result.stderr

    def run(self, ranks: int, program: Path, *words: object, cwd: Path) -> str:
        result = self.result(ranks, program, *words, cwd=cwd)
        assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
        return result.stdout


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, compiled: Path) -> Installed:
    """Moved after it was installed: nothing in it may remember where it was."""
    if not os.environ.get("THALWEG_BIN"):
        build("thalweg_installed")
    first = tmp_path_factory.mktemp("installed") / "first"
    run_well("cmake", "--install", binary_directory().parent, "--prefix", first, cwd=ROOT)
    last = first.with_name("last")
    shutil.move(first, last)
    return Installed(last, compiled)


# A program of the examples by its name in their CMakeLists.txt, built when it is asked for.
Programs = Callable[[str], Path]


@pytest.fixture(scope="session")
def by_cmake(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """The examples, copied out of the checkout and built with CMake."""
    folder = tmp_path_factory.mktemp("by_cmake")
    shutil.copytree(EXAMPLES, folder / "source")
    prefix = f"-DCMAKE_PREFIX_PATH={installed.prefix}"
    run_well("cmake", "-S", folder / "source", "-B", folder / "build", prefix, cwd=folder)

    def build_one(name: str) -> Path:
        run_well("cmake", "--build", folder / "build", "--target", name, cwd=folder)
        return folder / "build" / name

    return build_one


@pytest.fixture(scope="session")
def by_pkg_config(installed: Installed) -> Programs:
    """The examples, built with compiler wrappers and pkg-config."""

    def build_one(name: str) -> Path:
        stem, _, language = name.rpartition("_")
        return installed.program(EXAMPLES / f"{stem}.{language}")

    return build_one


@pytest.fixture(params=["by_cmake", "by_pkg_config"])
def programs(request: pytest.FixtureRequest) -> Programs:
    """The examples, built each way."""
    way: Programs = request.getfixturevalue(request.param)
    return way
