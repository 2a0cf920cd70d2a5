# SPDX-License-Identifier: Apache-2.0
"""C++ outputs: after MPI, two at a time, from threads, with the claim of a grid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

POINTS, FIELDS = 100, 8
FUNNELED, MULTIPLE = 0, 1


@pytest.fixture(scope="session")
def lifetimes(installed: Any) -> Path:
    program: Path = installed.program(Path(__file__).with_name("lifetimes.cpp"))
    return program


def check_file(folder: Path, name: str) -> None:
    with netCDF4.Dataset(folder / f"{name}_20000101T000000Z.nc") as file:
        for field in range(FIELDS):
            np.testing.assert_array_equal(file[f"f{field}"][0], np.arange(POINTS))


def test_a_closed_output_may_be_destroyed_after_mpi_finalize(
    installed: Any, lifetimes: Path, tmp_path: Path
) -> None:
    installed.run(3, lifetimes, "outlives", "async", cwd=tmp_path)
    check_file(tmp_path, "kept")


def test_two_outputs_on_one_communicator_write_at_a_time(
    installed: Any, lifetimes: Path, tmp_path: Path
) -> None:
    modes = ["serial", "shared_file", "file_parallel"]
    installed.run(3, lifetimes, "two", " ".join(modes), cwd=tmp_path)
    for mode in modes:
        check_file(tmp_path, f"one_{mode}")
        check_file(tmp_path, f"two_{mode}")


def test_two_outputs_with_io_ranks_are_refused(
    installed: Any, lifetimes: Path, tmp_path: Path
) -> None:
    result = installed.result(3, lifetimes, "two served", "async", cwd=tmp_path)
    assert result.returncode == 2
    sentence = "an output with I/O or restart ranks must be the only one that is open"
    assert result.stderr.count(sentence) == 3, result.stderr


@pytest.mark.some(2)
@pytest.mark.parametrize("mode", ["serial", "async", "shared_file"])
def test_an_output_that_one_rank_leaves_without_close_ends_on_all_others(
    installed: Any, lifetimes: Path, tmp_path: Path, mode: str
) -> None:
    result = installed.result(3, lifetimes, "left", mode, cwd=tmp_path)
    assert result.returncode == 2, result.stderr
    sentence = "compute rank 1: it was left before the output was closed; close it on every rank"
    assert result.stderr.count(sentence) == 2, result.stderr


@pytest.mark.some(3, 1)
@pytest.mark.parametrize("mode", ["serial", "async", "shared_file"])
def test_threads_that_put_before_the_end_of_definition_end_it_once(
    installed: Any, tmp_path: Path, mode: str
) -> None:
    program = installed.program(Path(__file__).with_name("threads.c"))
    ranks = 1 if mode == "async" else 0
    settings = f'[io]\nmode = "{mode}"\nranks = {ranks}\n[time]\nduration = "PT30M"\n'
    streams = [f"stream{number}" for number in range(4)]
    for name in streams:
        settings += f'[[output]]\nname = "{name}"\nvariables = ["f0"]\ninterval = "PT1H"\n'
    settings += '[[output]]\nname = "threads"\ninterval = "PT1H"\n'
    installed.run(3, program, settings, cwd=tmp_path)
    check_file(tmp_path, "threads")
    for name in streams:
        assert (tmp_path / f"{name}_20000101T000000Z.nc").exists()


def test_threads_put_at_a_time_where_mpi_allows_it(
    installed: Any, lifetimes: Path, tmp_path: Path
) -> None:
    modes = ["serial", "async", "shared_file"]
    installed.run(3, lifetimes, "threads", " ".join(modes), MULTIPLE, cwd=tmp_path)
    for mode in modes:
        check_file(tmp_path, f"threads_{mode}")


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("mode", ["serial", "async"])
def test_threads_are_refused_where_mpi_does_not(
    installed: Any, lifetimes: Path, tmp_path: Path, mode: str
) -> None:
    result = installed.result(3, lifetimes, "threads", mode, FUNNELED, cwd=tmp_path)
    assert result.returncode == 2, result.stderr
    assert "put: a thread other than the one that initialised MPI called Thalweg" in result.stderr


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("grid", "sentence"),
    [
        ("R2B4", "grid = \"R2B4\" has 20480 points of place 'cell', but 100 were defined"),
        ("R1B1", "has 80 points of place 'cell', but 100 were defined"),
    ],
)
def test_a_grid_of_another_size_is_refused(
    installed: Any, lifetimes: Path, tmp_path: Path, grid: str, sentence: str
) -> None:
    result = installed.result(2, lifetimes, "grid", "serial", grid, cwd=tmp_path)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_model_that_forgets_close_keeps_its_own_files(installed: Any, tmp_path: Path) -> None:
    sentence = "MPI_Finalize was called before the output was closed"
    installed.assert_fortran_ends(2, Path(__file__).with_name("unclosed.f90"), sentence, tmp_path)
    for rank in (0, 1):
        assert (tmp_path / f"own_{rank}.txt").read_text() == "what the model says itself\n"
