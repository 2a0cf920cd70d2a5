# SPDX-License-Identifier: Apache-2.0
"""A small tree that keeps all rules, to plant violations in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT

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
