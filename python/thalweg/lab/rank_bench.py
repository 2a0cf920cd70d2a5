# SPDX-License-Identifier: Apache-2.0
"""How much of the waiting for neighbours is hidden behind computing, for DYNAMICO's kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from thalweg.kernels.any_kernel import Shape
from thalweg.kernels.library import all_kernels
from thalweg.lab.rank_trials import Wish, measure, start_ranks
from thalweg.lab.results import Line, spread

KERNELS = ("pvort", "caldyn_horiz", "caldyn_vert")  # what needs neighbours
LARGE, QUICK = Shape(192, 192, 30), Shape(24, 24, 5)  # of each rank


def measure_ranks(
    folder: Path, targets: Sequence[str], repetitions: int, quick: bool
) -> Iterator[Line]:
    """Two ranks, each with a core where there are as many; then what overlap has hidden.

    They begin each call together: what is waited for is values, not a rank that is late.
    """
    kernels, names = all_kernels(), KERNELS[-1:] if quick else KERNELS
    for done, name in enumerate(names):
        yield {"progress": {"done": done, "of": len(names), "method": name}}
        shape = QUICK if quick else LARGE
        wish = Wish(kernels[name], targets, (2,), (1,), shape, repetitions, ("weak",), False, True)
        lines = [each for each in measure(wish, folder, start_ranks) if "bench" in each]
        for line in lines:
            line["bench"] = "ranks"
            if line["kind"] == "weak":
                yield line
        for target in targets:
            yield _hidden(name, target, lines)


def _hidden(name: str, target: str, lines: Sequence[Line]) -> Line:
    """From the waiting of each repetition with overlap and without, which took turns."""
    weak = [each for each in lines if each["target"] == target and each["kind"] == "weak"]
    with_, without = (
        next(each["waits_s"] for each in weak if each["overlaps"] is overlaps)
        for overlaps in (True, False)
    )
    shares = [1.0 - min(a / b, 1.0) for a, b in zip(with_, without, strict=True) if b > 0.0]
    line: Line = {"bench": "ranks", "method": f"{name}, {target}: hidden"}
    if not shares:
        return line | {"skipped": "nobody waited"}
    return line | {"unit": "of waiting", **spread(shares), "kernel": name, "target": target}
