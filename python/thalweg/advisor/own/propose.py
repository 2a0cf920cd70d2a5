# SPDX-License-Identifier: Apache-2.0
"""The proposal for a run of ours: what is best on as many ranks, what it has, the next best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from thalweg.advisor.limits import Limits
from thalweg.advisor.own.learned import OwnPredictor
from thalweg.advisor.own.outlook import own_limits
from thalweg.advisor.own.pressure import with_room, without_a_slot
from thalweg.advisor.own.rates import notes_of
from thalweg.advisor.own.situation import OwnChoice, OwnSituation, has_no_time_in_form
from thalweg.advisor.own.ways import (
    OwnWay,
    best_at,
    choices,
    is_risky,
    quick_totals,
    unknown_modes,
    way_of,
)
from thalweg.advisor.shapes import Nodes
from thalweg.errors import ThalwegError

_ALTERNATIVES = 5
_DRAWS = 128
_LITTLE = 1.03
_LONGER = 1.001  # no tie
_TRIED = 10  # best ones, until the model takes one


@dataclass(frozen=True)
class OwnProposal:
    """best: what is proposed. now: the experiment as it is, None where none would compute.

    curve: the shortest with each number of I/O ranks, restarts as the best has them
    """

    predictor: OwnPredictor
    nodes: Nodes
    best: OwnWay
    now: OwnWay | None
    alternatives: tuple[OwnWay, ...]
    curve: tuple[OwnWay, ...]
    notes: tuple[str, ...]
    limits: Limits


def propose_own(
    predictor: OwnPredictor, situation: OwnSituation, nodes: Nodes,
    is_taken: Callable[[OwnChoice], bool],
) -> OwnProposal:  # fmt: skip
    """is_taken: does the model run an experiment with that choice?"""
    if nodes.ranks > situation.cells:
        raise ThalwegError(
            f"{nodes.ranks} ranks are more than the {situation.cells} cells of the run; give fewer "
            "nodes or ranks on each"
        )
    asked = choices(situation, nodes)
    totals = quick_totals(predictor.rates(), situation, asked, nodes)
    roomy = with_room(situation, asked)
    usual = [at for at in roomy if not is_risky(situation, asked[at], nodes)]
    found_at = _best(asked, totals, usual, is_taken)
    rates = predictor.rates(_DRAWS)

    def told(choice: OwnChoice) -> OwnWay:
        return way_of(predictor, rates, situation, choice, nodes)

    order = sorted((at for at in usual if at != found_at), key=lambda at: (totals[at], at))
    others = [each for each in _different([asked[at] for at in order]) if is_taken(each)]
    best = told(asked[found_at])
    now = told(situation.chosen) if situation.chosen in asked else None
    notes = [
        *notes_of(predictor.machine),
        *has_no_time_in_form(situation),
        *_outside(predictor, situation, nodes),
        *_risky(situation, nodes, asked, totals, best, now),
        *without_a_slot(situation, best.choice, nodes, rates),
    ]
    if unknown_modes():
        modes = ", ".join(unknown_modes())
        notes.append(f"no prediction knows these modes, so they are not proposed: {modes}")
    if now is None:
        notes.append(
            f"the experiment has {situation.chosen.ranks} I/O and restart ranks now, and there are "
            f"{nodes.ranks} ranks: none would compute"
        )
    elif now.choice != best.choice and now.prediction.total_s < best.prediction.total_s * _LITTLE:
        gain = 100.0 * (now.prediction.total_s / best.prediction.total_s - 1.0)
        notes.append(
            f"the gain over what the experiment has now is {max(gain, 0.0):.1f} %: runs of one "
            "experiment differ by as much"
        )
    elif now.prediction.low_s > best.prediction.high_s:
        worth = now.prediction.total_s / best.prediction.total_s
        notes.append(f"what the experiment has now takes {worth:.2g} times as long as the proposal")
    if best.choice.mode == "file_parallel" and situation.chosen.mode != "file_parallel":
        notes.append(
            "file_parallel: each writer has its own part of every file; readers without netCDF's "
            "virtual datasets need 'thalweg merge'"
        )
    ways = sorted(map(told, others), key=lambda way: way.prediction.total_s)
    on_curve = _curve([asked[at] for at in order], best.choice, is_taken)
    curve = tuple(best if each == best.choice else told(each) for each in on_curve)
    limits = own_limits(predictor.rates(), situation, nodes, asked, totals)
    return OwnProposal(predictor, nodes, best, now, tuple(ways), curve, tuple(notes), limits)


def _curve(
    ordered: Sequence[OwnChoice], best: OwnChoice, is_taken: Callable[[OwnChoice], bool]
) -> list[OwnChoice]:
    """ordered: the shortest first. A number of I/O ranks with which the model refuses that is left
    out.
    """
    found: dict[int, OwnChoice | None] = {best.io_ranks: best}
    for each in ordered:
        restarts = (each.restart_mode, each.restart_ranks)
        if restarts == (best.restart_mode, best.restart_ranks) and each.io_ranks not in found:
            found[each.io_ranks] = each if is_taken(each) else None
    taken = [each for each in found.values() if each is not None]
    return sorted(taken, key=lambda each: each.io_ranks)


def _best(
    asked: Sequence[OwnChoice], totals: Sequence[float], usual: Sequence[int],
    is_taken: Callable[[OwnChoice], bool],
) -> int:  # fmt: skip
    left = list(usual)
    for _ in range(_TRIED):
        if not left:
            break
        at = best_at(left, asked, totals)
        if is_taken(asked[at]):
            return at
        left.remove(at)
    raise ThalwegError(
        "nothing can be proposed: the model refuses what is best on these ranks; 'thalweg run' "
        "says why; more ranks may help"
    )


def _different(ordered: Sequence[OwnChoice]) -> list[OwnChoice]:
    """The first of each pair of modes, and then the next, whatever their modes."""
    found: list[OwnChoice] = []
    pairs: set[tuple[str, str]] = set()
    for each in ordered:
        if (each.mode, each.restart_mode) not in pairs and len(found) < _ALTERNATIVES:
            pairs.add((each.mode, each.restart_mode))
            found.append(each)
    more = [each for each in ordered if each not in found]
    return found + more[: max(0, _ALTERNATIVES - len(found))]


def _outside(
    predictor: OwnPredictor, situation: OwnSituation, nodes: Nodes
) -> Iterator[str]:  # fmt: skip
    """What the calibration had not."""
    machine = predictor.machine
    found = []
    if nodes.count > machine.nodes:
        found.append(f"{nodes.count} nodes ({machine.nodes})")
    each = machine.ranks / machine.nodes
    if nodes.ranks_per_node > each:
        found.append(f"{nodes.ranks_per_node} ranks on a node ({each:g})")
    steps = [m for m in machine.measured if m.name == "step"]
    shares = [float(m.facts["cells"]) * float(m.facts["levels"]) / m.ranks for m in steps
              if "cells" in m.facts and "levels" in m.facts]  # fmt: skip
    share = situation.cells * situation.levels / nodes.ranks
    if shares and not min(shares) / 2 <= share <= 2 * max(shares):
        span = f"{min(shares):.3g} to {max(shares):.3g}"
        found.append(f"{share:.3g} cells times levels of a rank ({span})")
    if found:
        yield (
            f"outside what was calibrated (in brackets): {', '.join(found)}; the interval does not "
            "know what changes there"
        )
    if nodes.ranks_per_node > machine.cores_per_node:
        yield (
            f"{nodes.ranks_per_node} ranks share {machine.cores_per_node} cores of a node: ranks "
            "for output and restarts take their time from those that compute"
        )
    load = float(machine.how.get("load_before", 0.0))
    if load > 0.25 * machine.cores_per_node:
        yield f"the machine was busy when it was calibrated (load {load:g}): calibrate it again"


def _risky(
    situation: OwnSituation, nodes: Nodes, asked: Sequence[OwnChoice],
    totals: Sequence[float], best: OwnWay, now: OwnWay | None,
) -> Iterator[str]:  # fmt: skip
    if now is not None and is_risky(situation, now.choice, nodes):
        yield f"{_what(now.choice)} of several nodes: do not; all ranks wait for one that gathers"
    risky = [at for at, each in enumerate(asked) if is_risky(situation, each, nodes)]
    if not risky:
        return
    at = min(risky, key=lambda at: totals[at])
    if totals[at] * _LONGER < best.prediction.total_s:
        yield (
            f"{_what(asked[at])} would take {totals[at]:.3g} s, less than what is proposed; on "
            "several nodes it is no proposal, since its time grows with ranks"
        )


def _what(choice: OwnChoice) -> str:
    words = ["serial output"] * (choice.mode == "serial")
    words += ["sync restarts"] * (choice.restart_mode == "sync")
    return " and ".join(words)
