# SPDX-License-Identifier: Apache-2.0
"""docs/loc.md shows what `thalweg loc` prints, and the figures of this checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.loc import page
from thalweg.loc.command import page_part
from thalweg.loc.originals import ORIGINALS
from thalweg.loc.page import PAGE_PATH, made_part_of
from thalweg.testing.pages import Cli, blocks, compare_session, compare_text

PAGE = PAGE_PATH.read_text(encoding="utf-8")
_WITHIN = 0.05  # a little change of the compiler need not change the page


def test_the_example_prints_what_the_page_says(cli: Cli, tmp_path: Path) -> None:
    (session,) = blocks(PAGE, "console")
    assert compare_session(session, cli, tmp_path, _WITHIN) == 2


def test_the_tables_are_those_of_this_checkout() -> None:
    try:
        compare_text(made_part_of(PAGE), page_part(), _WITHIN)
    except (AssertionError, ValueError) as error:
        raise AssertionError("docs/loc.md is old; run: thalweg loc --markdown") from error


def test_the_text_says_what_the_tables_have() -> None:
    rows = {
        cells[0]: cells[1:]
        for line in made_part_of(PAGE).partition("### Originals")[2].splitlines()
        if len(cells := [each.strip() for each in line.strip("|").split("|")]) > 1
    }
    dynamico = rows["DYNAMICO"]
    assert f"DYNAMICO's kernels are {dynamico[1]} lines of ours for {dynamico[0]}" in PAGE
    assert 2 * int(dynamico[2]) > int(dynamico[1])  # "more than half of the lines are heads"
    longer = [each.name for each in ORIGINALS if int(rows[each.name][1]) > each.lines]
    assert longer == ["comp_geopot"]
    assert f"from {rows['NICAM'][4]} to {dynamico[4]}" in " ".join(PAGE.split())


def test_a_page_is_written_between_its_marks_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "loc.md"
    made = made_part_of(PAGE)
    copy.write_text(PAGE.replace(made, "old\n"))
    monkeypatch.setattr(page, "PAGE_PATH", copy)
    assert page.write_page(made) == str(copy)
    assert copy.read_text() == PAGE
