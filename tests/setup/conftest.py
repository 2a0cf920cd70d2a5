# SPDX-License-Identifier: Apache-2.0
"""A small tree that keeps all rules, to plant violations in; and the library, configured alone."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT
from thalweg.testing.played_checkout import PlayedCheckout

Check = Callable[[str], "subprocess.CompletedProcess[str]"]
SPDX = "SPDX-License-Identifier: Apache-2.0"
FILES = {
    "src/LAYERS": "base grid output\n",
    "src/base/error.cpp": f'// {SPDX}\n// Errors.\n#include "thalweg/error.hpp"\n',
    "src/base/text.hpp": f"// {SPDX}\n// Text.\n",
    "src/output/LAYERS": "deal move .\n",
    "src/output/deal/share.hpp": f"// {SPDX}\n// Shares.\n",
    "src/output/move/sender.hpp": f'// {SPDX}\n// Sender.\n#include "output/deal/share.hpp"\n',
    "src/output/ranks.hpp": f'// {SPDX}\n// Ranks.\n#include "move/sender.hpp"\n',
    "src/grid/grid.cpp": f'// {SPDX}\n// Grid.\n#include "base/text.hpp"\n#include <vector>\n',
    "src/grid/scaled.hpp": f"// {SPDX}\n// Scaled.\nint scaled(int value);\n",
    "src/grid/scaled.cpp": f'// {SPDX}\n// S.\n#include "grid/scaled.hpp"\nint scaled(int) {{}}\n',
    "include/thalweg/error.hpp": f"// {SPDX}\n// Errors.\n#include <string>\n",
    "mini/model.hpp": f"// {SPDX}\n// Model.\n",
    "mini/kernels/flux.hpp": f"// {SPDX}\n// Flux.\n",
    "mini/model.cpp": f'// {SPDX}\n// Model.\n#include "kernels/flux.hpp"\n#include "model.hpp"\n',
    "python/thalweg/LAYERS": "config run report\n",
    "python/thalweg/__init__.py": f"# {SPDX}\n",
    "python/thalweg/config/toml.py": f"# {SPDX}\nimport json\n",
    "python/thalweg/run/runner.py": f"# {SPDX}\nfrom thalweg.config import toml\n",
    "python/thalweg/report.py": f"# {SPDX}\nimport thalweg.run.runner\n",
    "README.md": "# A small tree\n",
}


@pytest.fixture
def checkout(tmp_path: Path) -> PlayedCheckout:
    return PlayedCheckout(tmp_path)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.fixture
def check(tree: Path) -> Check:
    """Runs tools/NAME on the small tree."""

    def call(name: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "tools" / name), str(tree)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    return call


@dataclass(frozen=True)
class LibraryAlone:
    """What CMake said without a Python that has NumPy, and the folder of the library without the
    mini-model, which needs none.
    """

    refused: str
    folder: Path


@pytest.fixture(scope="session")
def library_alone(tmp_path_factory: pytest.TempPathFactory) -> LibraryAlone:
    """Configured once, whichever process of the tests is the first to need it."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, said = base / "library_alone", base / "library_alone_refused"
    with (base / "library_alone.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.is_file():
            python = base / "python_without_numpy"
            python.write_text("#!/bin/sh\nexit 1\n")
            python.chmod(0o755)
            refused = configure(folder, f"-DTHALWEG_PYTHON={python}")
            assert refused.returncode != 0
            alone = configure(folder, "-DTHALWEG_MINI=OFF")  # as it has told, in the same folder
            assert alone.returncode == 0, alone.stderr
            said.write_text(refused.stderr)
    return LibraryAlone(said.read_text(), folder)


def configure(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    off = ["-DTHALWEG_TESTS=OFF", "-DTHALWEG_BENCH=OFF", "-DTHALWEG_FORTRAN=OFF"]
    command = ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", *off, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
