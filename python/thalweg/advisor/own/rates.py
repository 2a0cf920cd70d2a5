# SPDX-License-Identifier: Apache-2.0
"""What a calibrated machine can do, as columns of draws from the spread of each parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import thalweg
from thalweg.advisor.own.repeats import ASSUMED, LEAST_SAMPLES
from thalweg.calibrate.machine_file import Figure, Machine
from thalweg.calibrate.machine_reader import read_machine
from thalweg.config import toml
from thalweg.errors import ThalwegError

Draws = NDArray[np.float64]  # shape [draw]; draw 0 is the middle
# What runs can correct.
FACTORS = (
    "steps", "around", "moving", "files", "writing", "sharing", "crowded", "beside", "large",
)  # fmt: skip
# 1.645 standard deviations to either side of the median hold 90 % of a normal law.
_FROM_P05_TO_P95 = 2.0 * 1.6449
_SHARING = 0.5  # of what lies between perfect and no balance: nobody measures it before a run
_LIMITS = ("node_bytes_per_s", "file_system_bytes_per_s")


@dataclass(frozen=True)
class Rates:
    """Of a machine, each of shape [draw].

    cell_level_s, overhead_s  of a step, by the number of ranks they were measured on
    writer, node, file_system   bytes/s; the last two None where no limit was seen
    write_cpu                 share of the time of writing that a core is busy
    sharing                   what a rank beside those that compute delays them, where cores lack:
                              0 = as if cores shared all work evenly, 1 = by all its time
    factors                   of learned.py, [draw] each; 1 = as calibrated
    """

    machine: Machine
    cell_level_s: Mapping[int, Draws]
    overhead_s: Mapping[int, Draws]
    gather_latency_s: Draws
    gather_bytes_per_s: Draws | None
    writer_bytes_per_s: Draws
    node_bytes_per_s: Draws | None
    file_system_bytes_per_s: Draws | None
    file_s: Draws
    write_cpu: float
    factors: Mapping[str, Draws]
    _steps: dict[tuple[int, int], tuple[Draws, Draws]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _writers: dict[tuple[int, int], Draws] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def sharing(self) -> Draws:
        return np.minimum(1.0, _SHARING * self.factors["sharing"])

    def crowd(self, ranks: float, nodes: int) -> Draws:
        """How much longer so many ranks compute than on cores of their own. Where cores share all
        evenly it is ranks / cores; where each rank stays on its core, what most of them share.
        """
        on_core = ranks / nodes / self.machine.cores_per_node
        even, whole = max(1.0, on_core), max(1.0, float(np.ceil(on_core)))
        found: Draws = even + (whole - even) * self.sharing
        return found

    def of_step(self, ranks: int, nodes: int) -> tuple[Draws, Draws]:
        """(a cell and level on a core of its own, the overhead of a step), not corrected. Ranks
        that shared cores when they were calibrated have that in both.
        """
        if (ranks, nodes) not in self._steps:
            self._steps[ranks, nodes] = self._of_step(ranks, nodes)
        return self._steps[ranks, nodes]

    def _of_step(self, ranks: int, nodes: int) -> tuple[Draws, Draws]:
        most = max(self.overhead_s)
        cell = {n: each / self.crowd(n, self._nodes_of(n)) for n, each in self.cell_level_s.items()}
        beyond = self.crowd(ranks, nodes) / self.crowd(min(ranks, most), self._nodes_of(most))
        overhead = between_counts(self.overhead_s, ranks) * np.maximum(1.0, beyond)
        more = self.factors["crowded"] if ranks / nodes > self.machine.cores_per_node else 1.0
        return between_counts(cell, ranks) * more, overhead * more

    def _nodes_of(self, ranks: int) -> int:
        """Of a calibration on so many ranks: fewer than all are on one node."""
        return self.machine.nodes if ranks == self.machine.ranks else 1

    def writers(self, count: int, nodes: int) -> Draws:
        """Bytes/s that so many reach together on so many nodes, corrected."""
        if (count, nodes) not in self._writers:
            self._writers[count, nodes] = self._of_writers(count, nodes)
        return self._writers[count, nodes]

    def _of_writers(self, count: int, nodes: int) -> Draws:
        measured = max(1, self.machine.ranks // self.machine.nodes) * nodes
        told = self.node_bytes_per_s is not None
        found = self.writer_bytes_per_s * (count if told else min(count, measured))
        limit = self.limit(nodes)
        found = found if limit is None else np.minimum(found, limit)
        return found / self.factors["writing"]

    def limit(self, nodes: int) -> Draws | None:
        """Bytes/s of nodes and file system, whatever writers; not corrected."""
        found = [self.file_system_bytes_per_s]
        found.append(None if self.node_bytes_per_s is None else self.node_bytes_per_s * nodes)
        told = [each for each in found if each is not None]
        return np.minimum.reduce(told) if told else None


def between_counts(of_counts: Mapping[int, Draws], ranks: float) -> Draws:
    """Between two numbers of ranks along their logarithm; beyond them as at the end."""
    counts = sorted(of_counts)
    if ranks <= counts[0]:
        return of_counts[counts[0]]
    for low, high in pairwise(counts):
        if ranks <= high:
            weight = np.log(ranks / low) / np.log(high / low)
            found: Draws = of_counts[low] * (of_counts[high] / of_counts[low]) ** weight
            return found
    return of_counts[counts[-1]]


def load_calibrated(path: Path) -> Machine:
    """Raises a sentence, also for a file that was fitted to runs of ICON."""
    if path.suffix.lower() == ".toml" and path.is_file():
        try:
            fitted = toml.loads(path.read_text(encoding="utf-8")).get("kind") == "fitted"
        except (OSError, ValueError):
            fitted = False  # read_machine() says what is wrong
        if fitted:
            raise ThalwegError(
                f"machine file '{path}': it was fitted to runs of ICON, and tells nothing of our "
                "steps; make one with 'thalweg calibrate'"
            )
    machine = read_machine(path)
    for name in ("cell_level_step_s", "writer_bytes_per_s"):
        if machine.parameter(name) is None:
            raise ThalwegError(
                f"machine file '{path}': it does not tell '{name}' ({machine.why_not(name)}), "
                "without which nothing is predicted; calibrate again, for longer"
            )
    return machine


def notes_of(machine: Machine) -> Iterator[str]:
    """Parameters without which it goes, and another version's, in a sentence."""
    measured_by = machine.versions.get("thalweg", "")
    if measured_by not in ("", "unknown", thalweg.__version__):
        yield (
            f"the machine file was measured with thalweg {measured_by}, and this is "
            f"{thalweg.__version__}: what its output takes may have changed; calibrate again"
        )
    lacking = [
        name
        for name in ("step_overhead_s", "file_s", "gather_bytes_per_s")
        if machine.parameter(name) is None and not (name[0] == "g" and machine.nodes == 1)
    ]
    if lacking:
        yield f"not told by the machine file, and taken as nothing: {', '.join(lacking)}"
    once = [each.name for each in machine.parameters if each.n < LEAST_SAMPLES]
    if once:
        yield (
            f"measured fewer than {LEAST_SAMPLES} times, so how far they spread is not known, and "
            f"taken as {100.0 * ASSUMED:.0f} %: {', '.join(dict.fromkeys(once))}; calibrate again, "
            "for longer"
        )


