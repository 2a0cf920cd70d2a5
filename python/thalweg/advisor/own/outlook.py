# SPDX-License-Identifier: Apache-2.0
"""From how many nodes on output and restarts limit a run of ours."""

from __future__ import annotations

from collections.abc import Sequence

from thalweg.advisor.limits import LIMITS_FROM, Limits, find_limits
from thalweg.advisor.own.form import services_of
from thalweg.advisor.own.rates import Rates
from thalweg.advisor.own.situation import OwnChoice, OwnSituation
from thalweg.advisor.own.ways import choices, is_risky, quick_totals
from thalweg.advisor.shapes import Nodes

# Each number of nodes that is looked at takes a while: few are, with few numbers of ranks.
STEP, NEARNESS = 4, 0.1
_COUNTS = frozenset({0, 1, 2, 4, 8, 16, 32, 64, 128, 256})
_OUTPUTS, _RESTARTS = 4, 2  # with which restarts are compared, and that are looked at then


def own_limits(
    rates: Rates, situation: OwnSituation, nodes: Nodes, asked: Sequence[OwnChoice],
    totals: Sequence[float],
) -> Limits:  # fmt: skip
    """rates: with one draw. asked, totals: of all ways on the nodes of the user."""

    def is_limited(count: int) -> bool | None:
        there = nodes if count == nodes.count else Nodes(count, nodes.ranks_per_node)
        alone = OwnChoice("serial", 0, tuple(1 for _ in situation.series))
        services = services_of(situation, alone, there, rates)
        limit_s = float((services.startup + services.steps)[0]) * (1.0 + LIMITS_FROM)
        if count == nodes.count:
            known = zip(asked, totals, strict=True)
            found = [each for way, each in known if not is_risky(situation, way, nodes)]
        else:
            found = _totals(rates, situation, there)
        return min(found) > limit_s if found else None

    return find_limits(
        is_limited, nodes.ranks_per_node, situation.cells, nodes.count, step=STEP, nearness=NEARNESS
    )


def _totals(rates: Rates, situation: OwnSituation, nodes: Nodes) -> list[float]:
    """Of the ways with a few numbers of ranks: restarts first, with some outputs, and of the best
    of them all outputs.
    """
    ways = [
        each
        for each in choices(situation, nodes)
        if {each.io_ranks, each.restart_ranks} <= _COUNTS and not is_risky(situation, each, nodes)
    ]
    outputs = list(dict.fromkeys((w.mode, w.io_ranks, w.partitions) for w in ways))
    some = set(outputs[:: -(-len(outputs) // _OUTPUTS) or 1])
    first = [each for each in ways if (each.mode, each.io_ranks, each.partitions) in some]
    totals = quick_totals(rates, situation, first, nodes)
    order = sorted(range(len(first)), key=lambda at: totals[at])
    restarts = dict.fromkeys((first[at].restart_mode, first[at].restart_ranks) for at in order)
    best = set(list(restarts)[:_RESTARTS])
    more = [each for each in ways if (each.restart_mode, each.restart_ranks) in best]
    return [*totals, *quick_totals(rates, situation, more, nodes)]
