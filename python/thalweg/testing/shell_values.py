# SPDX-License-Identifier: Apache-2.0
"""The value that a piece of a script leaves in v: that of bash, and that of ours."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from thalweg.config.run_script import read_run_script

HAS_BASH = shutil.which("bash") is not None
END = "\ncat > NAMELIST << EOF\n&a\n v = '<$v>'\n/\nEOF\n"


def of_bash(folder: Path, text: str) -> str:
    """What bash leaves in v."""
    folder.mkdir()
    (folder / "exp.test").write_text(text + END)
    subprocess.run(
        ["bash", "--norc", "exp.test"], cwd=folder, capture_output=True, timeout=60, check=False,
        stdin=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    return (folder / "NAMELIST").read_text().split("'<")[1].split(">'")[0]


def ours(folder: Path, text: str) -> str:
    """What is known of v; nothing else in the script may be left out or doubtful."""
    folder.mkdir()
    (folder / "exp.test").write_text(text + END)
    script = read_run_script(folder / "exp.test", {})
    assert not script.passed_over
    assert not script.doubtful
    [group] = [each for each in script.groups["NAMELIST"] if each.name == "a"]
    return str(group.items["v"].values[0])[1:-1]
