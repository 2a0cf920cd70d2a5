# SPDX-License-Identifier: Apache-2.0
"""One rank of a made grid: `python -m thalweg.kernels.on_a_made_rank FOLDER TIMES`, as
on_made_parts.py starts it. It makes its part, and tells what it took.
"""

from __future__ import annotations

import ctypes
import json
import resource
import sys
from pathlib import Path
from typing import Any

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.errors import ThalwegError
from thalweg.kernels.cases import Array
from thalweg.kernels.made_grid import MadeGrid
from thalweg.kernels.made_reference import different
from thalweg.kernels.on_a_rank import Rank, begun, number_of_rank
from thalweg.kernels.rank_job import Manner, job_of

NO_MEMORY = "has too little memory for its part; give fewer cells with --cells"


class MadeRank:
    """said: what OnMadeParts has written."""

    def __init__(self, said: dict[str, Any], number: int) -> None:
        self.kernel: Kernel = load_file(Path(said["file"]))[said["kernel"]]
        self.configuration = Configuration(**said["configuration"])
        self.grid, self.number = MadeGrid(**said["grid"]), number
        part = self.grid.part(self.kernel.ir, number, said["depth"])
        owners = {name: self.grid.owners(points) for name, points in part.points.items()}
        manner = Manner(**said["manner"])
        self.totals = {name: len(points) for name, points in part.points.items()}
        job, self.arrays = job_of(self.kernel, self.configuration, part, owners, manner)
        self.rank: Rank = begun(job, self.arrays)

    def outputs(self) -> dict[str, Array]:
        """With the shapes of the reference; own points first."""
        self.rank.copy_out(self.rank.job["written"])
        found = {}
        for name in self.rank.job["written"]:
            kind = self.kernel.ir.arguments[name].type
            points = self.totals[kind.place.plural] if kind.place else 0
            found[name] = self.configuration.memory.reference(kind, self.arrays[name], points)
        return found

    def different(self, tolerance: float) -> list[str]:
        """After one call; then all wait for the last to have looked."""
        self.rank.run(1)
        found = different(self.kernel, self.grid, self.number, self.outputs(), tolerance)
        self.rank.call("meet", None, ctypes.c_int(self.rank.comm))
        return found


def main(folder: Path, times: int) -> None:
    """Values are compared where a tolerance is told."""
    number = int(number_of_rank())
    try:
        said = json.loads((folder / "job.json").read_text(encoding="utf-8"))
        rank = MadeRank(said, number)
        tolerance = said["tolerance"]
        others = rank.different(tolerance) if tolerance is not None else []
        told = rank.rank.run(times)
    except (MemoryError, ThalwegError) as error:
        lacks = isinstance(error, MemoryError)
        sentence = f"rank {number} {NO_MEMORY}" if lacks else str(error)
        print(f"thalweg: error: {sentence}", file=sys.stderr)
        sys.exit(2)
    rank.rank.end()
    memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    told |= {"different": others, "memory": memory}
    (folder / f"{number}.told").write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
