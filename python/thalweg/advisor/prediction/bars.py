# SPDX-License-Identifier: Apache-2.0
"""The bars of a validation: the one list behind `--check`, its lines and its page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from thalweg.advisor.prediction.validation import Result


@dataclass(frozen=True)
class Bar:
    name: str
    asked: str
    value: Callable[[Result], float | None]
    met: Callable[[Result, float], bool]


def _best_rule(result: Result) -> float:
    return min((found for found in result.rules.values() if found is not None), default=0.0)


def _told(result: Result) -> float:
    return len(result.tried) / (len(result.tried) + len(result.untold))


BARS = (
    Bar("told", "at least 90 % of the runs have a prediction",
        _told, lambda result, value: value >= 0.9),
    Bar("median_error", "at most 6 %",
        lambda result: result.median_error, lambda result, value: value <= 0.06),
    Bar("p90_error", "at most 20 %",
        lambda result: result.p90_error, lambda result, value: value <= 0.20),
    Bar("inside_80", "70 to 90 %",
        lambda result: result.inside_80, lambda result, value: 0.70 <= value <= 0.90),
    Bar("regret", "below that of the best rule",
        lambda result: result.regret,
        lambda result, value: value < _best_rule(result) or value == 0.0),
    Bar("risky_proposals", "serial output and sync restarts of several nodes: none",
        lambda result: float(result.risky_proposals), lambda result, value: value == 0.0),
)  # fmt: skip


@dataclass(frozen=True)
class Judgement:
    """value None, where nothing measures it, misses the bar."""

    bar: Bar
    value: float | None
    met: bool


def judge_bars(result: Result) -> list[Judgement]:
    values = [(bar, bar.value(result)) for bar in BARS]
    return [Judgement(b, v, v is not None and b.met(result, v)) for b, v in values]
