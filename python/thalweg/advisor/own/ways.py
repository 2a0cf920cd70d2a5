# SPDX-License-Identifier: Apache-2.0
"""The ways in which a run of ours can be run on as many ranks, and each with what is predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thalweg.advisor.own.form import RESTART_MODES, Services, services_of
from thalweg.advisor.own.lanes import MODES, Lanes, lanes_of
from thalweg.advisor.own.learned import OwnPredictor
from thalweg.advisor.own.rates import Rates
from thalweg.advisor.own.situation import OwnChoice, OwnSituation, asks
from thalweg.advisor.prediction.proposal import shortest
from thalweg.advisor.shapes import Nodes, WayFigures
from thalweg.run.native_lists import of_kind

MOST_SHARE = 0.5  # of all ranks that do not compute
# Numbers of I/O and of restart ranks that are tried: predictions tell no others apart.
_COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
_MOST_RESTART_RANKS = 32


# Chosen: what differs by less is a tie, and goes to fewer I/O and restart ranks and fewer files.
_TIE = 0.01


@dataclass(frozen=True)
class OwnWay(WayFigures):
    """A choice with what is predicted of it."""

    choice: OwnChoice
    compute_ranks: int


def choices(situation: OwnSituation, nodes: Nodes) -> list[OwnChoice]:
    """Fewest ranks first; at least half of all compute."""
    most = int(nodes.ranks * MOST_SHARE)
    found = [
        OwnChoice(mode, io_ranks, partitions, restart_mode, restart_ranks)
        for mode, io_ranks, partitions in _outputs(situation, most)
        for restart_mode, restart_ranks in _restarts(situation, most)
        if io_ranks + restart_ranks <= most
        and restart_ranks <= nodes.ranks - io_ranks - restart_ranks
    ]
    chosen = situation.chosen
    is_known = chosen.mode in MODES and chosen.restart_mode in RESTART_MODES
    if is_known and chosen.ranks < nodes.ranks and chosen not in found:
        found.append(chosen)
    return sorted(dict.fromkeys(found), key=lambda each: each.ranks)


def unknown_modes() -> list[str]:
    """That the program has and no prediction knows."""
    found = [*of_kind("output mode"), *of_kind("restart mode")]
    return [str(each["name"]) for each in found if each["name"] not in (*MODES, *RESTART_MODES)]


def _outputs(
    situation: OwnSituation, most: int
) -> Iterator[tuple[str, int, tuple[int, ...]]]:  # fmt: skip
    """Modes of the list that the model tells, their I/O ranks and partitions."""
    if not situation.outputs:
        plain = (str(e["name"]) for e in of_kind("output mode")
                 if e["ranks"] != "required" and e["name"] in MODES)  # fmt: skip
        yield next(plain), 0, situation.chosen.partitions
        return
    one = tuple(1 for _ in situation.series)
    for mode in of_kind("output mode"):
        name = str(mode["name"])
        if name not in MODES or (mode["own_files"] and not situation.divisible):
            continue
        if mode["ranks"] != "required":
            yield name, 0, one
        # With one I/O rank all modes do what async does.
        least = 1 if name == "async" else 2
        for count in (each for each in _COUNTS if asks(mode) and least <= each <= most):
            yield name, count, one
            if name == "async" and count > 1:
                yield name, count, tuple(min(count, each.outputs or 1) for each in situation.series)


def _restarts(situation: OwnSituation, most: int) -> Iterator[tuple[str, int]]:
    if not situation.sets:
        yield situation.chosen.restart_mode, situation.chosen.restart_ranks
        return
    for mode in of_kind("restart mode"):
        if mode["name"] == "none" or mode["name"] not in RESTART_MODES:
            continue
        if asks(mode):
            counts = (each for each in _COUNTS if each <= min(most, _MOST_RESTART_RANKS))
            yield from ((str(mode["name"]), each) for each in counts)
        else:
            yield str(mode["name"]), 0


def way_of(
    predictor: OwnPredictor, rates: Rates, situation: OwnSituation, choice: OwnChoice,
    nodes: Nodes,
) -> OwnWay:  # fmt: skip
    """rates: of the predictor, once for many ways."""
    lanes = lanes_of(situation, choice, nodes.ranks - choice.ranks)
    services = services_of(situation, choice, nodes, rates, lanes)
    told = predictor.interval_of(services.total)
    for_the_model = float((services.startup + services.model + services.delay)[0])
    return OwnWay(
        choice, nodes.ranks - choice.ranks, prediction=told, nodes=nodes,
        simulated_s=situation.simulated_s, steps_s=float(services.steps[0]),
        waiting_s=max(0.0, told.total_s - for_the_model), limit=limit_of(services, choice),
        bytes_on_io_rank=lanes.fullest_bytes if choice.io_ranks else 0,
    )  # fmt: skip


def best_at(
    positions: Sequence[int], asked: Sequence[OwnChoice], totals: Sequence[float]
) -> int:  # fmt: skip
    """Of these positions."""
    return shortest(
        positions, totals, lambda at: (asked[at].ranks, sum(asked[at].partitions)), _TIE
    )


def quick_totals(
    rates: Rates, situation: OwnSituation, asked: Sequence[OwnChoice], nodes: Nodes
) -> list[float]:
    """Middles only. rates: with one draw."""
    known: dict[tuple[object, ...], Lanes] = {}
    found = []
    for each in asked:
        compute = nodes.ranks - each.ranks
        writers = each.io_ranks or -compute  # those of compute ranks differ with restart ranks
        key = (each.mode, each.partitions, writers)
        if key not in known:
            known[key] = lanes_of(situation, each, compute)
        found.append(float(services_of(situation, each, nodes, rates, known[key]).total[0]))
    return found


def limit_of(services: Services, choice: OwnChoice) -> str:
    """What takes longest."""
    writing = "serial output" if choice.mode == "serial" else "output by compute ranks"
    of_workers = {
        "time steps": services.model,
        writing: services.blocked_output,
        f"restart {choice.restart_mode}": services.blocked_restart,
        "shared cores": services.delay,
        "streams that meet": services.stall,
        "the last output": services.tail,
        "start": services.startup,
    }
    beside = {
        "I/O ranks": services.output,
        "restart ranks": services.restart,
        "storage": services.storage,
    }
    name = max(beside, key=lambda each: float(beside[each][0]))
    if float(beside[name][0]) > float(services.workers[0]):
        return name
    return max(of_workers, key=lambda each: float(of_workers[each][0]))


def is_risky(situation: OwnSituation, choice: OwnChoice, nodes: Nodes) -> bool:
    """Does one rank of several nodes write for all while they wait?"""
    serial = choice.mode == "serial" and situation.outputs > 0
    sync = choice.restart_mode == "sync" and situation.sets > 0
    return nodes.count > 1 and (serial or sync)
