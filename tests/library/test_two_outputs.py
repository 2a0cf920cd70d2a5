# SPDX-License-Identifier: Apache-2.0
"""Two outputs of one program in one directory begin at one time, that of a set that serves both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from thalweg.files.datasets import open_dataset


@pytest.mark.parametrize("keep", [1, 9])
def test_outputs_in_one_directory_go_on_from_the_same_checkpoint(
    keep: int, installed: Any, tmp_path_factory: Any, tmp_path: Path
) -> None:
    source = Path(__file__).with_name("two_outputs.c")
    program = tmp_path_factory.mktemp("two") / "two_outputs"
    model = installed.compile("mpicc", source, "thalweg", program)
    died = installed.result(2, model, keep, 4, cwd=tmp_path)
    assert died.returncode == 3
    assert "first from -1 s, second from -1 s" in died.stdout
    again = installed.result(2, model, keep, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "first from 10800 s, second from 10800 s" in again.stdout
    sets = [each for each in (tmp_path / "restart").iterdir() if each.name[0].isdigit()]
    # The first output, which ends its definition late, removes none; it closes first.
    assert len(sets) == min(keep + (keep == 1), 7)
    for stream in ("behind", "ahead"):
        (file,) = tmp_path.glob(f"{stream}_*.nc")
        with open_dataset(file) as data:
            assert [float(time) for time in data["time"][:]] == [3600.0 * h for h in range(7)]
