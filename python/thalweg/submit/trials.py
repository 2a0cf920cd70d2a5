# SPDX-License-Identifier: Apache-2.0
"""Which ways are tried by test runs: the proposal, what the script has now, and neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thalweg.advisor.prediction.proposal import is_risky
from thalweg.advisor.proposing.propose import Proposal
from thalweg.advisor.proposing.ways import Way

_FEWER = 2 / 3  # of the proposed I/O ranks, at most: nearer ones are not told apart by short runs
_MORE = 1.5


@dataclass(frozen=True)
class Trial:
    """name: of its directory. why: for people. as_it_is: the script keeps what it has now."""

    name: str
    why: str
    way: Way
    as_it_is: bool = False


def choose_trials(proposal: Proposal, most: int) -> list[Trial]:
    """At most so many, no way twice; what tells most about the proposal first."""
    found: list[Trial] = []
    for trial in _wanted(proposal):
        if len(found) < most and not any(_is_same(trial.way, other.way) for other in found):
            found.append(trial)
    return found


def _wanted(proposal: Proposal) -> Iterator[Trial]:
    best = proposal.best
    if proposal.now is not None and _is_same(best, proposal.now):
        yield Trial("proposed", "what is proposed, which the script has already", best, True)
    yield Trial("proposed", "what is proposed", best)
    if proposal.now is not None:
        yield Trial("now", "what the script has now", proposal.now, True)
    for way in proposal.alternatives:
        if way.choice.restart_mode != best.choice.restart_mode:
            yield Trial("next_mode", "the next best restart mode", way)
            break
    io_ranks = best.choice.io_ranks
    curve = [way for way in proposal.curve if not is_risky(way.facts)]
    if fewer := [way for way in curve if way.choice.io_ranks <= _FEWER * io_ranks]:
        yield Trial("fewer_io", "fewer I/O ranks", max(fewer, key=_io_ranks))
    if more := [way for way in curve if way.choice.io_ranks >= max(1.0, _MORE * io_ranks)]:
        yield Trial("more_io", "more I/O ranks", min(more, key=_io_ranks))
    yield from _others(proposal.alternatives)


def _others(ways: Sequence[Way]) -> Iterator[Trial]:
    for number, way in enumerate(ways, start=1):
        yield Trial(f"or_{number}", "one of the next best", way)


def _io_ranks(way: Way) -> int:
    return way.choice.io_ranks


def _is_same(one: Way, other: Way) -> bool:
    return (one.choice, one.partitions) == (other.choice, other.partitions)
