# SPDX-License-Identifier: Apache-2.0
"""docs/logs.md shows what `thalweg logs import` prints, and lists every column of its table."""

from __future__ import annotations

from pathlib import Path

from thalweg.config.checkout import ROOT
from thalweg.logs.columns import COLUMNS
from thalweg.testing.pages import Cli, blocks, compare_session, write_storm

PAGE = (ROOT / "docs" / "logs.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_page_says(cli: Cli, tmp_path: Path) -> None:
    write_storm(PAGE, tmp_path)
    (session,) = blocks(PAGE, "console")
    assert compare_session(session, cli, tmp_path) == 2


def test_the_page_lists_every_column() -> None:
    rows = [f"| `{c.name}` | {c.type} | {c.unit} | {c.meaning} |" for c in COLUMNS]
    assert PAGE.partition("## Columns")[2].strip().splitlines()[2:] == rows
