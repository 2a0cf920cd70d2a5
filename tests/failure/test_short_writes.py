# SPDX-License-Identifier: Apache-2.0
"""A disk takes only half of a write by MPI-IO, and no call fails: such a file is not complete."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from thalweg.testing.contents import content_of, difference, final_files
from thalweg.testing.ranked_run import RankedRun

CASE = """
[grid]
name = "R2B2"
[model]
case = "jet"
levels = 30
[time]
duration = "PT1H"
[[output]]
name = "out"
interval = "PT1H"
file_interval = "PT1H"
container = "{}"
[io]
mode = "shared_file"
way = "mpiio"
ranks = 1
timeout = 60
[machine]
ranks = 2
"""


@pytest.mark.some(6, 3)
@pytest.mark.parametrize("container", ["cdf5", "netcdf4"])
@pytest.mark.parametrize("algorithm", ["two_phase", "dynamic_gen2", "vulcan"])
def test_what_a_disk_took_in_part_is_refused_or_there(
    container: str,
    algorithm: str,
    tmp_path: Path,
    model: Path,
    use_slow_disk: Callable[..., AbstractContextManager[None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case, whole = tmp_path / "case.toml", tmp_path / "whole"
    case.write_text(CASE.format(container))
    monkeypatch.setenv("OMPI_MCA_fcoll", algorithm)
    monkeypatch.setenv("OMPI_MCA_io_ompio_bytes_per_agg", "65536")  # many writes
    run = RankedRun.start(case, whole, [])
    assert run.wait()[0] == 0, run.errors()
    refused = 0
    for number in (2, 4):
        directory = tmp_path / f"short_{number}"
        with use_slow_disk(SHORT_WRITE=number):
            run = RankedRun.start(case, directory, [])
        code, _ = run.wait()
        if code != 0:
            assert "told nobody: the disk took only part of a write" in run.errors()
            refused += 1
        for name, file in final_files(directory).items():
            assert not difference(content_of(final_files(whole)[name]), content_of(file)), number
    assert refused > 0 or algorithm == "vulcan", "vulcan writes the rest itself"
