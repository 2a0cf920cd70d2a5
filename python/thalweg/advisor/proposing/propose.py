# SPDX-License-Identifier: Apache-2.0
"""The proposal: what is best, what the script has, the next best, and the curve over I/O ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thalweg.advisor.limits import Limits
from thalweg.advisor.prediction.predictor import Predictor
from thalweg.advisor.prediction.proposal import is_risky
from thalweg.advisor.proposing.candidates import choices
from thalweg.advisor.proposing.choosing import best_of, next_best
from thalweg.advisor.proposing.machine import FittedMachine
from thalweg.advisor.proposing.outlook import far_off, output_limits
from thalweg.advisor.proposing.partitions import refused_places
from thalweg.advisor.proposing.situation import Situation
from thalweg.advisor.proposing.ways import Way, ways_of
from thalweg.advisor.shapes import Nodes
from thalweg.advisor.words import many
from thalweg.errors import ThalwegError

_LONGER = 1.001  # no tie
_MUCH = 0.02  # of the run
_LARGER = 1.5  # than in any fitted run
_LARGE_BYTES = 32e9  # that one rank holds


@dataclass(frozen=True)
class Proposal:
    """best: what is proposed. now: what the script has. curve: over I/O ranks, else as the best."""

    machine: FittedMachine
    nodes: Nodes
    best: Way
    now: Way | None
    alternatives: tuple[Way, ...]
    curve: tuple[Way, ...]
    limits: Limits
    notes: tuple[str, ...]


def propose(
    machine: FittedMachine, predictor: Predictor, situation: Situation, nodes: Nodes
) -> Proposal:
    """Raises a sentence where nothing can be predicted."""
    _check(situation, nodes)
    ways = ways_of(predictor, situation, nodes, choices(situation, nodes))
    best = best_of(ways)
    now, notes = _now(predictor, situation, nodes)
    limits = output_limits(predictor, situation, nodes)
    curve = tuple(
        way
        for way in ways
        if (way.choice.restart_mode, way.choice.restart_ranks)
        == (best.choice.restart_mode, best.choice.restart_ranks)
        and not way.prediction.reason
    )
    notes = [
        *notes, *far_off(machine, best.facts), *_left_out(ways), *_risky(ways, best, now),
        *_meetings(best), *_memory(best), *_rate(machine, best),
    ]  # fmt: skip
    return Proposal(machine, nodes, best, now, next_best(ways, best), curve, limits, tuple(notes))


def _check(situation: Situation, nodes: Nodes) -> None:
    if situation.set_aside >= nodes.ranks * 0.5:
        raise ThalwegError(
            f"of {many(nodes.ranks, 'rank')} {situation.set_aside} would neither compute nor "
            "write; give more nodes or ranks on each"
        )
    if nodes.ranks < 2:
        raise ThalwegError("a proposal is for two ranks or more; give more nodes or ranks on each")
    if nodes.ranks > situation.cells:
        raise ThalwegError(
            f"{nodes.ranks} ranks are more than the {situation.cells} cells of the run; give fewer "
            "nodes or ranks on each"
        )


def _now(
    predictor: Predictor, situation: Situation, nodes: Nodes
) -> tuple[Way | None, list[str]]:  # fmt: skip
    """What the script has, where it can be run on these nodes and predicted."""
    chosen = situation.chosen
    if chosen is None:
        return None, []
    if chosen.ranks + situation.set_aside >= nodes.ranks:
        return None, [
            f"the script has {chosen.ranks} I/O and restart ranks now{_aside(situation)}, and the "
            f"nodes {nodes.ranks} ranks: none would compute"
        ]
    refused = refused_places(situation.series, chosen.io_ranks)
    if refused:
        return None, [f"what the script has now is not compared, since ICON stops: {refused}"]
    (way,) = ways_of(predictor, situation, nodes, [chosen], situation.partitions)
    if way.prediction.reason:
        return None, [f"what the script has now is not compared: {way.prediction.reason}"]
    return way, []


def _aside(situation: Situation) -> str:
    aside = situation.set_aside
    return f", and {many(aside, 'rank')} that neither compute nor write" if aside else ""


def _memory(best: Way) -> Iterator[str]:
    if best.bytes_on_io_rank > _LARGE_BYTES:
        yield (
            f"an I/O rank holds up to {best.bytes_on_io_rank / 1e9:.3g} GB at a time: see that its "
            "node has as much for it; more I/O ranks with more partitions hold less each"
        )


def _rate(machine: FittedMachine, best: Way) -> Iterator[str]:
    """Of sets larger than those of the fitted runs, which do not tell what a file system bears."""
    facts, most_bytes = best.facts, machine.ranges["checkpoint_bytes"][1]
    together = facts.restart_mode == "joint_multifile" and best.waiting_s > 0.0
    if together and facts.checkpoint_bytes > _LARGER * most_bytes:
        rate = facts.checkpoints * facts.checkpoint_bytes / best.waiting_s / 1e9
        yield (
            f"restart sets of {facts.checkpoint_bytes / 1e9:.3g} GB by all ranks would be written "
            f"at {rate:.3g} GB/s or more, and the fitted runs wrote {most_bytes / 1e9:.3g} GB at a "
            "time at most: see that the file system does"
        )


def _meetings(best: Way) -> Iterator[str]:
    if best.stalls_s > _MUCH * best.prediction.total_s:
        yield (
            f"compute ranks wait {best.stalls_s:.3g} s for I/O ranks that have outputs of several "
            "streams, or a large one, at a time: smaller outputs more often shorten the run"
        )


def _left_out(ways: Sequence[Way]) -> Iterator[str]:
    """Of ways that might have been proposed."""
    asked = [way.prediction.reason for way in ways if not is_risky(way.facts)]
    for reason in dict.fromkeys(filter(None, asked)):
        yield f"ways are left out: {reason}"


def _risky(ways: Sequence[Way], best: Way, now: Way | None) -> Iterator[str]:
    if now is not None and is_risky(now.facts):
        yield f"{_what_is_risky(now)} of several nodes: do not; all ranks wait for one that gathers"
    told = [way for way in ways if not way.prediction.reason]
    shortest = min(told, key=lambda way: way.prediction.total_s)
    if is_risky(shortest.facts) and best.prediction.total_s > (
        _LONGER * shortest.prediction.total_s
    ):
        yield (
            f"{_what_is_risky(shortest)} would take {shortest.prediction.total_s:.3g} s, less than "
            "what is proposed; on several nodes it is no proposal, since its time grows with ranks"
        )


def _what_is_risky(way: Way) -> str:
    words = ["serial output"] * (way.facts.outputs > 0 and not way.choice.io_ranks)
    words += ["sync restarts"] * (way.choice.restart_mode == "sync")
    return " and ".join(words)
