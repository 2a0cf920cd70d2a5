# SPDX-License-Identifier: Apache-2.0
"""docs/advise.md shows what `thalweg advise` prints, and tells the size of its table."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from thalweg.advisor.icon_variables import FOLDER
from thalweg.config.checkout import ROOT

Cli = Callable[..., "CompletedProcess[str]"]
PAGE = (ROOT / "docs" / "advise.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_print_what_the_page_says(cli: Cli, tmp_path: Path, model: Path) -> None:
    (script,) = blocks("sh")
    (tmp_path / "exp.storm").write_text(script)
    shutil.copy(ROOT / "examples" / "jet.toml", tmp_path)
    sessions = "".join(blocks("console"))
    commands = re.split(r"^\$ thalweg ", sessions, flags=re.MULTILINE)[1:]
    assert len(commands) == 3
    for command in commands:
        words, _, expected = command.partition("\n")
        result = cli(*words.split(), cwd=tmp_path)
        assert result.stdout + result.stderr == expected


def test_the_table_is_as_long_as_the_page_says() -> None:
    rows = sum(path.read_text().count("\n") - 4 for path in FOLDER.glob("*.csv"))
    assert f"{rows:,} registrations" in PAGE
