# SPDX-License-Identifier: Apache-2.0
"""By which nvcc ./thalweg builds the model for a GPU, if there is one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT

OF_SCRIPT = r"""set -euo pipefail
root=$1 gpu=$2
source <(sed -n '/^nvcc_for_gpu() {/,/^}/p' "$3")
nvcc=$(nvcc_for_gpu)
echo "found '$nvcc'"
"""


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("of", ["nothing", "PATH", "CUDACXX", ".venv"])
@pytest.mark.parametrize("gpu", [True, False])
def test_it_is_an_absolute_path_or_none(of: str, gpu: bool, tmp_path: Path) -> None:
    device, root = tmp_path / "nvidia0", tmp_path / "a checkout"
    if gpu:
        device.write_text("")
    nvidia = root / ".venv" / "lib" / "python3.11" / "site-packages" / "nvidia"
    places = {
        "PATH": [tmp_path / "cuda 13" / "bin" / "nvcc"],
        "CUDACXX": [tmp_path / "other" / "nvcc"],
        ".venv": [nvidia / "cu9" / "bin" / "nvcc", nvidia / "cu13" / "bin" / "nvcc"],
        "nothing": [],
    }[of]
    made = [program(each) for each in places]
    environment = {"PATH": "/usr/bin:/bin"}
    if of == "PATH":
        environment["PATH"] = f"{made[0].parent}{os.pathsep}{environment['PATH']}"
    elif of == "CUDACXX":
        environment["CUDACXX"] = str(made[0])
    words = ["bash", "-c", OF_SCRIPT, "bash", str(root), str(device), str(ROOT / "thalweg")]
    told = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert told.stdout == f"found '{made[-1] if made and gpu else ''}'\n"
