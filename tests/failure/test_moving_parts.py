# SPDX-License-Identifier: Apache-2.0
"""A run is killed while one writer has moved the values of its part and another has not."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.testing.contents import content_of, difference, final_files
from thalweg.testing.ranked_run import kill_together, ranks_of

CASE = """
[grid]
name = "R2B2"
[model]
levels = 4
time_step = "PT5M"
[time]
duration = "PT5H"
[[output]]
name = "main"
interval = "PT5M"
file_interval = "PT12H"
variables = ["h", "vor"]
container = "cdf5"
[io]
mode = "file_parallel"
ranks = 2
[restart]
mode = "sync"
interval = "PT30M"
keep = 20
[machine]
ranks = 3
"""


def go_back(run: Path) -> None:
    """To the second hour."""
    for late in (run / "restart").iterdir():
        if late.name > "20000101T020000Z":
            shutil.rmtree(late)


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("container", ["cdf5", "netcdf4"])
def test_parts_that_are_cut_to_their_times_verify(
    container: str, cli: Callable[..., Any], tmp_path: Path
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE.replace("cdf5", container))
    assert cli("run", case, "--out", run).returncode == 0
    go_back(run)
    done = cli("run", case, "--out", run, "--continue", "--set", "time.duration=PT3H")
    assert done.returncode == 0, done.stderr
    verified = cli("verify", run)
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.some(2)
@pytest.mark.parametrize("held", [0, 1])
def test_parts_of_which_one_was_moved_are_gone_on_with(
    held: int,
    cli: Callable[..., Any],
    tmp_path: Path,
    use_slow_disk: Callable[..., Any],
    start_thalweg: Callable[..., Any],
) -> None:
    case, run, whole = tmp_path / "case.toml", tmp_path / "run", tmp_path / "whole"
    case.write_text(CASE)
    assert cli("run", case, "--out", run).returncode == 0
    shutil.copytree(run, whole)
    go_back(run)
    parts = sorted(path.name for path in (run / "files").glob("*.00?.nc"))
    assert len(parts) == 2
    words = ["--continue", "--set", "time.duration=PT3H"]  # the files have room for five hours
    held_names = {"HELD_FILE": f"{parts[held]}.fitted.part", "HELD_NAME": f"{parts[1 - held]}.part"}
    with use_slow_disk(**held_names):
        process = start_thalweg("run", case, "--out", run, *words)
    while process.poll() is None:
        if len(list((run / "files").glob("*.held"))) == 2:
            break
        time.sleep(0.004)
    assert process.poll() is None, process.communicate()
    kill_together(ranks_of(run).values())
    process.wait()
    for sign in (run / "files").glob("*.held"):
        sign.unlink()
    done = cli("run", case, "--out", run, "--continue")
    assert done.returncode == 0, done.stderr
    # Writers complete their files while compute ranks write the last checkpoint.
    assert re.search("continues at (9000|10800) s", done.stderr), done.stderr
    ones, others = final_files(whole), final_files(run)
    assert sorted(ones) == sorted(others)
    for name, file in ones.items():
        assert not difference(content_of(file), content_of(others[name])), name
    assert cli("verify", run).returncode == 0
