# SPDX-License-Identifier: Apache-2.0
"""Random but valid ways to run: mode, ranks, container, restart mode, and where a kill strikes."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from thalweg.run.native_lists import of_kind, whole_grids_only

# container, compression, layout
STORAGES = (
    ("netcdf4", "none", "contiguous"),
    ("netcdf4", "none", "chunked"),
    ("netcdf4", "deflate", "contiguous"),
    ("cdf5", "none", "contiguous"),
    ("classic", "none", "contiguous"),
    ("raw", "none", "contiguous"),
    ("zarr", "none", "contiguous"),
    ("zarr", "zstd", "contiguous"),
    ("grib2", "none", "contiguous"),
    ("grib2", "ccsds", "contiguous"),
)


@dataclass(frozen=True)
class Rhythm:
    """How often files and checkpoints begin, independent of each other, and where the run that is
    killed was to end: what continues it goes on to the end of the case. Minutes."""

    file: int  # 0: one file for the whole run
    checkpoint: int
    first_end: int = 0  # 0: that of the case

    def overrides(self) -> list[str]:
        return [
            f"output.file_interval={60 * self.file}",
            f"restart.interval={60 * self.checkpoint}",
        ]

    def first_overrides(self) -> list[str]:
        """Of the run that is killed."""
        end = [f"time.duration={60 * self.first_end}"] if self.first_end else []
        return [*self.overrides(), *end]

    def __str__(self) -> str:
        files = f"files of {self.file or 'all'} min, checkpoints every {self.checkpoint} min"
        return f"{files}, at first to {self.first_end or 'the end'}"


def draw_rhythm(dice: random.Random) -> Rhythm:
    file, checkpoint = dice.choice((0, 15, 30, 45, 60, 90)), dice.choice((15, 30, 45, 60))
    return Rhythm(file, checkpoint, dice.choice((0, 0, 75, 105, 150)))


@dataclass(frozen=True)
class Way:
    """How one run computes, writes output and writes checkpoints."""

    compute: int
    mode: str
    io_ranks: int
    storage: tuple[str, str, str]
    partitions: int
    transport: str
    backpressure: str
    way: str
    restart_mode: str
    restart_ranks: int

    @property
    def ranks(self) -> int:
        return self.compute + self.io_ranks + self.restart_ranks

    def overrides(self) -> list[str]:
        container, compression, layout = self.storage
        return [
            f"io.mode={self.mode}",
            f"io.ranks={self.io_ranks}",
            f"io.transport={self.transport}",
            f"io.backpressure={self.backpressure}",
            f"io.way={self.way}",
            f"output.container={container}",
            f"output.compression={compression}",
            f"output.layout={layout}",
            f"output.partitions={self.partitions}",
            f"restart.mode={self.restart_mode}",
            f"restart.ranks={self.restart_ranks}",
            f"machine.ranks={self.ranks}",
        ]

    def __str__(self) -> str:
        container, compression, layout = self.storage
        how = f"{container}/{compression}/{layout}/{self.way}"
        output = f"{self.mode}-{self.compute}+{self.io_ranks}-{how}"
        extra = f"{self.partitions} partitions, {self.transport}, {self.backpressure}"
        return f"{output} ({extra}), restart {self.restart_mode}+{self.restart_ranks}"


def draw_way(dice: random.Random) -> Way:
    """Any way that the settings allow on at most seven ranks."""
    mode = dice.choice(of_kind("output mode"))
    io_ranks = 0 if mode["ranks"] == "none" else dice.randint(mode["ranks"] == "required", 2)
    undivided = whole_grids_only()
    divisible = [each for each in STORAGES if each[0] not in undivided]
    storage = dice.choice(divisible if mode["own_files"] else STORAGES)
    collective = storage in STORAGES[:4] and dice.random() < 0.2
    writing = [each for each in of_kind("restart mode") if each["name"] != "none"]
    restart_mode, compute = dice.choice(writing), dice.randint(1, 3)
    dedicated = restart_mode["ranks"] == "required"
    return Way(
        compute=compute,
        mode=str(mode["name"]),
        io_ranks=io_ranks,
        storage=storage,
        partitions=dice.randint(1, 2),
        transport=dice.choice(("auto", "rma", "two_sided")),
        backpressure=dice.choice(("block", "spill")),
        way="mpiio" if collective else "direct",
        restart_mode=str(restart_mode["name"]),
        restart_ranks=dice.randint(1, min(compute, 2)) if dedicated else 0,
    )


def draw_successor(dice: random.Random, before: Way) -> Way:
    """A way that may continue the files of another: parts belong to their writers, and so do the
    shards of a Zarr store."""
    if before.mode == "file_parallel" or before.storage[0] == "zarr" or dice.random() < 0.5:
        return before
    while (other := draw_way(dice)).mode == "file_parallel":
        pass
    return replace(other, storage=before.storage, partitions=before.partitions, way=before.way)


@dataclass(frozen=True)
class Blow:
    """Which rank is killed, and when.

    number   among the ranks of that role, counted round
    entries  files and checkpoints under final names that are waited for; 0 = none
    share    then, of the time an undisturbed run took
    """

    role: str
    number: int
    entries: int
    share: float

    def __str__(self) -> str:
        when = f"{self.entries} files and {self.share:.3f} of the run"
        return f"{self.role} rank {self.number} killed after {when}"


def draw_blow(dice: random.Random, way: Way) -> Blow:
    roles = ["compute"] + ["io"] * (way.io_ranks > 0) + ["restart"] * (way.restart_ranks > 0)
    entries = dice.randint(-3, 12)  # a quarter of the blows strike anywhere, start and end included
    share = dice.random() if entries <= 0 else dice.uniform(0.0, 0.1)
    return Blow(dice.choice(roles), dice.randrange(4), max(entries, 0), share)
