# SPDX-License-Identifier: Apache-2.0
"""On a terminal of any width a table shows whole words, figures and paths."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import pytest
from rich.text import Text

from thalweg.tables import Cell, print_table

Shown = Callable[..., list[str]]
COLUMNS = ("stop", "value", "source", "GB in all", "what happens")
ROWS = [
    ("kernel", "0.7104629183", "mini/kernels/vorticity.py:10", "0.001", "relative vorticity, s-1"),
    ("field", "7", "src/output/put.cpp:141", "1234.567", "put 'mystorm' into the stream of 3 h"),
]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shown:
    """Lines of a table on a terminal of so many columns; 0 = in a pipe."""

    def lines(width: int, rows: Sequence[Sequence[Cell]] = ROWS, title: str = "") -> list[str]:
        monkeypatch.setenv("TERM", "dumb")
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("LINES", "50")
        monkeypatch.setattr(sys.stdout, "isatty", lambda: width > 0)
        print_table(COLUMNS, rows, right=("value", "GB in all"), title=title)
        return [line.rstrip() for line in capsys.readouterr().out.splitlines()]

    return lines


@pytest.mark.parametrize("width", [20, 40, 72, 80, 90, 100, 120, 200])
def test_no_word_is_cut_on_any_terminal(shown: Shown, width: int) -> None:
    words = [word for line in shown(width) for word in line.split()]
    for cell in (*COLUMNS, *(cell for row in ROWS for cell in row)):
        assert all(word in words for word in cell.split()), cell


def test_prose_wraps_where_that_is_enough(shown: Shown) -> None:
    for width in (72, 80, 90):
        lines = shown(width)
        assert max(map(len, lines)) <= width
        assert len(lines) > 1 + len(ROWS)


def test_a_table_that_cannot_fit_is_as_in_a_pipe(shown: Shown) -> None:
    assert shown(40) == shown(0)
    assert len(shown(40)) == 1 + len(ROWS)


def test_figures_with_spaces_and_lines_of_a_cell_stay_on_their_lines(shown: Shown) -> None:
    rows: list[list[Cell]] = [
        ["a stop of several words", "1.2 s 3.4 s", "a\nb c", "-", Text("met", "green")]
    ]
    for width in (40, 50, 60):
        assert any("1.2 s 3.4 s" in line for line in shown(width, rows, "bars"))


def test_a_table_without_rows_has_its_head(shown: Shown) -> None:
    assert shown(80, []) == ["stop  value  source  GB in all  what happens"]
