# SPDX-License-Identifier: Apache-2.0
"""The configurations that kernels are tried in, and how a test calls a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from thalweg.dsl.configuration import Configuration
from thalweg.kernels.cases import Case
from thalweg.kernels.compiled import bind

REFERENCE = Configuration("numpy")
# Every target and every layout; with blocks that are longer and shorter than what there is.
WAYS = (
    Configuration("serial", "level_innermost"),
    Configuration("simd", "blocked", 8, order="curve", prefetch=2),
    Configuration("openmp", "level_innermost", prefetch=3, tile=7),
    Configuration("simd", "point_innermost", 256, stores="streaming"),
    Configuration("openmp", "blocked", 32, stores="streaming"),
    Configuration("serial", "point_innermost", 4, order="blocks", prefetch=1),
    Configuration("simd", stores="streaming", prefetch=1000, prefetch_into="first"),
    Configuration("simd", tile=5, order="curve"),
    Configuration("serial", tile=64, stores="streaming", prefetch=2),
    Configuration("cuda", "point_innermost"),
)
IDS = [f"{each.target}-{each.layout}" for each in WAYS]


def outputs(case: Case, way: Configuration, folder: Path) -> dict[str, NDArray[Any]]:
    """What the kernel has set after the calls of the case, with the shapes of the reference."""
    bound = bind(case.kernel, way, case.inputs, folder)
    for _ in range(case.times):
        bound.run()
    return bound.outputs()


def different(case: Case, way: Configuration, folder: Path) -> list[str]:
    """Outputs of which `way` gives other bits than the reference."""
    right = outputs(case, REFERENCE, folder)
    return [
        name
        for name, found in outputs(case, way, folder).items()
        if found.tobytes() != right[name].tobytes()
    ]
