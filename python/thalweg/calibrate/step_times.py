# SPDX-License-Identifier: Apache-2.0
"""Times of steps of the mini-model, from its own timers, on three numbers of ranks and sizes.

Few levels of a few cells, whose values stay in the fastest cache, tell what a step takes however
little there is to compute; a size like a real run's share tells the time of a cell. Between them a
cell costs less the more of the values fit into caches: a line through all would tell neither.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

from thalweg.calibrate.samples import Series
from thalweg.errors import ThalwegError
from thalweg.files.timing import Timing
from thalweg.interrupts import INTERRUPTED_CODE
from thalweg.run.runner import RunRequest, run_case

_FEW_LEVELS, _LEVELS = (1, 8), 30
_TIME_STEP_S = 2  # stable on every grid down to 1 km: waves move 300 m/s at most
_SMALL_CELLS = 32  # of a rank, at least, on the small grid; 2.25 times as many at most
_LARGE_CELLS = 10_000  # the same on the large one: more than caches hold, 0.3 GB at most
_PILOT_STEPS = 4
_MOST_STEPS = 20_000
_CASE = f"""[grid]
name = "R2B4"
[model]
case = "steady"
levels = {_LEVELS}
time_step = {_TIME_STEP_S}
[io]
mode = "serial"
events = false
timeout = 120
"""


@dataclass
class _Kind:
    """Runs of one kind: the same grid on the same number of ranks."""

    grid: str
    series: Series
    step_s: float = 0.0  # as the pilot run had it
    around_s: float = 0.0  # what a run takes beside its steps


class StepTimer:
    """rank_counts: on which the model is run."""

    def __init__(self, folder: Path, rank_counts: list[int]) -> None:
        self._folder = folder
        self.kinds = [
            _Kind(grid, Series("step", ranks, {"cells": cells, "levels": levels}))
            for ranks in rank_counts
            for cells, grid, levels in _sizes(ranks)
        ]
        (folder / "steps.toml").write_text(_CASE, encoding="utf-8")

    def try_out(self, kind: _Kind) -> None:
        """A run that counts for nothing: it tells how many steps later ones can do."""
        begin_s = time.monotonic()
        first_s = self._run(kind, _PILOT_STEPS)
        kind.around_s = max(0.0, time.monotonic() - begin_s - first_s * _PILOT_STEPS)
        kind.step_s = first_s

    def measure(self, kind: _Kind, seconds: float) -> None:
        """Adds one sample: the mean of a step over about so many seconds."""
        steps = int(seconds / kind.step_s)
        step_s = self._run(kind, max(_PILOT_STEPS, min(steps, _MOST_STEPS)))
        kind.series.wall_s.append(step_s)
        kind.step_s = step_s

    def _run(self, kind: _Kind, steps: int) -> float:
        words = [f"grid.name={kind.grid}", f"model.levels={kind.series.facts['levels']}",
                 f"time.duration={steps * _TIME_STEP_S}"]  # fmt: skip
        request = RunRequest(self._folder / "steps.toml", kind.series.ranks, words,
                             self._folder / "run", overwrite=True, quiet=True)  # fmt: skip
        try:
            timing = Timing.read(run_case(request).timing_path)
        except ThalwegError as error:
            if error.exit_code == INTERRUPTED_CODE:
                raise KeyboardInterrupt from error
            sentence = re.sub(r"; see '[^']*'$", "", error.sentence)  # that file is gone by then
            raise ThalwegError(
                f"the mini-model on {kind.grid}, ranks {kind.series.ranks}: {sentence}",
                error.exit_code,
            ) from error
        return (timing.mean_s("integrate") - timing.mean_s("diagnostics")) / steps


def _sizes(ranks: int) -> list[tuple[int, str, int]]:
    """Cells and name of the grid, and levels."""
    small, large = _grid(_SMALL_CELLS * ranks), _grid(_LARGE_CELLS * ranks)
    return [*((*small, few) for few in _FEW_LEVELS), (*large, _LEVELS)]


def _grid(cells: int) -> tuple[int, str]:
    """Cells and name of the coarsest grid R2Bk or R3Bk with as many."""
    grids = [(20 * n * n * 4**k, f"R{n}B{k}") for n in (2, 3) for k in range(13)]
    return min((grid for grid in grids if grid[0] >= cells), default=max(grids))
