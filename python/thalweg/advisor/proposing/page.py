# SPDX-License-Identifier: Apache-2.0
"""A proposal as tables for people and as JSON."""

from __future__ import annotations

from thalweg.advisor.prediction.proposal import is_risky
from thalweg.advisor.proposing.propose import Proposal, Way
from thalweg.advisor.proposing.situation import Situation
from thalweg.tables import print_table

_GB = 1e9
_COLUMNS = ("", "I/O ranks", "restart", "run time", "80 % between", "waiting", "node h", "CHSY",
            "limited by", "GB on an I/O rank")  # fmt: skip


def print_proposal(proposal: Proposal, situation: Situation) -> None:
    rows = [_row("proposed", proposal.best)]
    if proposal.now is not None:
        rows.append(_row("now", proposal.now))
    rows += [_row("or", way) for way in proposal.alternatives]
    print_table(_COLUMNS, rows, right=("I/O ranks", *_COLUMNS[3:8], _COLUMNS[9]))
    nodes = proposal.nodes
    print(
        f"on {nodes.count} nodes with {nodes.ranks_per_node} ranks each; waiting: what it takes "
        "beyond its steps"
    )
    parts = ", ".join(
        f"{each.name} {count}"
        for each, count in zip(situation.series, proposal.best.partitions, strict=True)
    )
    if proposal.best.choice.io_ranks:
        print(f"stream partitions: {parts}")
        print(placement(proposal))
    print(limits_text(proposal))


def placement(proposal: Proposal) -> str:
    ranks, nodes = proposal.best.choice.io_ranks, proposal.nodes
    if nodes.count == 1:
        return f"placement: the last {ranks} ranks are I/O ranks"
    each = -(-ranks // nodes.count)
    return (
        f"placement: ICON takes its last ranks; spread them, at most {each} on a node (srun "
        "--distribution=cyclic): fitted runs do not tell how much that is worth"
    )


def limits_text(proposal: Proposal) -> str:
    if proposal.output_limits_from is None:
        return (
            f"output and restarts do not limit this run on up to {proposal.most_nodes} nodes, as "
            f"far as the fitted runs tell: they have at most {proposal.fitted_nodes:g}"
        )
    return (
        f"output and restarts limit this run from {proposal.output_limits_from} nodes on: even the "
        "best way takes a tenth longer there than steps alone"
    )


def warnings_of(proposal: Proposal) -> list[str]:
    """What the script has and should not have."""
    found = list(proposal.notes)
    now, best = proposal.now, proposal.best
    if now is not None and is_risky(now.facts):
        what = "serial output" if now.facts.outputs and not now.choice.io_ranks else "sync restarts"
        found.append(f"{what} on several nodes: do not; every rank waits for one that gathers")
    if now is not None and now.prediction.low_s > best.prediction.high_s:
        worth = now.prediction.total_s / best.prediction.total_s
        found.append(f"what the script has now takes {worth:.2g} times as long as the proposal")
    return found


def proposal_as_json(proposal: Proposal, situation: Situation) -> dict[str, object]:
    return {
        "nodes": proposal.nodes.count,
        "ranks_per_node": proposal.nodes.ranks_per_node,
        **_as_json(proposal.best, situation),
        "placement": placement(proposal) if proposal.best.choice.io_ranks else None,
        "now": _as_json(proposal.now, situation) if proposal.now else None,
        "output_limits_from_nodes": proposal.output_limits_from,
        "looked_at_nodes": proposal.most_nodes,
        "curve": [
            {
                "io_ranks": way.choice.io_ranks,
                "total_s": way.prediction.total_s,
                "low_s": way.prediction.low_s,
                "high_s": way.prediction.high_s,
            }
            for way in proposal.curve
        ],
    }


def alternatives_as_json(proposal: Proposal, situation: Situation) -> list[dict[str, object]]:
    return [_as_json(way, situation) for way in proposal.alternatives]


def _as_json(way: Way, situation: Situation) -> dict[str, object]:
    choice, told = way.choice, way.prediction
    return {
        "io_ranks": choice.io_ranks,
        "restart_mode": choice.restart_mode,
        "restart_ranks": choice.restart_ranks,
        "compute_ranks": int(way.facts.compute_ranks),
        "partitions": {
            each.name: count for each, count in zip(situation.series, way.partitions, strict=True)
        },
        "total_s": told.total_s,
        "low_s": told.low_s,
        "high_s": told.high_s,
        "steps_s": way.steps_s,
        "waiting_s": way.waiting_s,
        "limited_by": way.limit,
        "node_hours": way.node_hours,
        "chsy_core_hours_per_year": way.chsy,
        "bytes_on_an_io_rank": way.bytes_on_io_rank,
    }


def _row(head: str, way: Way) -> list[str]:
    choice, told = way.choice, way.prediction
    restart = choice.restart_mode.replace("_", " ")
    if choice.restart_ranks:
        restart += f" {choice.restart_ranks}"
    return [
        head,
        str(choice.io_ranks),
        restart,
        _seconds(told.total_s),
        f"{_seconds(told.low_s)} {_seconds(told.high_s)}",
        f"{100.0 * way.waiting_s / told.total_s:.1f} %",
        f"{way.node_hours:.4g}",
        f"{way.chsy:.4g}",
        way.limit,
        f"{way.bytes_on_io_rank / _GB:.3f}" if choice.io_ranks else "",
    ]


def _seconds(value: float) -> str:
    return f"{value:.0f} s" if value >= 100.0 else f"{value:.3g} s"
