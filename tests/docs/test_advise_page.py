# SPDX-License-Identifier: Apache-2.0
"""docs/advise.md shows what `thalweg advise` prints, and tells the size of its table."""

from __future__ import annotations

import shutil
from pathlib import Path

from thalweg.advisor.icon_variables import FOLDER
from thalweg.config.checkout import ROOT
from thalweg.testing.pages import Cli, blocks, compare_session

PAGE = (ROOT / "docs" / "advise.md").read_text(encoding="utf-8")


def test_the_examples_print_what_the_page_says(cli: Cli, tmp_path: Path, model: Path) -> None:
    (script,) = blocks(PAGE, "sh")
    (tmp_path / "exp.storm").write_text(script)
    shutil.copy(ROOT / "examples" / "jet.toml", tmp_path)
    assert compare_session("".join(blocks(PAGE, "console")), cli, tmp_path) == 3


def test_the_table_is_as_long_as_the_page_says() -> None:
    rows = sum(path.read_text().count("\n") - 4 for path in FOLDER.glob("*.csv"))
    assert f"{rows:,} registrations" in PAGE