def rates_of(machine: Machine, factors: Mapping[str, Draws], spread: bool = True) -> Rates:
    """factors: of all FACTORS, of one shape [draw]; the calibration's spread is drawn with it,
    or its medians are in every draw. The same arguments give the same draws.
    """
    draws = len(factors["steps"])
    chance = np.random.default_rng(0)
    normal = {
        name: spread * np.concatenate([[0.0], chance.standard_normal(draws - 1)])
        for name in (
            "cell_level_step_s", "step_overhead_s", "gather_latency_s", "gather_bytes_per_s",
            "writer_bytes_per_s", *_LIMITS, "file_s",
        )
    }  # fmt: skip

    def drawn(figure: Figure | None) -> Draws | None:
        if figure is None:
            return None
        deviation = np.log(figure.p95 / figure.p05) / _FROM_P05_TO_P95
        if figure.n < LEAST_SAMPLES:
            deviation = max(deviation, ASSUMED)
        found: Draws = figure.median * np.exp(deviation * normal[figure.name])
        return found

    def of(name: str, without: float = 0.0) -> Draws:
        found = drawn(machine.parameter(name))
        return np.full(draws, without) if found is None else found

    def of_counts(name: str) -> dict[int, Draws]:
        figures = [each for each in machine.parameters if each.name == name]
        found = {each.ranks: drawn(each) for each in figures}
        return {n: each for n, each in found.items() if each is not None} or {1: np.zeros(draws)}

    return Rates(
        machine, of_counts("cell_level_step_s"), of_counts("step_overhead_s"),
        of("gather_latency_s"), drawn(machine.parameter("gather_bytes_per_s")),
        of("writer_bytes_per_s"), drawn(machine.parameter(_LIMITS[0])),
        drawn(machine.parameter(_LIMITS[1])), of("file_s"), _write_cpu(machine), factors,
    )  # fmt: skip


def _write_cpu(machine: Machine) -> float:
    """Of one writer, as calibrated; a file by page cache keeps its core busy."""
    for each in machine.measured:
        if each.name == "write_new" and each.ranks == 1:
            cpu_s, size = float(each.facts.get("cpu_s", 0)), float(each.facts.get("bytes", 0))
            if size > 0.0:
                return min(1.0, cpu_s * each.median / size)
    return 1.0 if machine.how.get("way") == "flushed" else 0.1
