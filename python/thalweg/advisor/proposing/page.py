# SPDX-License-Identifier: Apache-2.0
"""A proposal as text and a table for people."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.advisor.chosen_table import print_chosen, restart_words
from thalweg.advisor.limits import limits_text
from thalweg.advisor.proposing.machine import ONE_GROUP
from thalweg.advisor.proposing.propose import Proposal
from thalweg.advisor.proposing.situation import RESTART_MODES, Situation
from thalweg.advisor.proposing.ways import Way
from thalweg.advisor.words import many, seconds

_GB = 1e9
_IN_ICON = {ours: theirs for theirs, ours in RESTART_MODES.items()}


def print_proposal(proposal: Proposal, situation: Situation, written: str) -> None:
    """written: files and bytes of the run as proposed, "" where they are not known."""
    print_chosen(
        _lines(proposal, situation, written), ("I/O ranks", "restart"), ("I/O ranks",),
        (proposal.best, proposal.now, proposal.alternatives), _words,
    )  # fmt: skip


def _lines(
    proposal: Proposal, situation: Situation, written: str
) -> Iterator[tuple[str, str]]:  # fmt: skip
    best, nodes = proposal.best, proposal.nodes
    yield (
        "asked",
        (
            f"{many(nodes.count, 'node')} with {many(nodes.ranks_per_node, 'rank')} each; "
            f"{situation.cells} cells on {situation.levels} levels, "
            f"{many(situation.steps, 'step')}, {many(situation.outputs, 'output')}, "
            f"{many(situation.sets, 'restart set')}"
        ),
    )
    for number, text in enumerate(_proposed(best, situation)):
        yield "proposed" if number == 0 else "", text
    told = best.prediction
    yield (
        "takes",
        (
            f"{seconds(told.total_s)}, 80 % of runs {seconds(told.low_s)} to "
            f"{seconds(told.high_s)}; {best.node_hours:.4g} node hours, {best.chsy:.4g} CHSY"
        ),
    )
    yield "why", _why(best)
    yield (
        "sure",
        (
            f"a closed form fitted to {many(proposal.machine.runs, 'run')} of "
            f"'{proposal.machine.name}'{_one_group(proposal)}; {_widths(situation)}; what lies "
            "outside them is in the warnings"
        ),
    )
    if best.choice.ranks:
        yield "placement", placement(proposal)
    if best.choice.io_ranks:
        held = f"; an I/O rank holds up to {best.bytes_on_io_rank / _GB:.3f} GB"
        yield "writes", f"{written}{held}" if written else held[2:]
    elif written:
        yield "writes", written
    yield "nodes", _limits(proposal, situation.set_aside)


def _proposed(best: Way, situation: Situation) -> Iterator[str]:
    choice = best.choice
    computing = f"{many(int(best.facts.compute_ranks), 'rank')} compute"
    io_ranks = many(choice.io_ranks, "I/O rank") if choice.io_ranks else "no I/O ranks"
    yield f"{io_ranks}, {computing}"
    if choice.restart_mode != "none":
        ranks = f" by {many(choice.restart_ranks, 'restart rank')}" if choice.restart_ranks else ""
        yield f"restarts '{_IN_ICON[choice.restart_mode]}'{ranks}"
    if choice.io_ranks:
        parts = zip(situation.series, best.partitions, strict=True)
        yield "stream partitions: " + ", ".join(f"{each.name} {count}" for each, count in parts)


def _widths(situation: Situation) -> str:
    """Of values: those that are half as wide may take half as long to move and to write."""
    stored = " or ".join(map(str, situation.stored_bytes))
    if not stored:
        return "it counts values, as wide as theirs"
    return (
        f"it counts values, as wide as theirs (here {situation.moved_bytes} bytes on the way to "
        f"I/O ranks, {stored} in files)"
    )


def _one_group(proposal: Proposal) -> str:
    return ONE_GROUP if proposal.machine.predictor.noise.assumed else ""


def _why(best: Way) -> str:
    waiting = 100.0 * best.waiting_s / best.prediction.total_s
    steps = f"its steps take {seconds(best.steps_s)}"
    if best.limit == "time steps":
        return f"{steps}, and output and restarts add {waiting:.1f} % of the time to them"
    return f"{best.limit} take longer than steps: {steps}, the rest ({waiting:.1f} %) is waiting"


def placement(proposal: Proposal) -> str:
    """Of I/O and restart ranks, which are the last of all."""
    ranks, nodes = proposal.best.choice.ranks, proposal.nodes
    if nodes.count == 1 or ranks == 1:
        return f"the last {many(ranks, 'rank')}"
    each = -(-ranks // nodes.count)
    return (
        f"the last {many(ranks, 'rank')}: side by side, or with srun --distribution=cyclic at "
        f"most {each} on a node; no run tells which is better"
    )


def _limits(proposal: Proposal, set_aside: int) -> str:
    steps = f"steps on all ranks but {set_aside}" if set_aside else "steps on all ranks"
    fitted = f"fitted runs have at most {many(round(proposal.machine.ranges['nodes'][1]), 'node')}"
    return limits_text(proposal.limits, proposal.nodes.count, steps, fitted)


def warnings_of(proposal: Proposal) -> list[str]:
    """What the script has and should not have."""
    found = list(proposal.notes)
    now, best = proposal.now, proposal.best
    if now is not None and now.prediction.low_s > best.prediction.high_s:
        worth = now.prediction.total_s / best.prediction.total_s
        found.append(f"what the script has now takes {worth:.2g} times as long as the proposal")
    return found


def _words(way: Way) -> list[str]:
    choice = way.choice
    return [str(choice.io_ranks), restart_words(choice.restart_mode, choice.restart_ranks)]
