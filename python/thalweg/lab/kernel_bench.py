# SPDX-License-Identifier: Apache-2.0
"""How fast kernels are: the share of STREAM triad, in every target and layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from thalweg.dsl.configuration import Configuration
from thalweg.kernels.triad import Triad
from thalweg.lab import kernel_peer
from thalweg.lab.kernel_cases import (
    BEYOND_CACHES,
    FUSED,
    IN_CACHES,
    LAID_OUT,
    QUICK,
    Make,
    made_cases,
    numbered_cases,
)
from thalweg.lab.kernel_trial import Trial, Way, make_trial, set_threads
from thalweg.lab.results import Line, spread

LARGE = {"stores": "streaming", "prefetch": 32}  # for arrays beyond the caches
FIRST = {"prefetch_into": "first"}
SIMD = Configuration("simd")
WAYS = (
    Way(Configuration("serial")),
    Way(SIMD),
    Way(SIMD.changed(**LARGE)),
    Way(SIMD.changed(**LARGE, **FIRST)),
    Way(SIMD.changed(stores="streaming", prefetch=4, **FIRST)),
    Way(SIMD.changed(prefetch=8)),
    Way(SIMD.changed(prefetch=16, **FIRST)),
    Way(SIMD.changed(tile=64)),
    Way(SIMD.changed(tile=64, prefetch=4)),
    Way(SIMD.changed(tile=64, prefetch=2, **FIRST)),
    Way(SIMD.changed(tile=64, prefetch=8, **FIRST)),
    Way(SIMD.changed(tile=64, stores="streaming", prefetch=8)),
    Way(SIMD.changed(tile=64, stores="streaming", prefetch=2, **FIRST)),
    Way(SIMD.changed(tile=64, stores="streaming", prefetch=8, **FIRST)),
    Way(SIMD.changed(tile=64, stores="streaming", prefetch=4, order="curve")),
    Way(SIMD.changed(tile=64, stores="streaming", prefetch=8, order="blocks")),
    Way(SIMD.changed(layout="blocked", block=64)),
    Way(SIMD.changed(layout="blocked", block=256, prefetch=4)),
    Way(SIMD.changed(layout="blocked", block=256, functions="vector")),
    Way(SIMD.changed(layout="point_innermost", block=512)),
    Way(SIMD.changed(precision="single", **LARGE)),
    Way(Configuration("openmp"), 2),
    Way(Configuration("openmp").changed(**LARGE), 2),
    Way(Configuration("openmp").changed(**LARGE, **FIRST), 2),
    Way(Configuration("openmp", "blocked", 64), 2),
    Way(Configuration("openmp", "blocked", 256, prefetch=4), 2),
    Way(Configuration("openmp", "blocked", 256, functions="vector"), 2),
    Way(Configuration("openmp").changed(tile=64, prefetch=4), 2),
    Way(Configuration("openmp").changed(tile=64, prefetch=2, **FIRST), 2),
    Way(Configuration("openmp").changed(tile=64, stores="streaming", prefetch=8), 2),
    Way(Configuration("openmp").changed(tile=64, stores="streaming", prefetch=8, **FIRST), 2),
    Way(
        Configuration("openmp").changed(tile=64, stores="streaming", prefetch=8, order="blocks"), 2
    ),
)
WAYS_IN_CACHES = (
    Way(SIMD),
    Way(SIMD.changed(layout="blocked", block=64)),
    Way(SIMD.changed(precision="single")),
    Way(Configuration("openmp"), 2),
)
LAYOUTS = (
    Way(SIMD),
    Way(SIMD.changed(**LARGE)),
    Way(SIMD.changed(**LARGE, **FIRST)),
    Way(SIMD.changed(layout="blocked", block=64)),
    Way(SIMD.changed(layout="point_innermost", block=512)),  # the published 3-D array, if in rows
)
CALLS_IN_CACHES = 20

Measure = Callable[[Sequence[Trial], int], None]


def measure_kernels(folder: Path, repetitions: int, quick: bool) -> Iterator[Line]:
    """A line for each kernel and way, one for the best way of each kernel on one core, some that
    compare two, and the layouts of three.

    Ways take turns; before each run triad is measured on as many threads.
    """
    triad = Triad(folder)

    def measure(trials: Sequence[Trial], calls: int) -> None:
        for _ in range(repetitions):
            for trial in trials:
                set_threads(trial.way.threads)
                triad_bytes_s = triad.measure()
                for each in (trial, *trial.apart):
                    each.run(triad_bytes_s, calls)

    sizes = QUICK if quick else BEYOND_CACHES
    large, small = made_cases(sizes), made_cases(QUICK if quick else IN_CACHES)
    steps = [(name, "") for name in large] + [(name, "in caches") for name in small]
    steps += [(name, "layouts") for name in LAID_OUT]
    for done, (name, where) in enumerate(steps):
        yield {"progress": {"done": done, "of": len(steps), "method": f"{name} {where}".strip()}}
        if where == "layouts":
            yield from _layouts(large[name], sizes.side, folder, measure)
            continue
        makes, ways = (small, WAYS_IN_CACHES) if where else (large, WAYS)
        chosen = _first_ways(ways) if quick else ways  # each takes seconds to compile
        yield from _one_kernel(name, makes, chosen, where, folder, measure)


def _first_ways(ways: Sequence[Way]) -> list[Way]:
    """One for each number of threads and precision."""
    first: dict[tuple[int, bool], Way] = {}
    for way in ways:
        first.setdefault((way.threads, way.is_single), way)
    return list(first.values())


def _one_kernel(
    name: str, makes: dict[str, Make], ways: Sequence[Way], where: str, folder: Path,
    measure: Measure,
) -> Iterator[Line]:  # fmt: skip
    case = makes[name]()
    trials = [make_trial(case, way, folder) for way in ways]
    rivals = () if where else FUSED.get(name, ())
    for part in (makes[each]() for each in rivals):
        for trial, way in zip(trials, ways, strict=True):
            trial.apart += (make_trial(part, way, folder),)
    has_peers = not where and name in kernel_peer.NAMES
    peers, left_out = kernel_peer.peer_trials(case, folder) if has_peers else ([], "")
    measure([*trials, *peers], CALLS_IN_CACHES if where else 1)
    for trial in (*trials, *peers):
        yield trial.line(where)
    double = [each for each in trials if not each.way.is_single]
    best = _fastest([each for each in double if each.way.threads == 1])
    if best is None:
        return
    yield best.line(where) | {"method": f"{name} {where}".strip(), "way": best.way.name}
    both = _fastest([each for each in double if each.way.threads == 2])
    if both is not None:
        yield _two_threads(f"{name} {where}".strip(), best, both)
    if rivals:
        yield _against_apart(name, [each for each in double if each.way.threads == 1])
    if has_peers:
        yield _against_peers(name, best, peers, left_out)


def _fastest(trials: Sequence[Trial]) -> Trial | None:
    right = [each for each in trials if not each.wrong]
    return min(right, key=lambda each: each.median_s, default=None)


def _two_threads(name: str, one: Trial, two: Trial) -> Line:
    """The best way with two threads against the best with one, beside what triad gains."""
    ratios = [a / b for a, b in zip(one.seconds, two.seconds, strict=True)]
    gains = [b / a for a, b in zip(one.triad_bytes_s, two.triad_bytes_s, strict=True)]
    return {
        "bench": "kernels",
        "method": f"{name}: two threads against one",
        "unit": "times as fast",
        **spread(ratios),
        "triad_gains": float(np.median(gains)),
        "ways": {"one": one.way.name, "two": two.way.name},
    }


def _against_apart(name: str, trials: list[Trial]) -> Line:
    """The best way of the kernel, and the best of each of those that do the same apart."""
    parts = zip(*(trial.apart for trial in trials), strict=True)
    best, *apart = (_fastest(ways) for ways in (trials, *parts))
    line: Line = {"bench": "kernels", "method": f"{name}: against {' and '.join(FUSED[name])}"}
    if best is None or None in apart:
        return line | {"wrong": "a kernel is not what the reference has in any way"}
    rivals = [each for each in apart if each]
    together = (sum(times) for times in zip(*(each.seconds for each in rivals), strict=True))
    ratios = [other / own for own, other in zip(best.seconds, together, strict=True)]
    ways = {each.case.kernel.name: each.way.name for each in (best, *rivals)}
    return line | {"unit": "times as fast", **spread(ratios), "ways": ways}


def _against_peers(name: str, best: Trial, peers: Sequence[Trial], left_out: str) -> Line:
    """Our best way on one core and the best of GT4Py's, in turn in the same process."""
    line: Line = {"bench": "kernels", "method": f"{name}: against GT4Py"}
    if not peers:
        return line | {"skipped": left_out}
    rival = _fastest(peers)
    if rival is None:
        return line | {"wrong": "GT4Py's values are not what the reference has in any way"}
    ratios = [other / own for own, other in zip(best.seconds, rival.seconds, strict=True)]
    ways = {name: best.way.name, "GT4Py": rival.way.name}
    line |= {"unit": "times as fast", **spread(ratios), "ways": ways}
    return line | ({"left_out": left_out} if left_out else {})


def _layouts(make: Make, side: int, folder: Path, measure: Measure) -> Iterator[Line]:
    """Every layout in every numbering; "curve" is the order that we find for the random one."""
    numbered = numbered_cases(make(), side)
    chosen = [(name, case, way) for name, case in numbered.items() for way in LAYOUTS]
    chosen += [
        ("curve", numbered["random"], Way(way.configuration.changed(order="curve")))
        for way in LAYOUTS
    ]
    trials = [(name, make_trial(case, way, folder)) for name, case, way in chosen]
    measure([trial for _, trial in trials], 1)
    for name, trial in trials:
        yield trial.line(f"numbered by {name}") | {"numbering": name}
