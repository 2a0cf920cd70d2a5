# SPDX-License-Identifier: Apache-2.0
"""A checkout whose machine is played: the programs that a set-up calls are small scripts."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from thalweg.config.checkout import ROOT

DPKG_NOTHING = "exit 1"
DPKG_ALL = "echo -n installed"
PYTHON_FAKE = """
case "$*" in
  *"-m venv"*)
    for last in "$@"; do :; done
    mkdir -p "$last/bin"
    cp "$0" "$last/bin/python"
    : >"$last/bin/thalweg" ;;
  *"pip install"*) echo "$*" >>pip_calls ;;
  *bin/thalweg*) shift; echo "cli: $* in $PWD"; exit 7 ;;
esac"""
BUILD = ("--build", "thalweg_mini")  # as the command line calls it for a program it needs
CMAKE_FAKE = """
case "$1" in
  --version) echo "cmake version ${FAKE_CMAKE:-3.25.1}" ;;
  --preset) mkdir -p build/release; : >build/release/build.ninja; echo configure >>cmake_calls ;;
  --build)
    echo "build ${*: -1}" >>cmake_calls
    if [ -n "${FAKE_BROKEN:-}" ]; then echo "no such header"; exit 1; fi ;;
esac"""


class PlayedCheckout:
    """A bare checkout in a folder with a space, and a PATH with played programs first."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a check out"
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        for name in ("tools/cmake", "python/thalweg/dsl", "tests/unit"):
            (self.root / name).mkdir(parents=True)
        for name in ("thalweg", "tools/packages.txt", "pyproject.toml", "CMakePresets.json"):
            shutil.copy(ROOT / name, self.root / name)
        for name in ("include", "src", "fortran", "mini", "bench"):
            (self.root / name).mkdir()
        for name in ("CMakeLists.txt", "settings.toml", "src/grid.cpp"):
            (self.root / name).touch()
        self.age()
        self.play("dpkg-query", DPKG_ALL)
        self.play("python3", PYTHON_FAKE)
        self.play("cmake", CMAKE_FAKE)
        self.play("sudo", "exit 1")
        self.play("id", "echo 1000")

    def play(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def age(self) -> None:
        """What was done so far was done ten seconds earlier: no clock is too coarse to see it."""
        for path in (self.root, *self.root.rglob("*")):
            seconds = path.stat().st_mtime - 10.0
            os.utime(path, (seconds, seconds), follow_symlinks=False)

    def call(
        self, *words: str, cwd: Path | None = None, script: Path | None = None,
        before: Sequence[str] = (), **environment: str,
    ) -> subprocess.CompletedProcess[str]:  # fmt: skip
        return subprocess.run(
            [*before, str(script or self.root / "thalweg"), *words],
            capture_output=True, text=True, timeout=60, check=False, cwd=cwd or self.root,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PATH": f"{self.bin}:/usr/bin:/bin", **environment},
        )  # fmt: skip

    def calls(self, name: str) -> list[str]:
        path = self.root / f"{name}_calls"
        return path.read_text().splitlines() if path.is_file() else []
