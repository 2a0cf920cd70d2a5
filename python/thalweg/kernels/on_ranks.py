# SPDX-License-Identifier: Apache-2.0
"""A kernel on several ranks: each gets its part of the grid in a file, and gives its points back.

What lies beyond own points is NaN at the start, so that a value which does not travel is seen.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.passes.exchanges import ways_of
from thalweg.dsl.translation import plan_of
from thalweg.kernels.cases import Array
from thalweg.kernels.compiled import Inputs, written
from thalweg.kernels.parts import Owners, Part, deal, in_a_row
from thalweg.kernels.rank_job import Manner, job_of, library_for_ranks, real_of
from thalweg.kernels.starting_ranks import LIMIT_S, START_S, Launch, Told, start


class OnRanks:
    """`run` starts the ranks anew; `seconds` is what the slowest of them took for the calls."""

    def __init__(
        self,
        kernel: Kernel,
        configuration: Configuration,
        inputs: Inputs,
        folder: Path,
        launch: Launch,
        owners: Owners | None = None,
        *,
        overlaps: bool = True,
        keeps: Sequence[str] = (),
        warms_up: bool = False,
        meets: bool = False,
    ) -> None:
        """overlaps: points are computed while values travel. keeps: arguments that travel once.
        warms_up: by a call that is not timed, and that values of later ones build upon.
        meets: ranks begin each call together, so that none waits for one that is late.
        """
        self.kernel, self.configuration, self.inputs = kernel, configuration, inputs
        self.launch, self.overlaps, self.warms_up = launch, overlaps, warms_up
        self.keeps, self.meets = list(keeps), meets
        self.library = library_for_ranks(kernel, configuration, folder)
        self.owners = owners or in_a_row(kernel.ir, inputs, launch.ranks)
        depth = depth_of(kernel, configuration)
        self.parts = [deal(kernel.ir, inputs, self.owners, r, depth) for r in range(launch.ranks)]
        self.told: list[Told] = []
        self.found = {name: self._whole(name) for name in written(kernel)}

    def _whole(self, name: str) -> Array:
        return np.array(self.inputs.arguments[name], real_of(self.configuration))

    @property
    def seconds(self) -> float:
        return max(sum(each.seconds) for each in self.told)

    def run(self, times: int = 1) -> None:
        with tempfile.TemporaryDirectory(prefix="thalweg-ranks-") as made:
            folder = Path(made)
            for rank, part in enumerate(self.parts):
                self._write(folder, rank, part)
            limit_s = START_S + LIMIT_S * max(times, 1)
            start(self.launch, "thalweg.kernels.on_a_rank", folder, times, limit_s)
            self._read(folder)

    def _write(self, folder: Path, rank: int, part: Part) -> None:
        owners = {name: self.owners[name][points] for name, points in part.points.items()}
        manner = Manner(str(self.library), self.overlaps, self.warms_up, self.meets, self.keeps)
        job, arrays = job_of(self.kernel, self.configuration, part, owners, manner)
        (folder / f"{rank}.json").write_text(json.dumps(job), encoding="utf-8")
        np.savez(folder / f"{rank}.npz", **arrays)  # type: ignore[arg-type]

    def _read(self, folder: Path) -> None:
        self.told = []
        layout = self.configuration.memory
        for rank, part in enumerate(self.parts):
            told = json.loads((folder / f"{rank}.told").read_text(encoding="utf-8"))
            self.told.append(Told(**told))
            with np.load(folder / f"{rank}.out.npz") as arrays:
                for name, whole in self.found.items():
                    kind = self.kernel.ir.arguments[name].type
                    if kind.place is None:
                        whole[...] = layout.reference(kind, arrays[name], 0)
                        continue
                    points = part.points[kind.place.plural]
                    own = part.own[kind.place.plural]
                    values = layout.reference(kind, arrays[name], len(points))
                    whole[..., points[:own]] = values[..., :own]

    def begin_again(self) -> None:
        """Each run does."""
        self.found = {name: self._whole(name) for name in self.found}

    def outputs(self) -> dict[str, Array]:
        return self.found

    def arrays(self) -> list[Array]:
        return [each for part in self.parts for each in part.inputs.arguments.values()]


def depth_of(kernel: Kernel, configuration: Configuration) -> int:
    """Through how many tables own points need values of others, at most."""
    plan = plan_of(kernel.ir, configuration)
    ways = [ways_of(kernel.ir, plan, each) for each in plan.sweeps]
    return max((len(way) for each in ways for found in each.values() for way in found), default=0)
