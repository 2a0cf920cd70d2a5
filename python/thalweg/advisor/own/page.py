# SPDX-License-Identifier: Apache-2.0
"""A proposal for a run of ours as text and a table for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.advisor.own.propose import OwnProposal
from thalweg.advisor.own.situation import OwnSituation
from thalweg.advisor.own.ways import OwnWay
from thalweg.advisor.words import many, percent, seconds
from thalweg.tables import print_table

_GB = 1e9
_HEAD = 10  # characters of what stands before a line
_COLUMNS = ("", "output", "I/O ranks", "parts", "restart", "run time", "80 % between", "waiting",
            "node hours", "CHSY", "limited by")  # fmt: skip


def print_own_proposal(proposal: OwnProposal, situation: OwnSituation, written: str) -> None:
    """written: files and bytes of the run as proposed, or ""."""
    for head, text in _lines(proposal, situation, written):
        print(f"{head:<{_HEAD}}{text}")
    print()
    rows = [_row("proposed", proposal.best)]
    if proposal.now is not None:
        rows.append(_row("now", proposal.now))
    rows += [_row("or", way) for way in proposal.alternatives]
    print_table(_COLUMNS, rows, right=("I/O ranks", "parts", *_COLUMNS[5:10]))


def _lines(
    proposal: OwnProposal, situation: OwnSituation, written: str
) -> Iterator[tuple[str, str]]:  # fmt: skip
    best, nodes = proposal.best, proposal.nodes
    cores = proposal.predictor.machine.cores_per_node
    yield (
        "asked",
        (
            f"{many(nodes.count, 'node')} of {many(cores, 'core')} with "
            f"{many(nodes.ranks_per_node, 'rank')} each; {situation.cells} cells on "
            f"{many(situation.levels, 'level')}, {many(situation.steps, 'step')}, "
            f"{many(situation.outputs, 'output')}, {many(situation.sets, 'checkpoint')}"
        ),
    )
    if proposal.now is not None:
        yield "now", f"{proposal.now.choice}: {_takes(proposal.now)}; {_why(proposal.now)}"
    yield "proposed", f"{best.choice}; {many(best.compute_ranks, 'rank')} compute"
    yield (
        "takes",
        f"{_takes(best)}; {best.node_hours:.4g} node hours, {best.chsy:.4g} CHSY",
    )
    yield "why", _why(best)
    yield "sure", _sure(proposal)
    texts = [written] if written else []
    if best.choice.io_ranks:
        texts.append(f"an I/O rank holds up to {best.bytes_on_io_rank / _GB:.3f} GB of an output")
    if texts:
        yield "writes", "; ".join(texts)


def _takes(way: OwnWay) -> str:
    told = way.prediction
    between = f"{seconds(told.low_s)} to {seconds(told.high_s)}"
    return f"{seconds(told.total_s)}, 80 % of runs {between}"


def _why(way: OwnWay) -> str:
    waiting = percent(way.waiting_s / way.prediction.total_s)
    return f"limited by {way.limit}: steps take {seconds(way.steps_s)}, waiting is {waiting}"


def _sure(proposal: OwnProposal) -> str:
    predictor = proposal.predictor
    name = predictor.machine.name
    if not predictor.runs:
        return (
            f"a closed form from the calibration of '{name}' alone; no run has confirmed it: "
            "'thalweg tune' runs it and keeps what it tells"
        )
    runs = many(predictor.runs, "run")
    return f"a closed form from the calibration of '{name}', corrected by {runs}"


def _row(head: str, way: OwnWay) -> list[str]:
    choice, told = way.choice, way.prediction
    restart = choice.restart_mode.replace("_", " ")
    restart += f", {choice.restart_ranks}" if choice.restart_ranks else ""
    return [
        head,
        choice.mode.replace("_", " "),
        str(choice.io_ranks),
        str(max(choice.partitions, default=1)),
        restart,
        seconds(told.total_s),
        f"{seconds(told.low_s)} {seconds(told.high_s)}",
        percent(way.waiting_s / told.total_s),
        f"{way.node_hours:.4g}",
        f"{way.chsy:.4g}",
        way.limit.replace("_", " "),
    ]


def own_proposal_as_json(
    proposal: OwnProposal, situation: OwnSituation
) -> tuple[dict[str, object], list[dict[str, object]]]:
    """The proposal without what is read back from it, and the alternatives."""
    now = way_as_json(proposal.now, situation) if proposal.now else None
    best = {
        "nodes": proposal.nodes.count,
        "ranks_per_node": proposal.nodes.ranks_per_node,
        **way_as_json(proposal.best, situation),
        "now": now,
        "learned_from_runs": proposal.predictor.runs,
    }
    return best, [way_as_json(way, situation) for way in proposal.alternatives]


def way_as_json(way: OwnWay, situation: OwnSituation) -> dict[str, object]:
    choice, told = way.choice, way.prediction
    parts = zip(situation.series, choice.partitions, strict=True)
    return {
        "mode": choice.mode,
        "io_ranks": choice.io_ranks,
        "restart_mode": choice.restart_mode,
        "restart_ranks": choice.restart_ranks,
        "compute_ranks": way.compute_ranks,
        "partitions": {each.name: count for each, count in parts},
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
