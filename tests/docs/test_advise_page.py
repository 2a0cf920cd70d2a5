# SPDX-License-Identifier: Apache-2.0
"""docs/advise.md shows what `thalweg advise` prints, and tells the size of its table."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from thalweg.advisor.icon_variables import FOLDER
from thalweg.config.checkout import ROOT

Cli = Callable[..., "CompletedProcess[str]"]
PAGE = (ROOT / "docs" / "advise.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_example_prints_what_the_page_says(cli: Cli, tmp_path: Path) -> None:
    (script,) = blocks("sh")
    (session,) = blocks("console")
    (tmp_path / "exp.storm").write_text(script)
    commands = re.split(r"^\$ thalweg ", session, flags=re.MULTILINE)[1:]
    assert len(commands) == 2
    for command in commands:
        words, _, expected = command.partition("\n")
        result = cli(*words.split(), cwd=tmp_path)
        assert result.stdout + result.stderr == expected


def test_the_table_is_as_long_as_the_page_says() -> None:
    rows = sum(path.read_text().count("\n") - 4 for path in FOLDER.glob("*.csv"))
    assert f"{rows:,} registrations" in PAGE
