# SPDX-License-Identifier: Apache-2.0
"""What predictions of runs of ours are worth: errors, intervals, spread of repeats, regret."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.advisor.own.learned import OwnRun, held_out, untaught
from thalweg.advisor.own.situation import OwnChoice
from thalweg.advisor.own.ways import best_at, is_risky
from thalweg.advisor.prediction.figures import Figures, Tried
from thalweg.advisor.shapes import Prediction
from thalweg.calibrate.machine_file import Machine

_DRAWS = 128


@dataclass(frozen=True)
class OwnRule:
    """What one might do without a prediction. ranks: I/O ranks of so many in all."""

    name: str
    meaning: str
    distance: Callable[[OwnChoice, int], float]


def _as_one_of_five(choice: OwnChoice, ranks: int) -> float:
    """One I/O rank for four that compute, asynchronous."""
    return abs(choice.io_ranks - max(1, round(ranks / 5))) + (choice.mode != "async")


RULES = (
    OwnRule("one_per_four", "1 I/O rank per 4 compute", _as_one_of_five),
    OwnRule("always_serial", "always serial",
            lambda choice, ranks: float(choice.mode != "serial") + choice.io_ranks),
    OwnRule("default", "the default: async, 1 I/O rank",
            lambda choice, ranks: float(choice.mode != "async") + abs(choice.io_ranks - 1.0)),
)  # fmt: skip


@dataclass(frozen=True)
class OwnPoint:
    """Runs that repeat each other. predicted: from other groups."""

    runs: tuple[OwnRun, ...]
    prediction: Prediction

    @property
    def choice(self) -> OwnChoice:
        return self.runs[0].choice

    @property
    def median_s(self) -> float:
        return float(np.median([run.total_s for run in self.runs]))

    @property
    def within_repeats(self) -> bool | None:
        """Is the prediction no farther from their median than they are from each other? None: one.

        Between the shortest and longest of three lies what is right in three of four points only.
        """
        if len(self.runs) < 2:
            return None
        times = [run.total_s for run in self.runs]
        return abs(self.prediction.total_s - self.median_s) <= max(times) - min(times)


@dataclass(frozen=True)
class OwnDecision:
    """A group: one experiment on as many ranks. Regrets: of medians of repeats."""

    points: tuple[OwnPoint, ...]
    proposed: OwnPoint
    regret: float
    rules: dict[str, float]


@dataclass(frozen=True)
class OwnResult(Figures):
    """tried: every run with its prediction."""

    rule_names = tuple(rule.name for rule in RULES)

    name: str
    tried: tuple[Tried[OwnRun], ...]
    points: tuple[OwnPoint, ...]
    decisions: tuple[OwnDecision, ...]

    @property
    def within_repeats(self) -> float | None:
        told = [each.within_repeats for each in self.points]
        known = [each for each in told if each is not None]
        return float(np.mean(known)) if known else None


def validate_own(machine: Machine, runs: Sequence[OwnRun]) -> list[OwnResult]:
    """From the calibration alone; and, of two groups or more, each group from the others too."""
    alone = untaught(machine)
    rates = alone.rates(_DRAWS)
    told = [(r, alone.predict_with(rates, r.situation, r.choice, r.nodes)) for r in runs]
    found = [_judge("the calibration alone", told)]
    if len({run.group for run in runs}) > 1:
        found.append(_judge("the calibration and the other groups", held_out(machine, runs)))
    return found


def _judge(name: str, told: Sequence[tuple[OwnRun, Prediction]]) -> OwnResult:
    tried = tuple(Tried(run, prediction) for run, prediction in told)
    groups: dict[Hashable, dict[OwnChoice, list[Tried[OwnRun]]]] = {}
    for each in tried:
        groups.setdefault(each.run.group, {}).setdefault(each.run.choice, []).append(each)
    decisions, points = [], []
    for group in groups.values():
        its = [OwnPoint(tuple(t.run for t in each), each[0].prediction) for each in group.values()]
        points += its
        if len(its) > 1:
            decisions.append(_decide(its))
    return OwnResult(name, tried, tuple(points), tuple(decisions))


def _decide(points: Sequence[OwnPoint]) -> OwnDecision:
    totals = [each.prediction.total_s for each in points]
    first = points[0].runs[0]
    everything = list(range(len(points)))
    safe = [at for at in everything
            if not is_risky(first.situation, points[at].choice, first.nodes)]  # fmt: skip
    at = best_at(safe or everything, [each.choice for each in points], totals)
    least = min(each.median_s for each in points)
    rules = {}
    for rule in RULES:
        away = [rule.distance(each.choice, first.nodes.ranks) for each in points]
        nearest = [p.median_s for p, far in zip(points, away, strict=True) if far == min(away)]
        rules[rule.name] = min(nearest) / least - 1.0
    return OwnDecision(tuple(points), points[at], points[at].median_s / least - 1.0, rules)
