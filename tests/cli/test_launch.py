# SPDX-License-Identifier: Apache-2.0
"""The launch fits the MPI that is there: Open MPI's mpirun or MPICH's, which is called Hydra."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from thalweg.errors import ThalwegError
from thalweg.run.launch import mpirun_command
from thalweg.run.machine import describe_versions

HYDRA = "HYDRA build details:\\n    Version:                                 4.0.2"
OPEN_MPI = "mpirun (Open MPI) 4.1.4"


def play(folder: Path, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program `mpirun` that says of itself what another does."""
    path = folder / "mpirun"
    path.write_text(f"#!/bin/sh\nprintf '{says}\\n'\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_mpich_gets_no_options_of_open_mpi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(tmp_path, HYDRA, monkeypatch)
    assert mpirun_command(3, ["model", "x"]) == ["mpirun", "-n", "3", "model", "x"]
    assert describe_versions()["mpi"] == "MPICH 4.0.2"
    with pytest.raises(ThalwegError, match="is a choice of Open MPI"):
        mpirun_command(3, ["model"], "ompio")


def test_open_mpi_may_start_more_ranks_than_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(tmp_path, OPEN_MPI, monkeypatch)
    command = mpirun_command(3, ["model"])
    assert "--oversubscribe" in command
    assert command[-3:] == ["-n", "3", "model"]
    assert describe_versions()["mpi"] == "Open MPI 4.1.4"


def test_no_run_takes_the_folder_of_open_mpi_away_from_another(tmp_path: Path) -> None:
    """Of two that begin and end at a time, one could find neither it nor room for it."""
    code = (
        "import os, pathlib\n"
        "from thalweg.run.launch import mpirun_environment\n"
        "mpirun_environment(), mpirun_environment()\n"
        "other = pathlib.Path(os.environ['TMPDIR'], 'other')\n"
        "other.mkdir(), mpirun_environment(TMPDIR=str(other))\n"
        "for folder in (other, other.parent):\n"
        "  top, = folder.glob('ompi.*')\n"
        "  kept, = top.iterdir()\n"
        "  assert top.name.endswith(f'.{os.geteuid()}'), top\n"
        "  try:\n    top.rmdir()\n"
        "  except OSError:\n    print('kept')\n"
    )
    words = {**os.environ, "TMPDIR": str(tmp_path)}
    told = subprocess.run(
        [sys.executable, "-c", code], env=words, capture_output=True, text=True, check=True
    )
    assert told.stdout == "kept\n" * 2
    (tmp_path / "other").rmdir()
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    words["TMPDIR"] = str(tmp_path / "file")  # no folder: Open MPI says what it wants
    subprocess.run([sys.executable, "-c", code.partition("other")[0]], env=words, check=True)
