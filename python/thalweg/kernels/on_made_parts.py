# SPDX-License-Identifier: Apache-2.0
"""A kernel on ranks that make their parts of a rhombus themselves: here is no array of the grid."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.errors import ThalwegError
from thalweg.kernels.any_kernel import shape_of, tolerance_of
from thalweg.kernels.made_grid import OF_A_CELL, MadeGrid
from thalweg.kernels.made_reference import cells_of_piece
from thalweg.kernels.on_ranks import depth_of
from thalweg.kernels.rank_job import Manner, library_for_ranks
from thalweg.kernels.rhombus import TABLES
from thalweg.kernels.starting_ranks import LIMIT_S, START_S, Launch, Told, start

ROWS_OF_TABLE = 2  # to which the neighbours in a table belong, at most, on either side
MOST_POINTS = 2**31 - 1  # tables of the code have 32 bits
# Measured (docs/scaling.md): a process with NumPy and MPI; tables and numbers of a cell while a
# part is made; of values, how many bytes are there at most for each that stays.
PROCESS_BYTES, CELL_BYTES, VALUE_SHARE, PIECE_SHARE = 60e6, 1500.0, 1.1, 2.0
CHECK_S = 1e-5  # to make and compare a cell and level, at most, on a core of its own


class OnMadeParts:
    """`check` compares with the reference; `run` starts the ranks anew, and `told` is what each of
    them has measured.
    """

    def __init__(
        self,
        kernel: Kernel,
        configuration: Configuration,
        grid: MadeGrid,
        launch: Launch,
        *,
        overlaps: bool = True,
        keeps: Sequence[str] = (),
        meets: bool = False,
    ) -> None:
        """As of OnRanks. Nothing is built or started. Raises a sentence for what cannot be."""
        self.kernel, self.configuration, self.grid = kernel, configuration, grid
        self.launch, self.overlaps, self.keeps, self.meets = launch, overlaps, keeps, meets
        self.depth = depth_of(kernel, configuration)
        self.library = ""
        self.told: list[Told] = []
        self.memory = 0  # of the rank with the most, bytes
        check_kernel(kernel, grid)
        rows = self.cells_of_rank // grid.i + 2 * ROWS_OF_TABLE * self.depth + 1
        if max(OF_A_CELL.values()) * min(rows * grid.i, grid.cells) > MOST_POINTS:
            raise ThalwegError(
                f"{grid.i} x {grid.j} cells on {grid.ranks} ranks are more points a rank than the "
                f"{MOST_POINTS} that tables of kernels can number; give fewer with --cells"
            )

    @property
    def seconds(self) -> float:
        return max(sum(each.seconds) for each in self.told)

    @property
    def cells_of_rank(self) -> int:
        """Of the one with the most."""
        return -(-self.grid.cells // self.grid.ranks)

    @property
    def rank_bytes(self) -> float:
        """What a rank takes, about."""
        rim = 2 * ROWS_OF_TABLE * self.depth * (self.grid.i + 1)  # above and below
        here = self.cells_of_rank + min(rim, self.grid.cells - self.cells_of_rank)
        piece = min(cells_of_piece(self.grid), self.cells_of_rank) + rim
        values = _values_of_cell(self.kernel, self.grid.levels) * 8
        own = here * (VALUE_SHARE * values + CELL_BYTES)
        return PROCESS_BYTES + own + PIECE_SHARE * piece * values

    def build(self, folder: Path) -> None:
        """folder: where compiled code is kept."""
        self.library = str(library_for_ranks(self.kernel, self.configuration, folder))

    def check(self, times: int) -> list[str]:
        """What has not the reference's values after a call, with the rank; then so many calls."""
        said = self._run(times, tolerance_of(self.kernel))
        return [f"'{name}' on rank {rank}" for rank, each in enumerate(said) for name in each]

    def run(self, times: int) -> None:
        """After a call that is not timed."""
        self._run(times, None)

    def job(self, tolerance: float | None) -> dict[str, Any]:
        """What each rank reads. tolerance: of its comparison, None for none."""
        code, checks = self.kernel.function.__code__, tolerance is not None
        manner = Manner(self.library, self.overlaps, not checks, self.meets, self.keeps)
        return {
            "file": str(Path(code.co_filename).resolve()), "kernel": self.kernel.name,
            "configuration": asdict(self.configuration), "grid": asdict(self.grid),
            "depth": self.depth, "manner": asdict(manner), "tolerance": tolerance,
        }  # fmt: skip

    def _run(self, times: int, tolerance: float | None) -> list[list[str]]:
        with tempfile.TemporaryDirectory(prefix="thalweg-ranks-") as made:
            folder = Path(made)
            (folder / "job.json").write_text(json.dumps(self.job(tolerance)), encoding="utf-8")
            start(
                self.launch, "thalweg.kernels.on_a_made_rank", folder, times, self._limit_s(times)
            )
            return self._read(folder)

    def _limit_s(self, times: int) -> float:
        work = self.cells_of_rank * self.grid.levels * CHECK_S
        shared = max(1.0, self.grid.ranks / self.launch.nodes / (os.cpu_count() or 1))
        return START_S + LIMIT_S * max(times, 1) + work * shared

    def _read(self, folder: Path) -> list[list[str]]:
        self.told, self.memory, found = [], 0, []
        for rank in range(self.grid.ranks):
            told = json.loads((folder / f"{rank}.told").read_text(encoding="utf-8"))
            found.append(told.pop("different"))
            self.memory = max(self.memory, told.pop("memory"))
            self.told.append(Told(**told))
        return found


def check_kernel(kernel: Kernel, grid: MadeGrid) -> None:
    """Raises a sentence for one that a rhombus with so many levels is not for."""
    for each in kernel.ir.neighbour_tables():
        if each.full_name not in TABLES:
            raise ThalwegError(
                f"kernel '{kernel.name}' has neighbours '{each.full_name}', which a rhombus of "
                "hexagons has not"
            )
    if grid.levels < kernel.ir.least_levels:
        raise ThalwegError(
            f"kernel '{kernel.name}' needs at least {kernel.ir.least_levels} levels, there are "
            f"{grid.levels}"
        )


def _values_of_cell(kernel: Kernel, levels: int) -> float:
    """How many values fields have for a cell, with its edges and vertices."""
    kinds = [each.type for each in kernel.ir.arguments.values()]
    fields = [kind for kind in kinds if kind.place and kind.role != "points"]
    one = {"levels": levels, **OF_A_CELL}
    return float(sum(np.prod(shape_of(kind, one), dtype=np.int64) for kind in fields))
