# SPDX-License-Identifier: Apache-2.0
"""Predictions of runs that were not fitted, and what they are worth: errors, intervals, regret."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import log
from statistics import median
from typing import TypeAlias

from thalweg.advisor.prediction.figures import Figures, Tried
from thalweg.advisor.prediction.predictor import Predictor, learn
from thalweg.advisor.prediction.proposal import RULES, choose, is_risky, nearest
from thalweg.advisor.prediction.run_facts import MeasuredRun, RunFacts
from thalweg.advisor.prediction.splits import GROUP, Split, folds, situation

_ALIKE = 0.05  # relative: sizes of repeats
TriedRun: TypeAlias = Tried[MeasuredRun]


@dataclass(frozen=True)
class Decision:
    """A group of runs that differ in ranks and modes alone, of which repeats count as one way, with
    the median of their times. Regrets: over the shortest way, less 1.

    rules: of each rule the shortest of the runs nearest to it, which is more than the rule says
    """

    runs: tuple[MeasuredRun, ...]
    proposed: MeasuredRun
    proposed_s: float
    regret: float
    rules: dict[str, float]
    risky: bool


@dataclass(frozen=True)
class Result(Figures):
    """tried: with a prediction. untold: without one, and why."""

    rule_names = tuple(rule.name for rule in RULES)

    name: str
    meaning: str
    tried: tuple[TriedRun, ...]
    untold: tuple[TriedRun, ...]
    decisions: tuple[Decision, ...]

    @property
    def risky_proposals(self) -> int:
        return sum(each.risky for each in self.decisions)


def validate_split(runs: Sequence[MeasuredRun], split: Split) -> Result | None:
    """Each fold from the runs outside it; None where there are no two folds."""
    tried: dict[int, TriedRun] = {}
    for fold in folds(runs, split):
        rest = [run for at, run in enumerate(runs) if at not in set(fold)]
        found = try_on(learn(rest), [runs[at] for at in fold])
        tried.update(zip(fold, found, strict=True))
    return judge(split.name, split.meaning, [tried[at] for at in sorted(tried)]) if tried else None


def try_on(predictor: Predictor, runs: Sequence[MeasuredRun]) -> list[TriedRun]:
    predictions = predictor.predict([run.facts for run in runs])
    return [Tried(run, told) for run, told in zip(runs, predictions, strict=True)]


def judge(name: str, meaning: str, tried: Sequence[TriedRun]) -> Result:
    told = tuple(each for each in tried if not each.prediction.reason)
    untold = tuple(each for each in tried if each.prediction.reason)
    groups: dict[Hashable, list[TriedRun]] = {}
    for each in told:
        groups.setdefault(GROUP.key(each.run), []).append(each)
    decisions = [_decide(group, tried) for group in groups.values()]
    return Result(name, meaning, told, untold, tuple(each for each in decisions if each))


def _decide(told: Sequence[TriedRun], all_tried: Sequence[TriedRun]) -> Decision | None:
    """Of the runs that have a prediction one is proposed; the shortest may be any."""
    group = situation(told[0].run)
    runs = [each.run for each in all_tried if situation(each.run) == group]
    if len(_times(runs)) < 2:
        return None
    at = choose([t.run.facts for t in told], [t.prediction.total_s for t in told])
    proposed, times = told[at].run, _times(runs)
    shortest = min(times.values())
    rules = {}
    for rule in RULES:
        at_rule = nearest(rule, [run.facts for run in runs])
        rules[rule.name] = min(times[_way(runs[at])] for at in at_rule) / shortest - 1.0
    proposed_s = times[_way(proposed)]
    regret = proposed_s / shortest - 1.0
    return Decision(tuple(runs), proposed, proposed_s, regret, rules, is_risky(proposed.facts))


def _times(runs: Sequence[MeasuredRun]) -> dict[RunFacts, float]:
    """Medians of repeats."""
    found: dict[RunFacts, list[float]] = {}
    for run in runs:
        found.setdefault(_way(run), []).append(run.total_s)
    return {way: median(times) for way, times in found.items()}


def _way(run: MeasuredRun) -> RunFacts:
    """What repeats have in common: bytes to a few percent, as logs have them in other digits."""
    facts = run.facts
    return replace(
        facts, output_bytes=_rounded(facts.output_bytes),
        checkpoint_bytes=_rounded(facts.checkpoint_bytes),
    )  # fmt: skip


def _rounded(size: float) -> float:
    return round(log(size) / _ALIKE) if size > 0.0 else 0.0
