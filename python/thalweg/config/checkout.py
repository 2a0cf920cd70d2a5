# SPDX-License-Identifier: Apache-2.0
"""Where the checkout, its programs and its lists lie, found from this package's own path."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from thalweg.errors import ThalwegError

ROOT = Path(__file__).resolve().parents[3]


def binary_directory() -> Path:
    """Folder of the compiled programs; THALWEG_BIN names another build, such as ASan's."""
    return Path(os.environ.get("THALWEG_BIN") or ROOT / "build" / "release" / "bin")


@cache
def program(name: str) -> Path:
    """Path of a compiled program, up to date. Raises a sentence if another build lacks it."""
    if not os.environ.get("THALWEG_BIN"):
        build(name)
    path = binary_directory() / name
    if not path.is_file():
        raise ThalwegError(
            f"the program '{name}' is not built in '{path.parent}'; "
            "build it there, or remove that build and unset THALWEG_BIN"
        )
    return path


def build(target: str) -> None:
    """Brings a target of build/release up to date. What fails says so itself and ends this."""
    result = subprocess.run([ROOT / "thalweg", "--build", target], stdout=sys.stderr, check=False)
    if result.returncode:
        sys.exit(result.returncode)
