# SPDX-License-Identifier: Apache-2.0
"""Times of messages and files: rounds of thalweg_calibrate_bench, whose samples are pooled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thalweg.calibrate.machine_file import Fact
from thalweg.calibrate.samples import Series
from thalweg.config.checkout import program
from thalweg.errors import ThalwegError
from thalweg.lab.native import run_native

# A disk that stands still: more than a round's time is no round any more, but it may be slow.
_PATIENCE = 10.0
_PATIENCE_S = 240.0


@dataclass
class NativeTimer:
    """layout: ranks, nodes, cores_per_node, few_ranks, way, sizes; {} before the first round.

    file_s  how long the writing of a file is to take
    """

    folder: Path
    ranks: int
    file_s: float
    layout: dict[str, Any] = field(default_factory=dict)
    series: list[Series] = field(default_factory=list)

    def measure(self, seconds: float, seed: int, show: Callable[[], None]) -> None:
        """One round. Files have the same sizes in every round. `show` is called now and then."""
        words = [str(program("thalweg_calibrate_bench")), str(self.folder)]
        words += ["--seconds", f"{seconds:.1f}", "--seed", str(seed)]
        words += ["--file-seconds", f"{self.file_s:.3f}"]
        if self.layout:
            words += ["--sizes", ",".join(map(str, self.layout["sizes"]))]
        limit_s = _PATIENCE * seconds + _PATIENCE_S
        try:
            for line in run_native(words, self.ranks, self.folder, limit_s=limit_s):
                if "layout" in line:
                    self.layout = line["layout"]
                elif "progress" in line:
                    show()
                elif "bench" in line:
                    self._pool(line)
        except ThalwegError as error:  # of a wait, whose limit is no setting here
            sentence = error.sentence.replace(", or raise [io] timeout", "")
            raise ThalwegError(sentence, error.exit_code) from error

    def _pool(self, line: dict[str, Any]) -> None:
        facts: dict[str, Fact] = {
            key: line[key] for key in ("team", "nodes", "bytes", "way") if key in line
        }
        name, ranks = str(line["method"]), int(line["ranks"])
        known = (each for each in self.series if (each.name, each.facts) == (name, facts))
        series = next(known, None)
        if series is None:
            series = Series(name, ranks, facts)
            self.series.append(series)
        series.wall_s += line["samples"]
        series.cpu_s += line["cpu_samples"]
