# SPDX-License-Identifier: Apache-2.0
"""docs/cpmip.md shows what `thalweg cpmip` prints, and lists every figure."""

from __future__ import annotations

import json
from pathlib import Path

from thalweg.config.checkout import ROOT
from thalweg.cpmip.quantities import QUANTITIES
from thalweg.testing.pages import Cli, blocks, compare_session, write_storm

PAGE = (ROOT / "docs" / "cpmip.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_page_says(cli: Cli, tmp_path: Path) -> None:
    write_storm(PAGE, tmp_path)
    (session,) = blocks(PAGE, "console")
    assert compare_session(session, cli, tmp_path) == 2
    (told,) = json.loads((tmp_path / "storm.json").read_text())
    assert f"{told['chsy_core_hours_per_year']:.1f} for a\nyear" in PAGE


def test_the_page_lists_every_figure() -> None:
    rows = [f"| {each.head} | `{each.name}` | {each.meaning} |" for each in QUANTITIES]
    table = PAGE.partition("| head | name")[2].partition("\n\n")[0]
    assert table.splitlines()[2:] == rows
