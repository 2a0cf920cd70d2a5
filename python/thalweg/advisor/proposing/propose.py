# SPDX-License-Identifier: Apache-2.0
"""The proposal, the next best ones, the curve over I/O ranks, and when output limits a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from thalweg.advisor.prediction.predictor import Prediction, Predictor
from thalweg.advisor.prediction.proposal import choose, is_risky
from thalweg.advisor.prediction.run_facts import ManyRuns, RunFacts
from thalweg.advisor.prediction.service import predict
from thalweg.advisor.proposing.candidates import choices, facts_of
from thalweg.advisor.proposing.machine import FittedMachine
from thalweg.advisor.proposing.partitions import bytes_on_a_rank, share_out
from thalweg.advisor.proposing.situation import Choice, Nodes, Situation
from thalweg.errors import ThalwegError
from thalweg.run.metrics import SECONDS_PER_YEAR

_ALTERNATIVES = 5
# Output and restarts limit a run that they make this much longer than its steps alone take.
_LIMITS_FROM = 0.1
_MOST_NODES = 4096
_RANGES_TOLD = {
    "cells": "cells",
    "nodes": "nodes",
    "io_ranks": "I/O ranks",
    "output_bytes": "bytes of an output",
    "checkpoint_bytes": "bytes of a checkpoint",
}
_FAR = 1.5  # times the largest of the fitted runs, or less than the least over it


@dataclass(frozen=True)
class Way:
    """A choice with what is predicted of it. limit: what takes longest. Times in s, of the run."""

    choice: Choice
    facts: RunFacts
    partitions: tuple[int, ...]
    prediction: Prediction
    steps_s: float
    waiting_s: float
    limit: str
    node_hours: float
    chsy: float
    bytes_on_io_rank: int


@dataclass(frozen=True)
class Proposal:
    """best: what is proposed. now: what the script has. curve: over I/O ranks, else as the best.

    output_limits_from   nodes; None: not up to most_nodes
    """

    nodes: Nodes
    best: Way
    now: Way | None
    alternatives: tuple[Way, ...]
    curve: tuple[Way, ...]
    output_limits_from: int | None
    most_nodes: int
    fitted_nodes: float
    notes: tuple[str, ...] = field(default=())


def propose(
    machine: FittedMachine, predictor: Predictor, situation: Situation, nodes: Nodes
) -> Proposal:
    """Raises a sentence where nothing can be predicted."""
    _check(situation, nodes)
    ways = _ways(predictor, situation, nodes, choices(situation, nodes))
    best = _best(ways)
    others = sorted(
        (way for way in ways if _differs(way, best)), key=lambda way: way.prediction.total_s
    )
    curve = [way for way in ways if _is_same_but_io(way, best)]
    now = _now(predictor, situation, nodes)
    first, most = _output_limits_from(predictor, situation, nodes.ranks_per_node)
    notes = (*_far_off(machine, best.facts), *_untold(predictor, situation, nodes))
    return Proposal(
        nodes,
        best,
        now,
        tuple(_distinct(others)),
        tuple(curve),
        first,
        most,
        machine.ranges["nodes"][1],
        tuple(notes),
    )


def _check(situation: Situation, nodes: Nodes) -> None:
    if nodes.ranks < 2:
        raise ThalwegError("a proposal is for two ranks or more; give more nodes or ranks on each")
    if nodes.ranks > situation.cells:
        raise ThalwegError(
            f"{nodes.ranks} ranks are more than the {situation.cells} cells of the run; give fewer "
            "nodes or ranks on each"
        )


def _ways(
    predictor: Predictor, situation: Situation, nodes: Nodes, asked: Sequence[Choice],
    partitions: Sequence[tuple[int, ...]] = (),
) -> list[Way]:  # fmt: skip
    """Those that can be predicted."""
    parts = partitions or [share_out(situation.series, each.io_ranks) for each in asked]
    facts = [facts_of(situation, nodes, *each) for each in zip(asked, parts, strict=True)]
    told = predictor.predict(facts)
    services = predict(ManyRuns.of(facts), predictor.fit.values)
    found = []
    for at, (choice, part, each, prediction) in enumerate(
        zip(asked, parts, facts, told, strict=True)
    ):
        if prediction.reason:
            continue
        steps_s = float(services.compute_s[at])
        shares = {
            "time steps": steps_s,
            "serial output": float(services.serial_output_s[at]),
            f"restart {choice.restart_mode}": float(services.blocking_restart_s[at]),
            "I/O ranks": float(services.output_s[at]),
            "restart ranks": float(services.restart_s[at]),
        }
        node_hours = prediction.total_s * nodes.count / 3600.0
        found.append(
            Way(
                choice, each, part, prediction, steps_s,
                max(0.0, prediction.total_s - steps_s),
                max(shares, key=lambda name: shares[name]),
                node_hours,
                prediction.total_s * nodes.ranks / 3600.0 * SECONDS_PER_YEAR
                / situation.simulated_s,
                bytes_on_a_rank(situation.series, part, choice.io_ranks),
            )
        )  # fmt: skip
    if not found:
        raise ThalwegError(f"nothing can be predicted: {told[0].reason}")
    return found


def _best(ways: Sequence[Way]) -> Way:
    return ways[choose([way.facts for way in ways], [way.prediction.total_s for way in ways])]


def _differs(way: Way, best: Way) -> bool:
    return way is not best and not is_risky(way.facts)


def _distinct(ways: Sequence[Way]) -> list[Way]:
    """The next best, one for each restart mode and each factor of 1.3 in ranks."""
    found: list[Way] = []
    for way in ways:
        alike = any(
            way.choice.restart_mode == other.choice.restart_mode
            and _near(way.choice.io_ranks, other.choice.io_ranks)
            and _near(way.choice.restart_ranks, other.choice.restart_ranks)
            for other in found
        )
        if not alike:
            found.append(way)
        if len(found) == _ALTERNATIVES:
            break
    return found


def _near(one: int, other: int) -> bool:
    return one == other or max(one, other) <= 1.3 * min(one, other)


def _is_same_but_io(way: Way, best: Way) -> bool:
    return (way.choice.restart_mode, way.choice.restart_ranks) == (
        best.choice.restart_mode,
        best.choice.restart_ranks,
    )


def _now(predictor: Predictor, situation: Situation, nodes: Nodes) -> Way | None:
    """What the script has, where it can be run on these nodes and predicted."""
    chosen = situation.chosen
    if chosen is None or chosen.ranks >= nodes.ranks:
        return None
    parts = situation.partitions
    try:
        return _ways(predictor, situation, nodes, [chosen], [parts])[0]
    except ThalwegError:
        return None


def _output_limits_from(
    predictor: Predictor, situation: Situation, ranks_per_node: int
) -> tuple[int | None, int]:
    """Nodes from which the best way takes a tenth longer than steps on all ranks would; and how
    many were looked at.
    """
    count, looked_at = 1, 0
    while count <= _MOST_NODES and 2 <= count * ranks_per_node <= situation.cells:
        nodes, looked_at = Nodes(count, ranks_per_node), count
        best = _best(_ways(predictor, situation, nodes, choices(situation, nodes)))
        alone = facts_of(situation, nodes, Choice(0))
        steps_s = float(predict(ManyRuns.of([alone]), predictor.fit.values).compute_s[0])
        if best.prediction.total_s > (1.0 + _LIMITS_FROM) * steps_s:
            return count, looked_at
        count *= 2
    return None, looked_at


def _far_off(machine: FittedMachine, facts: RunFacts) -> list[str]:
    notes = []
    for name, word in _RANGES_TOLD.items():
        value, (least, most) = float(getattr(facts, name)), machine.ranges[name]
        if value > _FAR * most or 0 < value < least / _FAR:
            notes.append(
                f"{value:.4g} {word} lie outside the fitted runs ({least:.4g} to {most:.4g}): the "
                "interval does not know what changes there"
            )
    return notes


def _untold(predictor: Predictor, situation: Situation, nodes: Nodes) -> list[str]:
    asked = choices(situation, nodes)
    told = predictor.predict([facts_of(situation, nodes, each) for each in asked])
    modes: dict[str, str] = {}
    for choice, prediction in zip(asked, told, strict=True):
        if prediction.reason:
            mode = choice.restart_mode if situation.sets else "output"
            modes.setdefault(f"{mode}: {prediction.reason}", mode)
    return [f"left out, {reason}" for reason in modes]
