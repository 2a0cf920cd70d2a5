# SPDX-License-Identifier: Apache-2.0
"""From how many nodes on output and restarts limit a run of ours."""

from __future__ import annotations

from thalweg.advisor.limits import LIMITS_FROM, limited_from
from thalweg.advisor.own.form import services_of
from thalweg.advisor.own.rates import Rates
from thalweg.advisor.own.situation import OwnChoice, OwnSituation
from thalweg.advisor.own.ways import choices, is_risky, quick_totals
from thalweg.advisor.shapes import Nodes

_NEARNESS = 0.1  # of the answer: each number of nodes that is looked at takes a while
_MOST_TRIED = 8
_USUAL = "async"  # is looked at beside the mode of the best


def own_limits_from(
    rates: Rates, situation: OwnSituation, best: OwnChoice, ranks_per_node: int
) -> tuple[int | None, int]:
    """As limited_from(): of ways with restarts as the best has them. rates: with one draw."""

    def is_limited(count: int) -> bool:
        nodes = Nodes(count, ranks_per_node)
        alone = services_of(situation, OwnChoice("serial", 0, best.partitions), nodes, rates)
        limit_s = float((alone.startup + alone.steps)[0]) * (1.0 + LIMITS_FROM)
        return not any(
            quick_totals(rates, situation, [each], nodes)[0] <= limit_s
            for each in _ways(situation, best, nodes)
        )

    return limited_from(is_limited, ranks_per_node, situation.cells, _NEARNESS)


def _ways(situation: OwnSituation, best: OwnChoice, nodes: Nodes) -> list[OwnChoice]:
    """A few, most I/O ranks first: with fewer it is the output that takes long, mostly."""
    found = [
        each
        for each in choices(situation, nodes)
        if each.mode in (best.mode, _USUAL)
        and (each.restart_mode, each.restart_ranks) == (best.restart_mode, best.restart_ranks)
        and not is_risky(situation, each, nodes)
    ]
    found.sort(key=lambda each: -each.io_ranks)
    return found[:: -(-len(found) // _MOST_TRIED) or 1]
