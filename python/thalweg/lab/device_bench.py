# SPDX-License-Identifier: Apache-2.0
"""How fast kernels are on a GPU: the share of a copy there, in every layout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from thalweg.dsl.configuration import Configuration
from thalweg.kernels.device_copy import DeviceCopy
from thalweg.lab.kernel_cases import QUICK, Make, Sizes, made_cases
from thalweg.lab.kernel_trial import Trial, Way, make_trial
from thalweg.lab.results import Line

CUDA = Configuration("cuda", "point_innermost")
WAYS = (
    Way(CUDA),
    Way(CUDA.changed(layout="level_innermost")),
    Way(CUDA.changed(layout="blocked", block=32)),
    Way(CUDA.changed(layout="blocked", block=256)),
    Way(CUDA.changed(precision="single")),
)
BEYOND_CACHES = Sizes(512, 64, 368, 400, 60, 256, 40)  # of a GPU: hundreds of MB a field
CALLS = 50  # one after the other, so that what starts them counts little


def measure_on_device(folder: Path, repetitions: int, quick: bool) -> Iterator[Line]:
    """A line for each kernel and way, and one for the best way of each kernel. Ways take turns;
    before each run a copy is measured. Without a GPU the code runs, and times say nothing.
    """
    copy = DeviceCopy(folder)
    makes = made_cases(QUICK if quick else BEYOND_CACHES)
    for done, (name, make) in enumerate(makes.items()):
        yield {"progress": {"done": done, "of": len(makes), "method": name}}
        yield from _one_kernel(name, make, copy, folder, repetitions, quick)


def _one_kernel(
    name: str, make: Make, copy: DeviceCopy, folder: Path, repetitions: int, quick: bool
) -> Iterator[Line]:
    case = make()
    trials = [make_trial(case, way, folder) for way in WAYS]
    for _ in range(repetitions):
        for trial in trials:
            trial.run(copy.measure(), 1 if quick else CALLS)
    for trial in trials:
        yield _line(trial)
    right = [each for each in trials if not each.wrong and not each.way.is_single]
    best = min(right, key=lambda each: each.median_s, default=None)
    if best is not None:
        yield _line(best) | {"method": name, "way": best.way.name}


def _line(trial: Trial) -> Line:
    line = trial.line() | {"bench": "device"}
    if "wrong" in line:
        return line
    line["copy_gb_s"] = line.pop("triad_gb_s")
    return line | {"unit": "of a copy there"}
