# SPDX-License-Identifier: Apache-2.0
"""tools/fresh_machine says why it cannot have a bare machine. (.ci/run uses it where it can.)"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT

SKIPPED = 77


def call(folder: Path, **played: str) -> subprocess.CompletedProcess[str]:
    """In a PATH of a few tools and these played programs; "" takes one away."""
    for name in ("bash", "id", "git", "dirname", "readlink", "unshare", "mktemp", "awk", "sort"):
        (folder / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    for name, script in played.items():
        path = folder / name
        path.unlink(missing_ok=True)
        if script:
            path.write_text(f"#!/bin/bash\n{script}\n")
            path.chmod(0o755)
    return subprocess.run(
        [ROOT / "tools/fresh_machine", "demo"], capture_output=True, text=True, timeout=60,
        check=False, env={**os.environ, "PATH": str(folder)},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("played", "reason"),
    [
        ({"id": "echo 1000"}, "only root can make a bare root"),
        ({"id": "echo 0"}, "debootstrap is not installed"),
        ({"id": "echo 0", "debootstrap": "exit 1", "git": "exit 1"}, "no git checkout"),
        (
            {"id": "echo 0", "debootstrap": "exit 1", "git": "exit 0", "unshare": "exit 1"},
            "this machine allows no mount namespace",
        ),
    ],
)
def test_what_is_missing_is_the_reason(played: dict[str, str], reason: str, tmp_path: Path) -> None:
    result = call(tmp_path, **played)
    assert result.returncode == SKIPPED, result.stderr
    (line,) = result.stdout.splitlines()
    assert line.startswith("fresh_machine: skipped: ")
    assert reason in line


def test_without_a_command_it_explains_itself(tmp_path: Path) -> None:
    result = subprocess.run(
        [ROOT / "tools/fresh_machine"], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 2
    assert "tools/fresh_machine [--keep] COMMAND" in result.stdout
    assert "77" in result.stdout
