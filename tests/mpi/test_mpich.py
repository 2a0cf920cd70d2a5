# SPDX-License-Identifier: Apache-2.0
"""With MPICH, and netCDF and HDF5 without MPI, the direct path passes the same tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT
from thalweg.files.streams import read_streams
from thalweg.testing.model_fields import fields_of_all
from thalweg.verify.differences import compare_streams

PROGRAMS = ROOT / "build/mpich/bin"
NEEDED = ["mpicc.mpich", "mpicxx.mpich", "mpifort.mpich", "mpiexec.mpich"]
pytestmark = [
    pytest.mark.slow,  # a whole build and the unit tests on 1 to 4 ranks
    pytest.mark.skipif(any(not shutil.which(name) for name in NEEDED), reason="no MPICH here"),
]
Call = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def built() -> None:
    """With its unit tests passed."""
    command = ["cmake", "--workflow", "--preset", "mpich"]
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=7200, check=False
    )
    assert result.returncode == 0, result.stdout[-5000:] + result.stderr


@pytest.fixture
def call(built: None, tmp_path: Path) -> Call:
    """Runs Python with these words where MPI, its compilers and our programs are MPICH's."""
    folder = tmp_path / "mpich"
    folder.mkdir()
    names = {name.partition(".")[0]: name for name in NEEDED}
    others = {"mpirun": "mpiexec.mpich", "mpif90": "mpifort.mpich"}  # CMake looks for mpif90 first
    for name, program in {**names, **others}.items():
        # No link: mpiexec looks for its helper beside the name it was called by.
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {shutil.which(program)} "$@"\n')
        script.chmod(0o755)

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": f"{folder}:{os.environ['PATH']}", "THALWEG_BIN": str(PROGRAMS)}
        return subprocess.run(
            [sys.executable, "-m", *map(str, words)], cwd=ROOT, capture_output=True, text=True,
            timeout=1800, check=False, env={**os.environ, **environment},
        )  # fmt: skip

    return run


def test_unit_tests_pass_on_1_to_4_ranks(built: None) -> None:
    """And the programs are MPICH's."""
    libraries = subprocess.run(
        ["ldd", str(PROGRAMS / "thalweg_mini")], capture_output=True, text=True, check=True
    ).stdout
    assert "libmpich" in libraries
    assert not any(name in libraries for name in ("openmpi", "netcdf_mpi", "pnetcdf"))


@pytest.mark.parametrize("settings", [["io.mode=async"], ["io.mode=shared_file"]])
def test_both_mpis_write_the_same_bits(
    call: Call, small_case: Path, small_run: Path, tmp_path: Path, settings: list[str]
) -> None:
    words = [word for each in settings for word in ("--set", each)]
    result = call("thalweg", "run", small_case, "--out", tmp_path / "run", *words)
    assert result.returncode == 0, result.stderr
    differences, compared = compare_streams(read_streams(tmp_path / "run"), read_streams(small_run))
    assert not differences
    assert compared == len(fields_of_all()) + len(fields_of_all(2))


@pytest.mark.parametrize("folder", ["tests/mpi", "tests/library"])
def test_the_tests_of_the_direct_path_pass(call: Call, folder: str) -> None:
    result = call("pytest", "-q", folder)
    assert result.returncode == 0, result.stdout[-5000:]
    assert " passed" in result.stdout


def test_the_way_by_mpi_io_is_refused_with_one_sentence(
    call: Call, small_case: Path, tmp_path: Path
) -> None:
    words = ["--set", "io.way=mpiio", "--set", "io.mode=shared_file"]
    result = call("thalweg", "run", small_case, "--out", tmp_path / "run", *words)
    assert result.returncode == 2
    assert result.stderr.strip().endswith(
        'small.toml [io]: way = "mpiio" is not there, because Thalweg was built without parallel '
        'netCDF; choose way = "direct"'
    )
    assert not (tmp_path / "run").exists()
