# SPDX-License-Identifier: Apache-2.0
"""The script `thalweg` builds again after a change of any file that the build reads."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT


@pytest.mark.parametrize("tool", [("-t", "deps"), ("-t", "inputs", "all")], ids=["deps", "inputs"])
def test_the_script_looks_at_every_file_the_build_reads(tool: tuple[str, ...], model: Path) -> None:
    folder = model.parents[1]
    told = subprocess.run(
        ["ninja", "-C", str(folder), *tool], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    read = {(folder / line.strip()).resolve() for line in told.splitlines() if "#deps" not in line}
    ours = {path for path in read if path.is_file() and path.is_relative_to(ROOT)}
    ours = {path for path in ours if not path.is_relative_to(ROOT / "build")}
    words = re.search(r"^sources=\((.*?)\)$", (ROOT / "thalweg").read_text(), re.M | re.S)
    assert words is not None
    looked_at = [ROOT / word for word in words[1].split()]
    assert len(ours) > (100 if "deps" in tool else 1)
    unseen = [path for path in ours if not any(path.is_relative_to(each) for each in looked_at)]
    assert not unseen
