# SPDX-License-Identifier: Apache-2.0
"""Runs a kernel by itself: checks what goes in and comes out, compares, and takes the time."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.dsl.configuration import Configuration
from thalweg.errors import ThalwegError
from thalweg.kernels.cases import Array, Case, difference, other_zeros
from thalweg.kernels.compiled import bind, within_range
from thalweg.kernels.on_ranks import OnRanks
from thalweg.kernels.starting_ranks import Launch
from thalweg.kernels.vectors import find_cases

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
BUILT = CACHE / "thalweg" / "kernels"  # of this user: a checkout may belong to another


@dataclass(frozen=True)
class Outcome:
    """Of one case.

    differences   output: largest difference relative to its largest value
    other_zeros   output: values that are zero as they should be, with the other sign
    """

    case: Case
    configuration: Configuration
    outputs: dict[str, Array]
    differences: dict[str, float]
    other_zeros: dict[str, int]
    seconds: list[float]  # wall time of each repetition

    @property
    def reference(self) -> str:
        """What says how outputs must be: the data file, or target numpy."""
        return "the data file" if self.case.expected else "numpy"

    @property
    def not_compared(self) -> list[str]:
        """Outputs of which the reference does not say how they must be."""
        return [name for name in self.outputs if name not in self.differences]

    @property
    def passed(self) -> bool:
        return all(each <= self.tolerance for each in self.differences.values())

    @property
    def tolerance(self) -> float:
        """That of the case, as many units in the last place where these are larger."""
        single = np.finfo(np.float32).eps / np.finfo(np.float64).eps
        return self.case.tolerance * (float(single) if self.configuration.is_single else 1.0)

    def as_json(self) -> dict[str, Any]:
        return {
            "kernel": self.case.kernel.name,
            "target": self.configuration.target,
            "layout": self.configuration.layout,
            "sizes": dict(self.case.sizes),
            "differences": {name: _or_none(each) for name, each in self.differences.items()},
            "zeros_of_other_sign": self.other_zeros,
            "reference": self.reference,
            "not_compared": self.not_compared,
            "precision": self.configuration.precision,
            "tolerance": self.tolerance,
            "passed": self.passed,
            "seconds": self.seconds,
            "outputs": {
                name: dict(zip(("max", "min", "sum"), map(_or_none, _figures(array)), strict=True))
                for name, array in self.outputs.items()
            },
        }


def run_cases(
    name: str,
    data: Path | None,
    configuration: Configuration,
    repeat: int,
    launch: Launch | None = None,
) -> Iterator[Outcome]:
    """`launch`: what starts ranks, for a target that has some."""
    for case in find_cases(name, data):
        yield run_case(case, configuration, repeat, launch)


def run_case(
    case: Case, configuration: Configuration, repeat: int, launch: Launch | None = None
) -> Outcome:
    """Each repetition begins with the same inputs."""
    reference = Configuration("numpy", precision=configuration.precision)
    expected = case.expected or _called(case, reference)[0]
    seconds = []
    outputs: dict[str, Array] = {}
    for _ in range(repeat):
        outputs, wall_s = _called(case, configuration, launch)
        seconds.append(wall_s)
    differences, zeros = {}, {}
    for name, right in expected.items():
        if right.dtype.kind not in "fiu" or right.shape != outputs[name].shape:
            raise ThalwegError(
                f"what '{name}' of kernel '{case.kernel.name}' is to be is {right.dtype} of shape "
                f"{right.shape} instead of float64 of shape {outputs[name].shape}"
            )
        parts = list(zip(case.parts(name, outputs[name]), case.parts(name, right), strict=True))
        scales = case.scales.get(name, [None] * len(parts))
        differences[name] = max(map(difference, *zip(*parts, strict=True), scales))
        zeros[name] = sum(other_zeros(*part) for part in parts)
    return Outcome(case, configuration, outputs, differences, zeros, seconds)


def _called(
    case: Case, configuration: Configuration, launch: Launch | None = None
) -> tuple[dict[str, Array], float]:
    inputs = within_range(case.inputs, configuration)
    if launch and configuration.is_on_ranks:
        on_ranks = OnRanks(case.kernel, configuration, inputs, BUILT, launch)
        on_ranks.run(case.times)
        return on_ranks.outputs(), on_ranks.seconds
    bound = bind(case.kernel, configuration, inputs, BUILT)
    begin = time.perf_counter()
    for _ in range(case.times):
        bound.run()
    wall_s = time.perf_counter() - begin
    return bound.outputs(), wall_s


def _or_none(value: float) -> float | None:
    """JSON has neither infinity nor what is no number."""
    return value if math.isfinite(value) else None


def _figures(array: Array) -> tuple[float, float, float]:
    if not array.size:  # of no points
        return np.nan, np.nan, 0.0
    with np.errstate(invalid="ignore", over="ignore"):  # an infinite value and its negative
        return float(array.max()), float(array.min()), float(array.sum())


def print_outcome(outcome: Outcome, number: int) -> None:
    """In the form that standalone runs of NICAM's and DYNAMICO's kernels have."""
    case = outcome.case
    print(f"[KERNEL] {case.kernel.name}")
    sizes = " ".join(f"{name}={size}" for name, size in case.sizes.items())
    way = outcome.configuration
    layout = "" if way.target == "numpy" else f" layout={way.layout}"  # the reference has its own
    blocks = f" block={way.block}" if way.layout == "blocked" else ""
    print(f"{sizes} target={way.target}{layout}{blocks}")
    print("### Input ###")
    for name, value in case.arguments.items():
        if not isinstance(value, float) and _comes_with_values(case, name):
            _print_check(name, value)
    print("### Output ###")
    for name, array in outcome.outputs.items():
        _print_check(name, array)
    print("### Validation : point-by-point diff ###")
    for name, apart in outcome.differences.items():
        allowed = outcome.tolerance
        verdict = "" if apart <= allowed else f" more than the {allowed:g} allowed"
        zeros = outcome.other_zeros[name]
        signs = f" zeros of the other sign: {zeros}" if zeros else ""
        print(f"+diff[{name}] relative={apart:.3e}{verdict}{signs}")
    for name in outcome.not_compared:
        print(f"+diff[{name}] not compared: {outcome.reference} has none")
    print(f"reference: {outcome.reference}")
    print(
        f"*** ID={number:03d} : {case.kernel.name:30} T={sum(outcome.seconds):12.6f} "
        f"N={len(outcome.seconds)}"
    )


def _print_check(name: str, array: Array) -> None:
    largest, smallest, total = _figures(array)
    missing = int(np.isnan(array).sum()) if array.dtype.kind == "f" else 0
    told = f" not a number: {missing} of {array.size}" if missing else ""
    print(f"+check[{name:16}] max={largest:24.16e} min={smallest:24.16e} sum={total:24.16e}{told}")


def _comes_with_values(case: Case, name: str) -> bool:
    argument = case.kernel.ir.arguments.get(name)
    return argument is None or argument.type.role != "out"
