# SPDX-License-Identifier: Apache-2.0
"""Beyond one proposal: from how many nodes on output limits, and what the fitted runs had not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from thalweg.advisor.limits import LIMITS_FROM, Limits, find_limits
from thalweg.advisor.prediction.predictor import Predictor
from thalweg.advisor.prediction.proposal import is_risky
from thalweg.advisor.prediction.run_facts import ManyRuns, RunFacts
from thalweg.advisor.prediction.service import predict
from thalweg.advisor.proposing.candidates import choices, facts_of
from thalweg.advisor.proposing.choosing import least_total_s
from thalweg.advisor.proposing.dealing import best_dealing
from thalweg.advisor.proposing.machine import FittedMachine
from thalweg.advisor.proposing.situation import Choice, Situation
from thalweg.advisor.proposing.ways import quick_totals
from thalweg.advisor.shapes import VALUE_BYTES, Nodes

_MOST_TRIED = 6
_TOLD = {  # name -> word, unit
    "cells": ("cells", 1.0),
    "nodes": ("nodes", 1.0),
    "ranks_per_node": ("ranks on a node", 1.0),
    "io_ranks": ("I/O ranks", 1.0),
    "restart_ranks": ("restart ranks", 1.0),
    "output_bytes": ("million values of an output", 1e6 * VALUE_BYTES),
    "checkpoint_bytes": ("GB of a restart set", 1e9),
}
_FAR = 1.5  # times the largest of the fitted runs, or less than the least over it


def output_limits(predictor: Predictor, situation: Situation, nodes: Nodes) -> Limits:
    """nodes: of the user."""

    def is_limited(count: int) -> bool | None:
        return _is_limited(predictor, situation, Nodes(count, nodes.ranks_per_node))

    return find_limits(is_limited, nodes.ranks_per_node, situation.cells, nodes.count)


def _is_limited(predictor: Predictor, situation: Situation, nodes: Nodes) -> bool | None:
    """None where nothing can be predicted."""
    asked, facts, total_s = quick_totals(predictor, situation, nodes, choices(situation, nodes))
    best_s = least_total_s(facts, total_s)
    if best_s is None:
        return None
    alone = facts_of(situation, nodes, Choice(0))
    steps_s = float(predict(ManyRuns.of([alone]), predictor.fit.values).compute_s[0])
    limit_s = (1.0 + LIMITS_FROM) * steps_s
    short = [(choice, each_s) for choice, each, each_s in zip(asked, facts, total_s, strict=True)
             if each_s <= limit_s and not is_risky(each)]  # fmt: skip
    outputs = situation.some_in_order
    return not any(
        each_s + best_dealing(predictor, situation, nodes, choice, outputs).stalls_s <= limit_s
        for choice, each_s in _shortest(short)
    )


def _shortest(short: Sequence[tuple[Choice, float]]) -> Iterator[tuple[Choice, float]]:
    """Of a few numbers of I/O ranks, most ranks first: streams meet least there."""
    least: dict[int, tuple[Choice, float]] = {}
    for choice, each_s in short:
        if each_s < least.get(choice.io_ranks, (choice, math.inf))[1]:
            least[choice.io_ranks] = choice, each_s
    numbers = sorted(least, reverse=True)
    yield from (least[number] for number in numbers[:: -(-len(numbers) // _MOST_TRIED) or 1])


def far_off(machine: FittedMachine, facts: RunFacts) -> Iterator[str]:
    """What the fitted runs had not, in a sentence each."""
    outside, lacking = [], []
    for name, (word, unit) in _TOLD.items():
        value = float(getattr(facts, name)) / unit
        least, most = (each / unit for each in machine.ranges[name])
        if value <= 0.0 or least / _FAR <= value <= _FAR * most:
            continue
        if most == 0.0:
            lacking.append(word)
        else:
            span = f"{least:.3g} to {most:.3g}" if least < most else f"{most:.3g}"
            outside.append(f"{value:.3g} {word} ({span})")
    if outside:
        yield (
            f"outside the fitted runs (theirs in brackets): {', '.join(outside)}; the interval "
            "does not know what changes there"
        )
    if lacking:
        words = ", ".join(lacking)
        yield f"the fitted runs had none of these: {words}; what is told of them is a guess"
