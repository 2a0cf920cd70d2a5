# SPDX-License-Identifier: Apache-2.0
"""Kernel by kernel, whether each target gives the bits of the reference, or how far off it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import ON_RANKS, TARGETS, Configuration
from thalweg.errors import ThalwegError
from thalweg.kernels.any_kernel import made_case
from thalweg.kernels.cases import Array, Case, difference
from thalweg.kernels.compiled import bind
from thalweg.kernels.on_ranks import OnRanks
from thalweg.kernels.starting_ranks import Launch

WITH_GPUS = " + cuda"  # on ranks that have a GPU each
COMPARED = (*TARGETS[1:], *(f"{each}{WITH_GPUS}" for each in ON_RANKS))  # all but the reference
SAME = "same bits"


@dataclass(frozen=True)
class Compared:
    """Of one kernel. `found`: target: "same bits", the largest difference relative to the largest
    value of an output, or "-" where there is no such code; `refused`: why there is none.
    """

    kernel: str
    found: dict[str, str]
    refused: dict[str, str]

    @property
    def passed(self) -> bool:
        return "wrong" not in self.found.values()


def compare(kernel: Kernel, folder: Path, launch: Launch) -> Compared:
    """On made-up inputs, in the layout that suits a target."""
    case = made_case(kernel)
    right = _outputs(case, Configuration("numpy"), folder, launch)
    found: dict[str, str] = {}
    refused: dict[str, str] = {}
    for target in COMPARED:
        way = configuration_for(target)
        with _refusals(refused, target):
            found[target] = _verdict(_outputs(case, way, folder, launch), right, case.tolerance)
    found |= dict.fromkeys(refused, "-")
    return Compared(kernel.name, found, refused)


@contextmanager
def _refusals(refused: dict[str, str], target: str) -> Iterator[None]:
    """Of what there is no code for."""
    try:
        yield
    except ThalwegError as error:
        if error.exit_code == 1:
            raise
        refused[target] = error.sentence


def configuration_for(compared: str) -> Configuration:
    """Of one of COMPARED: what suits it."""
    target, gpus, _ = compared.partition(WITH_GPUS)
    if gpus:
        return Configuration(target, "point_innermost", each_rank="cuda")
    return Configuration(target, "point_innermost" if target == "cuda" else "level_innermost")


def _outputs(
    case: Case, configuration: Configuration, folder: Path, launch: Launch
) -> dict[str, Array]:
    inputs = case.inputs
    if configuration.target in ON_RANKS:
        on_ranks = OnRanks(case.kernel, configuration, inputs, folder, launch)
        on_ranks.run()
        return on_ranks.outputs()
    bound = bind(case.kernel, configuration, inputs, folder)
    bound.run()
    return bound.outputs()


def _verdict(found: dict[str, Array], right: dict[str, Array], tolerance: float) -> str:
    if all(found[name].tobytes() == right[name].tobytes() for name in right):
        return SAME
    scales = {name: None if right[name].any() else 1.0 for name in right}  # 0 has no size
    apart = max(difference(found[name], right[name], scales[name]) for name in right)
    return f"{apart:.0e}" if apart <= tolerance else "wrong"
