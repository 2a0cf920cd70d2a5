# SPDX-License-Identifier: Apache-2.0
"""What is known of a run before it starts, as columns of many runs: the input of a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]  # shape [run]
Flags = NDArray[np.bool_]  # shape [run]
RESTART_MODES = ("none", "sync", "async", "joint_multifile", "dedicated_multifile")


@dataclass(frozen=True)
class RunFacts:
    """One run, or one candidate of a run that has not happened. Bytes are those of one event."""

    cells: float
    steps: float
    nodes: float
    ranks_per_node: float
    compute_ranks: float
    io_ranks: float = 0.0
    partitions: float = 0.0  # of the stream; 0: as many as I/O ranks
    restart_ranks: float = 0.0
    restart_mode: str = "none"
    outputs: float = 0.0
    checkpoints: float = 0.0
    output_bytes: float = 0.0
    checkpoint_bytes: float = 0.0


@dataclass(frozen=True)
class MeasuredRun:
    """A run that exists."""

    name: str
    facts: RunFacts
    total_s: float
    grid: str = ""
    output_interval_s: float = 0.0
    checkpoint_interval_s: float = 0.0

    @property
    def kind(self) -> str:
        facts = self.facts
        words = ["output"] * (facts.outputs > 0) + ["restart"] * (facts.checkpoints > 0)
        return " and ".join(words) or "no output"


@dataclass(frozen=True)
class ManyRuns:
    """The same of many runs; every array has shape [run]."""

    cells: Numbers
    steps: Numbers
    nodes: Numbers
    ranks_per_node: Numbers
    compute_ranks: Numbers
    io_ranks: Numbers
    partitions: Numbers
    restart_ranks: Numbers
    restart_mode: NDArray[np.str_]
    outputs: Numbers
    checkpoints: Numbers
    output_bytes: Numbers
    checkpoint_bytes: Numbers

    @classmethod
    def of(cls, runs: Sequence[RunFacts]) -> ManyRuns:
        columns: dict[str, Any] = {}
        for field in fields(RunFacts):
            values = [getattr(run, field.name) for run in runs]
            kind: Any = np.str_ if field.name == "restart_mode" else np.float64
            columns[field.name] = np.array(values, dtype=kind)
        return cls(**columns)

    @cached_property
    def in_mode(self) -> dict[str, Flags]:
        """Which runs have each restart mode: a fit asks thousands of times."""
        return {mode: self.restart_mode == mode for mode in RESTART_MODES}

    def of_positions(self, positions: Sequence[int]) -> ManyRuns:
        chosen = list(positions)
        return ManyRuns(**{f.name: getattr(self, f.name)[chosen] for f in fields(self)})
