# SPDX-License-Identifier: Apache-2.0
"""machine.toml: what a machine can do, with spreads, and what could not be told."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from thalweg.calibrate.quantities import BY_NAME
from thalweg.config import toml
from thalweg.files.targets import write_whole

FORMAT = 1  # of the file; another one is refused
Fact = str | int | float


@dataclass(frozen=True)
class Figure:
    """One quantity: a parameter, or something measured. Percentiles are of `n` samples.

    ranks   it holds for
    facts   what else there is to know of it: nodes, team, cells, levels, bytes, cpu_s, way
    """

    name: str
    ranks: int
    unit: str
    median: float
    p05: float
    p95: float
    n: int
    facts: dict[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True)
class NotSeparated:
    """A parameter that the data cannot tell. ranks 0: on no number of ranks."""

    parameter: str
    reason: str
    ranks: int = 0


@dataclass(frozen=True)
class Machine:
    """ranks, nodes: of the measurement. how: command, directory, way past the page cache, ..."""

    name: str
    date: datetime.datetime
    nodes: int
    ranks: int
    cores_per_node: int
    versions: dict[str, str]
    how: dict[str, Fact]
    parameters: Sequence[Figure]
    measured: Sequence[Figure] = ()
    not_separated: Sequence[NotSeparated] = ()

    def parameter(self, name: str, ranks: int = 0) -> Figure | None:
        """On so many ranks; 0: on the most. None: it could not be told, see why_not()."""
        assert name in BY_NAME, name
        found = [each for each in self.parameters if each.name == name]
        if ranks:
            return next((each for each in found if each.ranks == ranks), None)
        return max(found, key=lambda each: each.ranks, default=None)

    def why_not(self, name: str) -> str:
        """Why a parameter could not be told, "" if it was."""
        reasons = [each.reason for each in self.not_separated if each.parameter == name]
        return "; ".join(reasons) if self.parameter(name) is None else ""

    def content(self) -> dict[str, object]:
        """As it stands in the file."""
        return {
            "format": FORMAT,
            "machine": {
                "name": self.name,
                "date": self.date,
                "nodes": self.nodes,
                "ranks": self.ranks,
                "cores_per_node": self.cores_per_node,
            },
            "versions": self.versions,
            "how": self.how,
            "parameter": [_entry(each) for each in self.parameters],
            "measured": [_entry(each) for each in self.measured],
            "not_separated": [
                {
                    "parameter": each.parameter,
                    **({"ranks": each.ranks} if each.ranks else {}),
                    "reason": each.reason,
                }
                for each in self.not_separated
            ],
        }


def _entry(figure: Figure) -> dict[str, object]:
    return {
        "name": figure.name,
        "ranks": figure.ranks,
        **figure.facts,
        "unit": figure.unit,
        "median": figure.median,
        "p05": figure.p05,
        "p95": figure.p95,
        "n": figure.n,
    }


def write_machine(machine: Machine, path: Path) -> None:
    """Appears under its name only when it is complete."""
    write_whole(path, toml.dumps(machine.content()))
