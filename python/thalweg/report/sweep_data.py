# SPDX-License-Identifier: Apache-2.0
"""The trials of a sweep as points: figures against I/O ranks, one line per mode."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thalweg.errors import ThalwegError
from thalweg.lab.results import Line, read_lines
from thalweg.lab.sweep import RESULTS

MODE, IO_RANKS = "io.mode", "io.ranks"


@dataclass(frozen=True)
class Metric:
    """A figure of a trial that is drawn and listed."""

    key: str
    label: str
    unit: str


METRICS = (
    Metric("run_time_s", "total time", "s"),
    Metric("wait_percent", "waiting for output", "% of the run"),
    Metric("transfer_rate", "transfer to I/O ranks", "MB/s"),
    Metric("write_rate", "writing", "MB/s"),
)


@dataclass(frozen=True)
class Point:
    """One combination: the figures of all its repetitions."""

    settings: dict[str, Any]
    trials: tuple[dict[str, Any], ...]

    @property
    def mode(self) -> str:
        return str(self.settings.get(MODE, "as in the base"))

    @property
    def io_ranks(self) -> int:
        return int(self.settings.get(IO_RANKS, 0))

    @property
    def rest(self) -> str:
        """What distinguishes it beside mode and I/O ranks."""
        others = {k: v for k, v in self.settings.items() if k not in (MODE, IO_RANKS)}
        return ", ".join(f"{key} = {value}" for key, value in others.items())

    def values(self, key: str) -> list[float]:
        return [float(trial[key]) for trial in self.trials if trial.get(key) is not None]

    def median_and_range(self, key: str) -> tuple[float, float, float] | None:
        """(median, smallest, largest), None where no trial has the figure."""
        values = self.values(key)
        return (statistics.median(values), min(values), max(values)) if values else None


@dataclass(frozen=True)
class SweepData:
    """A sweep for its page. `lost` are sentences about trials without figures."""

    path: Path
    points: tuple[Point, ...]
    lost: tuple[str, ...]
    first: Line  # any line of a complete trial, for machine and commit

    def groups(self) -> dict[str, list[Point]]:
        """Points by everything but mode and I/O ranks."""
        grouped: dict[str, list[Point]] = {}
        for point in self.points:
            grouped.setdefault(point.rest, []).append(point)
        return grouped


def is_sweep(path: Path) -> bool:
    return (path / RESULTS).is_file()


def read_sweep(path: Path) -> SweepData:
    """Raises a sentence if no trial is complete."""
    lines = [line for line in read_lines(path / RESULTS) if isinstance(line.get("settings"), dict)]
    newest = next((line.get("digest") for line in reversed(lines)), None)
    of_newest = [line for line in lines if line.get("digest") == newest]
    trials: dict[str, list[Line]] = {}
    for line in of_newest:
        trials.setdefault(json.dumps(line["settings"], sort_keys=True), []).append(line)
    points, lost = [], []
    for group in trials.values():
        complete = [line for line in group if line.get("status") == "complete"]
        if complete:
            figures = tuple(line["figures"] for line in complete)
            points.append(Point(complete[0]["settings"], figures))
        else:
            words = ", ".join(f"{k} = {v}" for k, v in group[-1]["settings"].items())
            lost.append(f"{words}: {group[-1].get('status')}: {group[-1].get('reason')}")
    if len(of_newest) < len(lines):
        lost.append(f"{len(lines) - len(of_newest)} trials of an earlier base are left out.")
    if not points:
        raise ThalwegError(f"the sweep '{path}' has no complete trial yet")
    first = next(line for line in reversed(of_newest) if line.get("status") == "complete")
    return SweepData(path, tuple(points), tuple(lost), first)
