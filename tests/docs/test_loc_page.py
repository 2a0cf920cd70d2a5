# SPDX-License-Identifier: Apache-2.0
"""docs/loc.md shows what `thalweg loc` prints, and the figures of this checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.kernels.library import all_kernels
from thalweg.loc import page
from thalweg.loc.cocomo import Model
from thalweg.loc.command import estimates_of, page_part
from thalweg.loc.measure import choose, compare, measure
from thalweg.loc.originals import ORIGINALS
from thalweg.loc.page import PAGE_PATH, code_table, made_part, made_part_of
from thalweg.testing.pages import Cli, blocks, compare_session, compare_text

PAGE = PAGE_PATH.read_text(encoding="utf-8")
_WITHIN = 0.05  # a little change of the compiler need not change the page


def test_the_example_prints_what_the_page_says(cli: Cli, tmp_path: Path) -> None:
    (session,) = blocks(PAGE, "console")
    assert compare_session(session, cli, tmp_path, _WITHIN) == 2


def compare_with_page(told: str, made: str) -> None:
    try:
        compare_text(told, made, _WITHIN)
    except (AssertionError, ValueError) as error:
        raise AssertionError("docs/loc.md is old; run: thalweg loc --markdown") from error


@pytest.mark.slow  # translates all kernels for all targets; the next one does so for a few
def test_the_tables_are_those_of_this_checkout() -> None:
    compare_with_page(made_part_of(PAGE), page_part())


def test_rows_of_the_tables_are_those_of_this_checkout() -> None:
    """Every tenth kernel, and the tables that need no translation."""
    kernels, others = made_part_of(PAGE).split("### Originals")
    told = {line.split()[1]: line for line in kernels.splitlines() if line.startswith("| ")}
    assert list(told) == ["kernel", "---", *all_kernels(), "together"]
    rows, _ = measure(choose(list(all_kernels())[::10]), Configuration())
    for row, line in zip(rows, code_table(rows).as_markdown().splitlines()[2:], strict=True):
        compare_with_page(told[row.name], line)
    compared = compare()
    made = made_part([], compared, estimates_of(Model(), compared)).split("### Originals")[1]
    compare_with_page(others, made)


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
