# SPDX-License-Identifier: Apache-2.0
"""What was timed, pooled over rounds; samples with the same place belong to the same moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from thalweg.calibrate.machine_file import Fact, Figure
from thalweg.calibrate.quantities import MEASURED
from thalweg.lab.results import spread


@dataclass
class Series:
    """wall_s: of the slowest rank. cpu_s: user and system time of all ranks; () = not known.

    facts  nodes, team, and what was worked on: cells and levels, or bytes
    """

    name: str
    ranks: int
    facts: dict[str, Fact]
    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)

    def number(self, fact: str) -> float:
        return float(self.facts[fact])

    def rates(self) -> list[float]:
        """Bytes a second [B s-1]."""
        return [self.number("bytes") / each for each in self.wall_s]

    def figure(self) -> Figure:
        """As it stands in the file: times, or rates of writing."""
        unit = MEASURED[self.name]
        samples = self.wall_s if unit == "s" else self.rates()
        cpu = {"cpu_s": rounded(spread(self.cpu_s)["median"])} if self.cpu_s else {}
        return figure_of(self.name, self.ranks, unit, samples, {**self.facts, **cpu})


def figure_of(
    name: str, ranks: int, unit: str, samples: Sequence[float], facts: dict[str, Fact]
) -> Figure:
    found = spread(samples)
    return Figure(name, ranks, unit, rounded(found["median"]), rounded(found["p05"]),
                  rounded(found["p95"]), len(samples), facts)  # fmt: skip


def rounded(value: float) -> float:
    """What a clock can tell: four digits."""
    return float(f"{value:.4g}")
