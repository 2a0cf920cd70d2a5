# SPDX-License-Identifier: Apache-2.0
"""docs/advise-validation.md shows what is printed, and figures that can be measured again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from thalweg.advisor.prediction.bars import BARS
from thalweg.advisor.prediction.page import parameter_range, parameter_state
from thalweg.advisor.prediction.parameters import PARAMETERS
from thalweg.advisor.prediction.predictor import learn
from thalweg.advisor.prediction.run_facts import MeasuredRun
from thalweg.advisor.prediction.run_table import read_runs
from thalweg.advisor.prediction.splits import GROUP, HARDER, most_nodes
from thalweg.advisor.prediction.validation import validate_split
from thalweg.config.checkout import ROOT
from thalweg.testing.pages import Cli, blocks, compare_session

PAGE = (ROOT / "docs" / "advise-validation.md").read_text(encoding="utf-8")
LEVANTE = ROOT.parent / "shared" / "reference" / "levante" / "runs_visible.csv"
# Other versions of SciPy end a fit elsewhere within its tolerance.
_PERCENT = 0.3


def rows_below(head: str) -> list[list[str]]:
    """Cells of the table whose head begins so."""
    lines = PAGE.split(head, 1)[1].splitlines()[2:]
    table = lines[: lines.index("")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_examples_print_what_the_page_says(cli: Cli, tmp_path: Path) -> None:
    outputs, restarts = blocks(PAGE, "csv")
    (tmp_path / "outputs.csv").write_text(outputs)
    (tmp_path / "restarts.csv").write_text(restarts)
    assert compare_session("".join(blocks(PAGE, "console")), cli, tmp_path) == 1


def test_the_page_lists_every_parameter_and_every_bar() -> None:
    told = [(row[0], *row[-2:]) for row in rows_below("| parameter | fitted")]
    assert told == [(f"`{p.name}`", p.unit, p.meaning) for p in PARAMETERS]
    assert rows_below("| bar (") == [[f"`{bar.name}`", bar.asked] for bar in BARS]


@pytest.fixture(scope="module")
def runs() -> list[MeasuredRun]:
    if not LEVANTE.is_file():
        pytest.skip(f"the figures measured on Levante are not on this machine: {LEVANTE}")
    return read_runs(LEVANTE)


ROWS = rows_below("| predicted from the others")


@pytest.mark.some(3)  # each is a table of its own, made in the same way
@pytest.mark.parametrize("number", range(len(ROWS)), ids=[row[0] for row in ROWS])
def test_the_figures_are_those_of_the_runs_on_levante(number: int, runs: list[MeasuredRun]) -> None:
    splits = [GROUP, *HARDER, most_nodes(runs)]
    assert len(splits) == len(ROWS)
    row, result = ROWS[number], validate_split(runs, splits[number])
    assert result is not None
    assert row[:3] == [result.meaning, str(len(result.tried)), str(len(result.untold))]
    measured = [result.median_error, result.p90_error, result.inside_80, result.regret]
    measured += result.rules.values()
    for cell, value in zip(row[3:], measured, strict=True):
        assert value is not None
        assert float(cell.rstrip(" %")) == pytest.approx(100.0 * value, abs=_PERCENT)


def test_the_parameters_are_those_of_the_runs_on_levante(runs: list[MeasuredRun]) -> None:
    fit = learn(runs).fit
    for parameter, row in zip(PARAMETERS, rows_below("| parameter | fitted"), strict=True):
        state = parameter_state(fit, parameter.name)
        assert state == ("left out" if row[2] == "left out" else "fitted"), parameter.name
        if state == "fitted":
            cells = [float(number) for number in re.findall(r"[0-9.e+-]+", " ".join(row[1:3]))]
            assert cells == pytest.approx(parameter_range(fit, parameter.name), rel=0.04)
