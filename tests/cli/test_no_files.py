# SPDX-License-Identifier: Apache-2.0
"""A pipe in place of a file of a run is said, not waited for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory

Cli = Callable[..., "CompletedProcess[str]"]
PLACES = (
    "files/jet_20000101T000000Z.nc",
    "files/jet_20000101T000000Z.nc.part",
    "files/jet_20000101T000000Z.zarr/u/c/0",
    "journal/jet_20000101T000000Z.nc.jsonl",
    "restart/20000101T000000Z/restart.json",
    "checksums.jsonl",
    "run.json",
)


@pytest.fixture
def run(tmp_path: Path, small_case: Path) -> Path:
    """What is enough of a run to be read and continued."""
    found = tmp_path / "run"
    (found / "files").mkdir(parents=True)
    (found / "experiment.toml").write_bytes(small_case.read_bytes())
    return found


@pytest.mark.some(2)
@pytest.mark.parametrize("command", ["verify", "report", "continue"])
@pytest.mark.parametrize("place", PLACES)
def test_a_pipe_is_refused(
    place: str, command: str, run: Path, small_case: Path, cli: Cli, model: Path
) -> None:
    (run / place).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(run / place)
    words = (
        ["run", small_case, "--continue", "--out", run] if command == "continue" else [command, run]
    )
    result = cli(*words, timeout=60)
    (run / place).unlink()  # the report is run over what a test leaves
    assert result.returncode == 2
    assert f"'{run / place}' is neither a file nor a directory" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_link_that_leads_nowhere_is_refused(run: Path) -> None:
    link = run / "files/jet_20000101T000000Z.nc"
    link.symlink_to(run / "gone.nc")
    with pytest.raises(ThalwegError, match="leads nowhere"):
        RunDirectory.open(run)
    link.unlink()


def test_pipes_of_others_are_left_alone(run: Path) -> None:
    os.mkfifo(run / "mine")
    os.mkfifo(run / "files/mine")
    assert RunDirectory.open(run).path == run
