# SPDX-License-Identifier: Apache-2.0
"""A proposal as JSON."""

from __future__ import annotations

from thalweg.advisor.curve import curve_as_json
from thalweg.advisor.proposing.page import placement
from thalweg.advisor.proposing.propose import Proposal
from thalweg.advisor.proposing.situation import Situation
from thalweg.advisor.proposing.ways import Way


def proposal_as_json(proposal: Proposal, situation: Situation) -> dict[str, object]:
    return {
        "nodes": proposal.nodes.count,
        "ranks_per_node": proposal.nodes.ranks_per_node,
        **_as_json(proposal.best, situation),
        "placement": placement(proposal) if proposal.best.choice.ranks else None,
        "now": _as_json(proposal.now, situation) if proposal.now else None,
        "output_limits_from_nodes": proposal.limits.limited_from,
        "output_limits_here": proposal.limits.here,
        "looked_at_nodes": proposal.limits.looked_at,
        "curve": curve_as_json(proposal.curve),
    }


def alternatives_as_json(proposal: Proposal, situation: Situation) -> list[dict[str, object]]:
    return [_as_json(way, situation) for way in proposal.alternatives]


def _as_json(way: Way, situation: Situation) -> dict[str, object]:
    choice = way.choice
    return {
        "io_ranks": choice.io_ranks,
        "restart_mode": choice.restart_mode,
        "restart_ranks": choice.restart_ranks,
        "compute_ranks": int(way.facts.compute_ranks),
        "partitions": {
            each.name: count for each, count in zip(situation.series, way.partitions, strict=True)
        },
        **way.figures_as_json(),
        "stalls_s": way.stalls_s,
    }
