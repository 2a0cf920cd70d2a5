# SPDX-License-Identifier: Apache-2.0
"""The best of several ways, and the next best that differ from it."""

from __future__ import annotations

from collections.abc import Sequence

from thalweg.advisor.prediction.proposal import choose, is_risky
from thalweg.advisor.prediction.run_facts import RunFacts
from thalweg.advisor.proposing.ways import Way
from thalweg.errors import ThalwegError

_ALTERNATIVES = 5
_ALIKE = 1.5  # ranks that differ by less are one alternative


def best_of(ways: Sequence[Way]) -> Way:
    """Raises a sentence where nothing but serial output and sync restarts can be predicted."""
    told = [way for way in ways if not way.prediction.reason]
    asked = [way for way in told if not is_risky(way.facts)]
    if not asked:
        reason = next(way.prediction.reason for way in ways if not is_risky(way.facts))
        raise ThalwegError(
            f"nothing can be proposed: {reason}; fit runs that have it, too, with 'thalweg "
            "calibrate --from RUNS'"
        )
    return asked[choose([way.facts for way in asked], [way.prediction.total_s for way in asked])]


def least_total_s(facts: Sequence[RunFacts], total_s: Sequence[float]) -> float | None:
    """That of best_of(), of ways that all have a prediction; None where none may be proposed."""
    asked = [at for at, each in enumerate(facts) if not is_risky(each)]
    if not asked:
        return None
    times = [total_s[at] for at in asked]
    return times[choose([facts[at] for at in asked], times)]


def next_best(ways: Sequence[Way], best: Way) -> tuple[Way, ...]:
    """Of each restart mode the shortest, and others that have ranks of their own."""
    others = sorted(
        (
            way
            for way in ways
            if way is not best and not way.prediction.reason and not is_risky(way.facts)
        ),
        key=lambda way: way.prediction.total_s,
    )
    found: list[Way] = []
    modes = {best.choice.restart_mode}
    for way in others:
        if way.choice.restart_mode not in modes:
            modes.add(way.choice.restart_mode)
            found.append(way)
    for way in others:
        if len(found) >= _ALTERNATIVES:
            break
        if not any(_are_alike(way, other) for other in (best, *found)):
            found.append(way)
    return tuple(sorted(found, key=lambda way: way.prediction.total_s))


def _are_alike(way: Way, other: Way) -> bool:
    one, two = way.choice, other.choice
    return (
        one.restart_mode == two.restart_mode
        and _near(one.io_ranks, two.io_ranks)
        and _near(one.restart_ranks, two.restart_ranks)
    )


def _near(one: int, other: int) -> bool:
    return one == other or max(one, other) < _ALIKE * min(one, other)
