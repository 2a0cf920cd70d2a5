# SPDX-License-Identifier: Apache-2.0
"""The choice among ways to run, and what simple rules would choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thalweg.advisor.prediction.run_facts import RunFacts

# Predictions that differ by less are a tie: fewer ranks for input and output are proposed then.
_TIE = 0.001


def choose(candidates: Sequence[RunFacts], predicted_s: Sequence[float]) -> int:
    """Position of the proposal: the shortest run, and of ties the fewest I/O and restart ranks.

    On several nodes one rank that writes for all is proposed only where there is nothing else: its
    time grows with the ranks, and a prediction that is a little off there is far off elsewhere.
    """
    order = range(len(candidates))
    asked = [at for at in order if not is_risky(candidates[at])] or list(order)
    return shortest(asked, predicted_s, lambda at: (_dedicated_ranks(candidates[at]),))


def shortest(
    asked: Sequence[int], predicted_s: Sequence[float], ranks: Callable[[int], tuple[float, ...]],
    tie: float = _TIE,
) -> int:  # fmt: skip
    """Of positions that are asked: the shortest, and of ties that with the fewest ranks."""
    least = min(predicted_s[at] for at in asked)
    ties = [at for at in asked if predicted_s[at] <= least * (1.0 + tie)]
    return min(ties, key=lambda at: (ranks(at), predicted_s[at]))


def is_risky(facts: RunFacts) -> bool:
    """Serial output or sync restarts of several nodes."""
    serial = facts.outputs > 0 and facts.io_ranks == 0
    sync = facts.checkpoints > 0 and facts.restart_mode == "sync"
    return facts.nodes > 1 and (serial or sync)


def _dedicated_ranks(facts: RunFacts) -> float:
    return facts.io_ranks + facts.restart_ranks


@dataclass(frozen=True)
class Rule:
    """Ranks for output, and as many for restarts, whatever the run writes."""

    name: str
    meaning: str
    ranks: Callable[[RunFacts], float]


RULES = (
    Rule("four_per_node", "4 per node, at most 32", lambda facts: min(32.0, 4.0 * facts.nodes)),
    Rule("always_8", "always 8", lambda facts: 8.0),
    Rule("none", "none", lambda facts: 0.0),
)


def nearest(rule: Rule, candidates: Sequence[RunFacts]) -> list[int]:
    """Positions of those nearest to what the rule says: a rule names ranks and no mode."""

    def distance(facts: RunFacts) -> float:
        asked = rule.ranks(facts)
        output = abs(facts.io_ranks - asked) * (facts.outputs > 0)
        return output + abs(facts.restart_ranks - asked) * (facts.checkpoints > 0)

    distances = [distance(facts) for facts in candidates]
    return [at for at, found in enumerate(distances) if found == min(distances)]
