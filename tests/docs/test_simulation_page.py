# SPDX-License-Identifier: Apache-2.0
"""docs/simulation.md: its example runs, prints what the page says and draws the picture."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from thalweg.config.checkout import ROOT
from thalweg.testing.pages import blocks

PAGE = (ROOT / "docs" / "simulation.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_page_says(tmp_path: Path) -> None:
    (program,) = blocks(PAGE, "python")
    (printed,) = blocks(PAGE, "text")
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(ROOT / "python"), "MPLCONFIGDIR": str(tmp_path), "PATH": ""},
    )  # fmt: skip
    assert found.stdout.strip() == printed.strip(), found.stderr
    assert (tmp_path / "simulation.png").stat().st_size > 10_000
    assert (ROOT / "docs" / "images" / "simulation.png").is_file()
