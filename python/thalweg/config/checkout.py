# SPDX-License-Identifier: Apache-2.0
"""Where the checkout, its programs and its lists lie, found from this package's own path."""

from __future__ import annotations

import os
from pathlib import Path

from thalweg.config.errors import ThalwegError

ROOT = Path(__file__).resolve().parents[3]


def binary_directory() -> Path:
    """Folder of the compiled programs; THALWEG_BIN names another build, such as ASan's."""
    return Path(os.environ.get("THALWEG_BIN") or ROOT / "build" / "release" / "bin")


def program(name: str) -> Path:
    """Path of a compiled program. Raises a sentence if it is not built."""
    path = binary_directory() / name
    if not path.is_file():
        raise ThalwegError(
            f"the program '{name}' is not built in '{path.parent}'; "
            "run './thalweg' in the checkout, which builds it"
        )
    return path
