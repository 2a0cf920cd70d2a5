# SPDX-License-Identifier: Apache-2.0
"""The bars of a validation of ICON's runs, and what `--check`, its lines and its JSON are made of,
also for runs of ours (advisor/own/bars.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from thalweg.advisor.prediction.figures import Figures
from thalweg.advisor.prediction.validation import Result
from thalweg.advisor.words import percent

ResultT = TypeVar("ResultT", bound=Figures)


@dataclass(frozen=True)
class Bar(Generic[ResultT]):
    """text: of the value."""

    name: str
    asked: str
    value: Callable[[ResultT], float | None]
    met: Callable[[ResultT, float], bool]
    text: Callable[[float], str] = percent


def _best_rule(result: Figures) -> float:
    return min((found for found in result.rules.values() if found is not None), default=0.0)


def _told(result: Result) -> float:
    return len(result.tried) / (len(result.tried) + len(result.untold))


BELOW_RULES = Bar[Any](
    "regret", "below that of the best rule", lambda result: result.regret,
    lambda result, value: value < _best_rule(result) or value == 0.0,
)  # fmt: skip
BARS: tuple[Bar[Result], ...] = (
    Bar("told", "at least 90 % of the runs have a prediction",
        _told, lambda result, value: value >= 0.9),
    Bar("median_error", "at most 6 %",
        lambda result: result.median_error, lambda result, value: value <= 0.06),
    Bar("p90_error", "at most 20 %",
        lambda result: result.p90_error, lambda result, value: value <= 0.20),
    Bar("inside_80", "70 to 90 %",
        lambda result: result.inside_80, lambda result, value: 0.70 <= value <= 0.90),
    BELOW_RULES,
    Bar("risky_proposals", "serial output and sync restarts of several nodes: none",
        lambda result: float(result.risky_proposals), lambda result, value: value == 0.0,
        "{:.0f}".format),
)  # fmt: skip


@dataclass(frozen=True)
class Judgement:
    """value None, where nothing measures it, misses the bar."""

    bar: Bar[Any]
    value: float | None
    met: bool


def judge_bars(result: ResultT, bars: Sequence[Bar[ResultT]]) -> list[Judgement]:
    values = [(bar, bar.value(result)) for bar in bars]
    return [Judgement(b, v, v is not None and b.met(result, v)) for b, v in values]


def bar_lines(judged: Sequence[Judgement]) -> Iterator[str]:
    for each in judged:
        value = "nothing measures it" if each.value is None else each.bar.text(each.value)
        yield f"{'met' if each.met else 'MISSED':7} {each.bar.name}: {value} ({each.bar.asked})"


def bars_as_json(judged: Sequence[Judgement]) -> list[dict[str, object]]:
    return [
        {"name": each.bar.name, "value": each.value, "bar": each.bar.asked, "met": each.met}
        for each in judged
    ]
