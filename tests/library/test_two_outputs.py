# SPDX-License-Identifier: Apache-2.0
"""Two outputs of one program in one directory begin at one time, that of a set that serves both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from thalweg.files.datasets import open_dataset

CHUNKS = 'layout = "chunked"\nfile_interval = "PT3H"'


@pytest.fixture(scope="module")
def two(installed: Any) -> Path:
    return Path(installed.program(Path(__file__).with_name("two_outputs.c")))


def hours_of(folder: Path, stream: str) -> list[float]:
    hours = []
    for file in sorted(folder.glob(f"{stream}_*Z.nc")):
        with open_dataset(file) as data:
            hours += [float(time) / 3600.0 for time in data["time"][:]]
    return hours


@pytest.mark.parametrize("keep", [1, 9])
def test_outputs_in_one_directory_go_on_from_the_same_checkpoint(
    keep: int, installed: Any, two: Path, tmp_path: Path
) -> None:
    words = [two, keep, "", 'mode = "serial"']
    died = installed.result(2, *words, 4, cwd=tmp_path)
    assert died.returncode == 3
    assert "first from -1 s, second from -1 s" in died.stdout
    again = installed.result(2, *words, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "first from 10800 s, second from 10800 s" in again.stdout
    assert "open and not defined" not in died.stderr + again.stderr
    sets = [each for each in (tmp_path / "restart").iterdir() if each.name[0].isdigit()]
    # The first output, which ends its definition late, removes none; it closes first.
    assert len(sets) == min(keep + (keep == 1), 7)
    for stream in ("behind", "ahead"):
        assert hours_of(tmp_path, stream) == list(range(7))


@pytest.mark.some(5)
@pytest.mark.parametrize("mode", ["file_parallel", "shared_file"])
@pytest.mark.parametrize("way", ["mpiio", "direct"])
@pytest.mark.parametrize("keep", [1, 3])
def test_outputs_of_different_modes_do_so_too(
    keep: int, way: str, mode: str, installed: Any, two: Path, tmp_path: Path
) -> None:
    """Whether a set counts is asked of each output in its own way: parts that were being changed
    by their writers are written anew, and what the other one had after that.
    """
    words = [two, keep, CHUNKS, f'mode = "{mode}"\nranks = 0\nway = "{way}"']
    died = installed.result(2, *words, 5, cwd=tmp_path)
    assert died.returncode == 3, died.stderr
    again = installed.result(2, *words, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    begin = 2 if (way, mode) == ("mpiio", "file_parallel") else 4
    assert f"first from {3600 * begin} s, second from {3600 * begin} s" in again.stdout
    assert "output times passed over" not in again.stderr
    for stream in ("behind", "ahead"):
        assert hours_of(tmp_path, stream) == list(range(7))
