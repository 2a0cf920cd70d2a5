# SPDX-License-Identifier: Apache-2.0
"""Programs of compiled kernels are found again by their text, as kernels are (../conftest.py)."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from thalweg.kernels.made_for import made_for

Link = Callable[[Sequence[str], Sequence[Path], Path], Path]


@pytest.fixture(scope="session")
def link(compiled: Path) -> Link:
    """Makes a program of sources and of what a folder holds for them to include, or finds the one
    that was made before of the same texts, by the same command and compiler. Paths in the texts
    must be relative, or no text is that of before.
    """

    def made(command: Sequence[str], sources: Sequence[Path], included: Path) -> Path:
        read = sorted({*sources, *(each for each in included.iterdir() if each.is_file())})
        texts = [word for each in read for word in (each.name, each.read_text(encoding="utf-8"))]
        words = [*command, *(each.name for each in sources), *texts, made_for((command[0],), False)]
        mark = hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]
        program = compiled / f"program-{mark}"
        if not program.is_file():
            aside = program.with_suffix(f".{os.getpid()}.part")  # two may make the same at a time
            all_words = [*command, f"-I{included}", *map(str, sources), "-o", str(aside)]
            result = subprocess.run(all_words, capture_output=True, text=True, check=False)
            assert result.returncode == 0, result.stderr
            aside.replace(program)
        return program

    return made
