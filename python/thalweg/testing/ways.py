# SPDX-License-Identifier: Apache-2.0
"""Random but valid ways to run: mode, ranks, container, restart mode, and where a kill strikes."""

from __future__ import annotations

import random
from dataclasses import dataclass

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
WHOLE_GRIDS_ONLY = ("zarr", "grib2")
MODES = ("serial", "async", "file_parallel", "shared_file", "auto")
RESTART_MODES = ("sync", "async", "joint_multifile", "dedicated_multifile")


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
    mode = dice.choice(MODES)
    fewest = {"serial": 0, "async": 1, "auto": 1}.get(mode, 0)
    io_ranks = 0 if mode == "serial" else dice.randint(fewest, 2)
    divisible = [each for each in STORAGES if each[0] not in WHOLE_GRIDS_ONLY]
    storage = dice.choice(divisible if mode == "file_parallel" else STORAGES)
    collective = storage in (STORAGES[0], STORAGES[3]) and dice.random() < 0.2
    restart_mode, compute = dice.choice(RESTART_MODES), dice.randint(1, 3)
    dedicated = restart_mode in ("async", "dedicated_multifile")
    return Way(
        compute=compute,
        mode=mode,
        io_ranks=io_ranks,
        storage=storage,
        partitions=dice.randint(1, 2),
        transport=dice.choice(("auto", "rma", "two_sided")),
        backpressure=dice.choice(("block", "spill")),
        way="mpiio" if collective else "direct",
        restart_mode=restart_mode,
        restart_ranks=dice.randint(1, min(compute, 2)) if dedicated else 0,
    )


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
