# SPDX-License-Identifier: Apache-2.0
"""One kernel on several numbers of ranks and threads: seconds of a call, and where they went."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.errors import ThalwegError
from thalweg.kernels.any_kernel import Shape, made_kinds
from thalweg.kernels.made_grid import MadeGrid
from thalweg.kernels.on_made_parts import OnMadeParts
from thalweg.kernels.starting_ranks import Launch
from thalweg.lab.results import Line, spread
from thalweg.run.launch import mpirun_command, mpirun_environment
from thalweg.run.machine import memory_bytes
from thalweg.run.slurm_job import ranks_of_node

KINDS = ("strong", "weak")
PROBES = ("few", "many")  # little and much to exchange, to tell messages from bytes
SHORTEST_S = 0.3  # calls follow each other for as long
FEWEST_CALLS, MOST_CALLS = 3, 2000
MOST_TOLD = 10_000_000  # times of calls, of all ranks

StartRanks = Callable[[int, int], Launch]  # of ranks and threads


def start_ranks(ranks: int, threads: int) -> Launch:
    """Each with cores of its own where a Slurm job has them."""

    def command(ranks: int, words: list[str]) -> list[str]:
        return mpirun_command(ranks, words, threads=threads)

    def environment() -> dict[str, str]:
        return {**mpirun_environment(), "OMP_NUM_THREADS": str(threads)}

    return Launch(ranks, command, environment, -(-ranks // ranks_of_node(ranks)))


@dataclass(frozen=True)
class Wish:
    """shape: of all ranks together (strong) or of each (weak, side by side along j)
    meets: ranks begin each call together. on_gpus: a GPU for each rank
    """

    kernel: Kernel
    targets: Sequence[str]
    ranks: Sequence[int]
    threads: Sequence[int]
    shape: Shape
    repetitions: int
    kinds: Sequence[str] = KINDS
    probes: bool = True
    meets: bool = False
    on_gpus: bool = False


@dataclass(frozen=True)
class Trial:
    kind: str
    target: str
    ranks: int
    threads: int
    overlaps: bool = True
    on_gpus: bool = False

    @property
    def label(self) -> str:
        """Of the curve that it is a point of."""
        return f"{self.target} with GPUs" if self.on_gpus else self.target

    @property
    def configuration(self) -> Configuration:
        if self.on_gpus:
            return Configuration(self.target, "point_innermost", each_rank="cuda")
        return Configuration(self.target, each_rank="openmp" if self.threads > 1 else "simd")

    @property
    def name(self) -> str:
        words = [self.kind, self.label, f"{self.ranks} ranks", f"{self.threads} threads"]
        return ", ".join(words + ([] if self.overlaps else ["without overlap"]))


def trials_of(wish: Wish) -> list[Trial]:
    """With overlap; and, where there are neighbours, without."""
    found = [
        Trial(kind, target, ranks, threads, overlaps, wish.on_gpus)
        for kind in wish.kinds
        for target in wish.targets
        for threads in wish.threads
        for ranks in wish.ranks
        for overlaps in (True, False)
    ]
    found = [each for each in found if each.overlaps or each.ranks > 1]
    if not wish.probes or all(each == 1 for each in wish.ranks):
        return found
    return found + [
        Trial(kind, each, 2, 1, False, wish.on_gpus) for kind in PROBES for each in wish.targets
    ]


def measure(wish: Wish, folder: Path, start: StartRanks) -> Iterator[Line]:
    """Repetitions take turns; values are compared with the reference before a time counts. What a
    trial needs is there while it runs, and is made anew for each repetition. Raises a sentence at
    once for what cannot be measured here.
    """
    made = prepared(wish, start)
    check_memory(made)
    return _measured(wish, made, folder)


def _measured(wish: Wish, made: Mapping[Trial, OnMadeParts], folder: Path) -> Iterator[Line]:
    calls = {each: _calls_of(wish, each, on_ranks, folder) for each, on_ranks in made.items()}
    found: dict[Trial, list[_Figures]] = {each: [] for each in made}
    for done in range(wish.repetitions):
        yield {"progress": {"done": done, "of": wish.repetitions, "method": wish.kernel.name}}
        for each, on_ranks in made.items():
            on_ranks.run(calls[each])
            found[each].append(_figures(on_ranks, calls[each]))
    for each, on_ranks in made.items():
        yield _line(wish, each, on_ranks, found[each], calls[each])


def prepared(wish: Wish, start: StartRanks) -> dict[Trial, OnMadeParts]:
    """Nothing is started. Raises a sentence for a grid that is too large for any machine."""
    kinds, keeps = made_kinds(wish.kernel), _of_the_grid(wish.kernel)
    found = {}
    for trial in trials_of(wish):
        shape = _shape(wish.shape, trial)
        grid = MadeGrid(shape.i, shape.j, shape.levels, trial.ranks, kinds)
        found[trial] = OnMadeParts(
            wish.kernel, trial.configuration, grid,
            start(trial.ranks, trial.threads), overlaps=trial.overlaps, keeps=keeps,
            meets=wish.meets,
        )  # fmt: skip
    return found


def check_memory(made: Mapping[Trial, OnMadeParts]) -> None:
    """Raises a sentence for a trial that needs more than this node has."""
    has = memory_bytes()
    for trial, each in made.items():
        ranks = ranks_of_node(trial.ranks)
        needs = ranks * each.rank_bytes
        if needs > has:
            raise ThalwegError(
                f"{trial.name}: {ranks} ranks a node need about {1e-9 * needs:.1f} GB, and this "
                f"machine has {1e-9 * has:.1f} GB; give fewer cells with --cells"
            )


@dataclass(frozen=True)
class _Figures:
    """Of a usual call, the median: of the slowest rank, and means over ranks."""

    call_s: float
    computing_s: float
    packing_s: float
    waiting_s: float


def _shape(shape: Shape, trial: Trial) -> Shape:
    if trial.kind == "weak":
        return replace(shape, j=shape.j * trial.ranks)
    lengths = {"few": (16, 32), "many": (4 * shape.i, 16)}
    i, j = lengths.get(trial.kind, (shape.i, shape.j))
    return replace(shape, i=i, j=j)


def _of_the_grid(kernel: Kernel) -> list[str]:
    """Lengths, areas, weights: what has no levels and is not set."""
    return [
        name
        for name, each in kernel.ir.arguments.items()
        if each.type.role == "in" and each.type.place and each.type.level is None
    ]


def _calls_of(wish: Wish, trial: Trial, on_ranks: OnMadeParts, folder: Path) -> int:
    """Once the values are right. A single repetition shows that it works; its time says little."""
    on_ranks.build(folder)
    if others := on_ranks.check(2):
        raise AssertionError(
            f"{trial.name}: '{wish.kernel.name}' has not the reference's values: {others[0]}"
        )
    if wish.repetitions == 1:
        return FEWEST_CALLS
    most = int(np.clip(MOST_TOLD // trial.ranks, FEWEST_CALLS, MOST_CALLS))
    return int(np.clip(SHORTEST_S / max(on_ranks.seconds / 2, 1e-9), FEWEST_CALLS, most))


def _figures(on_ranks: OnMadeParts, calls: int) -> _Figures:
    told = on_ranks.told
    seconds = np.array([each.seconds for each in told])  # [rank, call]
    total = float(np.median(seconds.mean(0)))
    usual = total / float(seconds.mean())  # so that a few calls that were cut off say little
    packing, waiting = (
        usual * float(np.mean(each)) / calls
        for each in ([each.packing for each in told], [each.waiting for each in told])
    )
    slowest = float(np.median(seconds.max(0)))
    return _Figures(slowest, total - packing - waiting, packing, waiting)


def _line(
    wish: Wish, trial: Trial, on_ranks: OnMadeParts, found: Sequence[_Figures], calls: int
) -> Line:
    """Messages and bytes: those that leave the rank with the most of them, in a call. rank_memory:
    bytes of the largest rank.
    """
    told = on_ranks.told
    busiest = max(told, key=lambda each: each.bytes)
    return {
        "bench": "scaling",
        "method": f"{wish.kernel.name}: {trial.name}",
        "unit": "s",
        **spread([each.call_s for each in found]),
        "kernel": wish.kernel.name,
        "kind": trial.kind,
        "target": trial.label,
        "ranks": trial.ranks,
        "threads": trial.threads,
        "nodes": on_ranks.launch.nodes,
        "overlaps": trial.overlaps,
        "cells": on_ranks.grid.cells,
        "levels": on_ranks.grid.levels,
        "calls": calls,
        "computing_s": float(np.median([each.computing_s for each in found])),
        "packing_s": float(np.median([each.packing_s for each in found])),
        "waiting_s": float(np.median([each.waiting_s for each in found])),
        "waits_s": [each.waiting_s for each in found],
        "exchanges": busiest.exchanges // calls,
        "messages": busiest.messages // calls,
        "bytes": busiest.bytes // calls,
        "rank_memory": on_ranks.memory,
    }


def hidden_share(lines: Sequence[Line], trial: Line) -> float | None:
    """How much of the waiting without overlap is gone with it, from 0 to 1."""
    like = ("target", "ranks", "threads", "kind")
    here = next((i for i, each in enumerate(lines) if each is trial), 0)
    for each in (*lines[here:], *lines[:here]):  # of several measurements its own
        if not each["overlaps"] and all(each[key] == trial[key] for key in like):
            without = float(each["waiting_s"])
            return 1.0 - min(float(trial["waiting_s"]) / without, 1.0) if without > 0 else None
    return None
