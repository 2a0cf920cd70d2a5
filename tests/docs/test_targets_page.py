# SPDX-License-Identifier: Apache-2.0
"""docs/targets.md has every kernel and target, and what the command finds."""

from __future__ import annotations

import shutil

import pytest

from thalweg.dsl.configuration import ON_RANKS
from thalweg.kernels.compare import SAME, WITH_GPUS
from thalweg.kernels.comparison_page import BEGIN, END, HEADS, PAGE_PATH
from thalweg.kernels.library import all_kernels
from thalweg.testing.examples import examples
from thalweg.testing.pages import Cli

PAGE = PAGE_PATH.read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|\n").split("|")]
    for line in PAGE.partition(BEGIN)[2].partition(END)[0].splitlines()
]


def test_every_kernel_has_a_row_and_no_value_is_wrong() -> None:
    heads, _, *rows = ROWS
    assert tuple(heads) == HEADS
    assert [row[0] for row in rows] == list(all_kernels()), (
        "run: thalweg kernels compare --markdown"
    )
    for name, *found in rows:
        assert "wrong" not in found, name
        refused = [head for head, cell in zip(HEADS[1:], found, strict=True) if cell == "-"]
        on_ranks = [head for head in HEADS[1:] if head.partition(WITH_GPUS)[0] in ON_RANKS]
        assert refused in ([], on_ranks), name


@pytest.mark.skipif(not shutil.which("mpicxx"), reason="no mpicxx on this machine")
def test_the_command_finds_what_the_page_says(cli: Cli) -> None:
    """Of a kernel with groups; of those with a neighbourhood and with a power where all runs."""
    names = [*examples([], ["gradient", "geopot_boussinesq"]), "block_extremes"]
    told = cli("kernels", "compare", *names)
    assert told.returncode == 0, told.stderr
    found = [line.split("  ") for line in told.stdout.splitlines()[1 : 1 + len(names)]]
    assert [[cell.strip() for cell in row if cell.strip()] for row in found] == [
        row for name in names for row in ROWS if row[0] == name
    ]
    assert SAME in told.stdout
    assert "goes over groups" in told.stdout


def test_the_table_is_that_of_all_kernels(cli: Cli) -> None:
    told = cli("kernels", "compare", "gradient", "--markdown")
    assert (told.returncode, told.stderr) == (
        2, "thalweg: error: --markdown writes the table of all kernels; name none\n"
    )  # fmt: skip
