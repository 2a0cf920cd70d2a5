# SPDX-License-Identifier: Apache-2.0
"""Where MPI cannot create windows of the size that staging needs, messages take over."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run_without_shared_memory(
    out: Path, *settings: str, size: str = "8m"
) -> subprocess.CompletedProcess[str]:
    """An asynchronous run that sees little of /dev/shm, in a mount namespace of its own."""
    words = [str(ROOT / "thalweg"), "run", str(ROOT / "examples" / "jet.toml"), "--out", str(out)]
    words += [f"--set={setting}" for setting in settings]
    small = f'mount -t tmpfs -o size={size} tmpfs /dev/shm && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", small, "sh", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(autouse=True)
def namespaces_are_allowed(model: Path) -> None:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a private /dev/shm needs root and unshare")
    trial = ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/dev/shm"]
    if subprocess.run(trial, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine allows no mount namespace")


# Staging of 16 MiB a compute rank: more than /dev/shm has left.
SMALL = ("grid.name=R2B3", "time.duration=PT2H")


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("size", ["8m", "1m"])  # 1 MiB: not even Open MPI's own queues fit
def test_auto_falls_back_to_messages_and_writes_the_same_bits(
    size: str, cli: Callable[..., Any], tmp_path: Path
) -> None:
    done = run_without_shared_memory(tmp_path / "messages", *SMALL, size=size)
    assert done.returncode == 0, done.stderr
    assert "transport two_sided" in (tmp_path / "messages" / "run.json").read_text()
    words = ["--out", tmp_path / "windows", *(f"--set={setting}" for setting in SMALL)]
    plain = cli("run", ROOT / "examples" / "jet.toml", *words)
    assert plain.returncode == 0, plain.stderr
    assert "transport shared_memory" in (tmp_path / "windows" / "run.json").read_text()
    same = cli("verify", tmp_path / "messages", "--against", tmp_path / "windows")
    assert same.returncode == 0, same.stdout + same.stderr


def test_windows_that_were_asked_for_and_refused_end_in_one_sentence(tmp_path: Path) -> None:
    done = run_without_shared_memory(tmp_path / "run", *SMALL, "io.transport=rma")
    assert done.returncode == 2
    errors = [line for line in done.stderr.splitlines() if line.startswith("thalweg: error:")]
    assert len(errors) == 1
    assert "cannot create windows" in errors[0]
