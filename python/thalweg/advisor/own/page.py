# SPDX-License-Identifier: Apache-2.0
"""A proposal for a run of ours as text and a table for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.advisor.chosen_table import print_chosen, restart_words
from thalweg.advisor.curve import curve_as_json
from thalweg.advisor.limits import limits_text
from thalweg.advisor.own.propose import OwnProposal
from thalweg.advisor.own.repeats import ASSUMED
from thalweg.advisor.own.situation import OwnSituation
from thalweg.advisor.own.ways import OwnWay
from thalweg.advisor.shapes import Nodes
from thalweg.advisor.words import many, percent, seconds

_GB = 1e9


def print_own_proposal(proposal: OwnProposal, situation: OwnSituation, written: str) -> None:
    """written: files and bytes of the run as proposed, or ""."""
    print_chosen(
        _lines(proposal, situation, written), ("output", "I/O ranks", "parts", "restart"),
        ("I/O ranks", "parts"), (proposal.best, proposal.now, proposal.alternatives), _words,
    )  # fmt: skip


def _lines(
    proposal: OwnProposal, situation: OwnSituation, written: str
) -> Iterator[tuple[str, str]]:  # fmt: skip
    best, nodes = proposal.best, proposal.nodes
    cores = proposal.predictor.machine.cores_per_node
    yield (
        "asked",
        (
            f"{many(nodes.count, 'node')} of {many(cores, 'core')} with {_ranks_on(nodes)}; "
            f"{situation.cells} cells on "
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
    if best.choice.io_ranks:
        yield "placement", placement_of(situation)
    machine = proposal.predictor.machine
    known = f"the calibration had {many(machine.nodes, 'node')}"
    told = limits_text(proposal.limits, nodes.count, "steps on all ranks", known, "about ")
    yield "nodes", told


def placement_of(situation: OwnSituation) -> str:
    """Of I/O ranks among the others, which no parameter tells."""
    given = situation.experiment.text("io", "placement")
    return (
        f"as it is, '{given}': what another one ([io] placement) would change is not in the closed "
        "form, and is found by trying"
    )


def _ranks_on(nodes: Nodes) -> str:
    each = many(nodes.ranks_per_node, "rank")
    return f"{nodes.ranks} ranks, at most {each} each" if nodes.empty else f"{each} each"


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
    unknown = (
        "; how far runs repeat is not known, and taken as "
        f"{100.0 * ASSUMED:.0f} %: 'thalweg tune --repeats 3' tells"
    )
    told = f"a closed form from the calibration of '{name}', corrected by {runs}"
    return told + ("" if predictor.repeats_known else unknown)


def _words(way: OwnWay) -> list[str]:
    choice = way.choice
    return [
        choice.mode.replace("_", " "),
        str(choice.io_ranks),
        str(max(choice.partitions, default=1)),
        restart_words(choice.restart_mode, choice.restart_ranks),
    ]


def own_proposal_as_json(
    proposal: OwnProposal, situation: OwnSituation
) -> tuple[dict[str, object], list[dict[str, object]]]:
    """The proposal without what is read back from it, and the alternatives."""
    now = way_as_json(proposal.now, situation) if proposal.now else None
    best = {
        "nodes": proposal.nodes.count,
        "ranks_per_node": proposal.nodes.ranks_per_node,
        "ranks": proposal.nodes.ranks,
        **way_as_json(proposal.best, situation),
        "placement": placement_of(situation) if proposal.best.choice.io_ranks else None,
        "output_limits_from_nodes": proposal.limits.limited_from,
        "output_limits_here": proposal.limits.here,
        "looked_at_nodes": proposal.limits.looked_at,
        "now": now,
        "curve": curve_as_json(proposal.curve),
        "learned_from_runs": proposal.predictor.runs,
    }
    return best, [way_as_json(way, situation) for way in proposal.alternatives]


def way_as_json(way: OwnWay, situation: OwnSituation) -> dict[str, object]:
    choice = way.choice
    parts = zip(situation.series, choice.partitions, strict=True)
    return {
        "mode": choice.mode,
        "io_ranks": choice.io_ranks,
        "restart_mode": choice.restart_mode,
        "restart_ranks": choice.restart_ranks,
        "compute_ranks": way.compute_ranks,
        "partitions": {each.name: count for each, count in parts},
        **way.figures_as_json(),
    }
