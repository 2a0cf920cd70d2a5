# SPDX-License-Identifier: Apache-2.0
"""A kernel on several ranks: each gets its part of the grid in a file, and gives its points back.

What lies beyond own points is NaN at the start, so that a value which does not travel is seen.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.dsl import Kernel
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.passes.exchanges import ways_of
from thalweg.dsl.translation import plan_of, size_names, table_names
from thalweg.errors import ThalwegError
from thalweg.kernels.cases import Array
from thalweg.kernels.compiled import Inputs, ranges_of, translate, written
from thalweg.kernels.compiler import build_for_ranks
from thalweg.kernels.parts import Owners, Part, deal, in_a_row

LIMIT_S = 60.0  # of a wait for another rank
START_S = 120.0  # ranks that have not ended so long after all their waits are over are ended


@dataclass(frozen=True)
class Launch:
    """How many ranks, and the words and environment that start them."""

    ranks: int
    command: Callable[[int, list[str]], list[str]]
    environment: Callable[[], dict[str, str]]


@dataclass(frozen=True)
class Told:
    """Of one rank: seconds of each call; of all together: packing, waiting; what left it."""

    seconds: list[float]
    packing: float
    waiting: float
    exchanges: int
    messages: int
    bytes: int


# Behind the code of a kernel: what a model has of its own.
MEET = """
extern "C" void @name@_meet(int comm) { MPI_Barrier(MPI_Comm_f2c(comm)); }
"""


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
        self.real = np.float32 if configuration.is_single else np.float64
        code = translate(kernel, configuration) + MEET.replace("@name@", kernel.name)
        self.library = build_for_ranks(kernel.name, code, configuration.each_rank, folder)
        self.owners = owners or in_a_row(kernel.ir, inputs, launch.ranks)
        depth = depth_of(kernel, configuration)
        self.parts = [deal(kernel.ir, inputs, self.owners, r, depth) for r in range(launch.ranks)]
        self.told: list[Told] = []
        self.found = {name: self._whole(name) for name in written(kernel)}

    def _whole(self, name: str) -> Array:
        return np.array(self.inputs.arguments[name], self.real)

    @property
    def seconds(self) -> float:
        return max(sum(each.seconds) for each in self.told)

    def run(self, times: int = 1) -> None:
        with tempfile.TemporaryDirectory(prefix="thalweg-ranks-") as made:
            folder = Path(made)
            for rank, part in enumerate(self.parts):
                self._write(folder, rank, part)
            self._start(folder, times)
            self._read(folder)

    def _start(self, folder: Path, times: int) -> None:
        words = [sys.executable, "-m", "thalweg.kernels.on_a_rank", str(folder), str(times)]
        environment = self.launch.environment()
        package = Path(__file__).parents[2]
        paths = [str(package), *filter(None, [environment.get("PYTHONPATH")])]
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        try:
            done = subprocess.run(
                self.launch.command(self.launch.ranks, words),
                env=environment, capture_output=True, text=True, errors="replace", check=False,
                timeout=START_S + LIMIT_S * max(times, 1),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ThalwegError("the ranks of a kernel did not end", exit_code=1) from None
        if done.returncode:
            mark = "thalweg: error: "
            said = [line for line in done.stderr.splitlines() if mark in line]
            sentence = (
                said[0].split(mark, 1)[1] if said else done.stderr.strip()[-300:] or "no word"
            )
            raise ThalwegError(sentence, exit_code=2 if done.returncode == 2 else 1)

    def _write(self, folder: Path, rank: int, part: Part) -> None:
        layout, ir = self.configuration.memory, self.kernel.ir
        arrays: dict[str, Array] = {}
        words: list[tuple[str, Any]] = [("int", part.inputs.sizes[n]) for n in size_names(ir)]
        tables: list[tuple[str, Any]] = []
        ranges: list[tuple[str, Any]] = []
        for name in table_names(ir):
            arrays[f"table {name}"] = layout.lay_table(np.atleast_2d(part.inputs.tables[name]))
            tables.append(("array", f"table {name}"))
        words += tables
        for name, each in ir.arguments.items():
            value = part.inputs.arguments[name]
            if each.type.role == "parameter":
                words.append(("float" if self.configuration.is_single else "double", float(value)))
                continue
            is_points = each.type.role == "points"
            arrays[name] = ranges_of(value) if is_points else self._laid(each.type, value)
            words.append(("array", name))
            words += [("int", len(arrays[name]) // 2)] if is_points else []
            ranges += [("array", name)] if is_points else []
        places = [place.plural for place in ir.places()]
        for name in places:
            arrays[f"owners {name}"] = self.owners[name][part.points[name]].astype(np.int32)
            arrays[f"globals {name}"] = part.points[name].astype(np.int64)
        job = {
            "kernel": self.kernel.name,
            "library": str(self.library),
            "limit_s": LIMIT_S,
            "on_device": self.configuration.is_on_device,
            "overlaps": self.overlaps,
            "warms_up": self.warms_up,
            "meets": self.meets,
            "keeps": self.keeps,
            "places": places,
            "own": [part.own[name] for name in places],
            "totals": [len(part.points[name]) for name in places],
            "grid": [*(("int", part.inputs.sizes[n]) for n in size_names(ir) if n != "levels"),
                     *tables],
            "words": words,
            "ranges": ranges,
            "written": written(self.kernel),
        }  # fmt: skip
        (folder / f"{rank}.json").write_text(json.dumps(job), encoding="utf-8")
        np.savez(folder / f"{rank}.npz", **arrays)  # type: ignore[arg-type]

    def _laid(self, kind: ArgumentType, value: Any) -> Array:
        return self.configuration.memory.lay(kind, np.asarray(value, self.real))

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
