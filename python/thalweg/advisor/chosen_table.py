# SPDX-License-Identifier: Apache-2.0
"""The table of a proposal, of what a run has now, and of the next best, whoever runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from thalweg.advisor.shapes import WayFigures
from thalweg.advisor.words import percent, seconds
from thalweg.tables import print_table

FIGURES = ("run time", "80 % between", "waiting", "node hours", "CHSY", "limited by")
_HEAD = 10  # characters of what stands before a line
WayT = TypeVar("WayT", bound=WayFigures)


def print_chosen(
    lines: Iterable[tuple[str, str]], columns: Sequence[str], right: Sequence[str],
    ways: tuple[WayT, WayT | None, Sequence[WayT]], words_of: Callable[[WayT], list[str]],
) -> None:  # fmt: skip
    """Lines with their heads; then the ways: the best, what there is now, and others. columns:
    those that words_of() fills, right of them those of numbers.
    """
    for head, text in lines:
        print(f"{head:<{_HEAD}}{text}")
    print()
    best, now, others = ways
    named = [("proposed", best), *([("now", now)] if now is not None else [])]
    told = [words_of(way) for _, way in named]
    named += [("or", way) for way in others if words_of(way) not in told]
    rows = [[head, *words_of(way), *_figures(way)] for head, way in named]
    print_table(("", *columns, *FIGURES), rows, right=(*right, *FIGURES[:-1]))


def restart_words(mode: str, ranks: int) -> str:
    return mode.replace("_", " ") + (f", {ranks}" if ranks else "")


def _figures(way: WayFigures) -> list[str]:
    told = way.prediction
    return [
        seconds(told.total_s),
        f"{seconds(told.low_s)} {seconds(told.high_s)}",
        percent(way.waiting_s / told.total_s),
        f"{way.node_hours:.4g}",
        f"{way.chsy:.4g}",
        way.limit.replace("_", " "),
    ]
