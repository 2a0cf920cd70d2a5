# SPDX-License-Identifier: Apache-2.0
"""Parts that writers change by themselves are gone on with only where they are complete."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.testing.contents import content_of, difference, final_files

CASE = """
[grid]
name = "R2B1"
[model]
levels = 2
[time]
duration = "PT6H"
[[output]]
name = "main"
interval = "PT30M"
file_interval = "PT2H"
layout = "chunked"
[io]
mode = "file_parallel"
way = "mpiio"
ranks = 2
[restart]
mode = "sync"
interval = "PT90M"
keep = 5
[machine]
ranks = 4
"""


def forget_that_it_is_complete(journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    assert lines.pop().startswith(b'{"closed":true')
    journal.write_bytes(b"".join(lines))


def leave_unfinished(run: Path, hour: int) -> None:
    """As a kill before the end of the file does: all its times are in the journal."""
    name = f"main_20000101T{hour:02d}0000Z"
    forget_that_it_is_complete(run / f"journal/{name}.nc.jsonl")
    parts = sorted((run / "files").glob(f"{name}.*"))
    assert len(parts) == 3  # of two writers, and the index
    for part in parts:
        part.rename(f"{part}.part")


@pytest.fixture(scope="module")
def five_hours(tmp_path_factory: pytest.TempPathFactory, cli: Callable[..., Any]) -> Path:
    """A run of CASE that ended before, to be copied."""
    case = tmp_path_factory.mktemp("five_hours") / "case.toml"
    case.write_text(CASE)
    run = case.with_name("run")
    assert cli("run", case, "--out", run, "--set", "time.duration=PT5H").returncode == 0
    return run


def test_parts_of_two_writers_are_written_anew_unless_they_are_complete(
    cli: Callable[..., Any], five_hours: Path, tmp_path: Path
) -> None:
    case, whole = tmp_path / "case.toml", tmp_path / "whole"
    case.write_text(CASE)
    assert cli("run", case, "--out", whole).returncode == 0
    for hours, begins in (((4,), "10800 s"), ((2, 4), "5400 s")):
        run = tmp_path / f"run{hours[0]}"
        shutil.copytree(five_hours, run)
        for hour in hours:
            leave_unfinished(run, hour)
        done = cli("run", case, "--out", run, "--continue")
        assert done.returncode == 0, done.stderr
        assert f"continues at {begins} from" in done.stderr
        ones, others = final_files(whole), final_files(run)
        assert sorted(ones) == sorted(others)
        for name, file in ones.items():
            assert not difference(content_of(file), content_of(others[name])), name


def test_an_unfinished_file_before_complete_ones_is_refused(
    cli: Callable[..., Any], five_hours: Path, tmp_path: Path
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    shutil.copytree(five_hours, run)
    leave_unfinished(run, 2)
    before = {path: path.read_bytes() for path in sorted(run.rglob("files/*"))}
    refused = cli("run", case, "--out", run, "--continue")
    assert refused.returncode == 2, refused.stderr
    assert "main_20000101T020000Z.nc' was being changed by HDF5" in refused.stderr
    assert {path: path.read_bytes() for path in sorted(run.rglob("files/*"))} == before
