# SPDX-License-Identifier: Apache-2.0
"""The list of parameters of a machine: the one behind machine.toml, its checks and its page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """least, most: what is beyond them is no machine of this world, but a mistake in the file."""

    name: str
    unit: str
    least: float
    most: float
    meaning: str


_RATES = (1e3, 1e15)  # B s-1: a floppy disk is faster, and no storage system of 2026 is

PARAMETERS = (
    Quantity("cell_level_step_s", "s", 1e-13, 1e-1,
             "one rank, one cell, one level, one step of the mini-model"),
    Quantity("step_overhead_s", "s", 1e-8, 1e2,
             "what a step takes however few cells a rank has"),
    Quantity("exchange_latency_s", "s", 1e-9, 1e2,
             "a halo exchange with all neighbours, however few bytes"),
    Quantity("exchange_bytes_per_s", "B s-1", *_RATES,
             "bytes that the busiest rank sends in a halo exchange, over the time beyond latency"),
    Quantity("gather_latency_s", "s", 1e-9, 1e3,
             "a message of each rank to one rank, however few bytes"),
    Quantity("gather_bytes_per_s", "B s-1", *_RATES,
             "bytes that one rank gets from all others, over the time beyond latency"),
    Quantity("writer_bytes_per_s", "B s-1", *_RATES, "one writer, new file"),
    Quantity("node_bytes_per_s", "B s-1", *_RATES,
             "the most that the writers of one node reach together, new files"),
    Quantity("file_system_bytes_per_s", "B s-1", *_RATES,
             "the most that the writers of all nodes reach together, new files"),
    Quantity("writer_overwrite_bytes_per_s", "B s-1", *_RATES,
             "one writer, file that has its size already"),
    Quantity("node_overwrite_bytes_per_s", "B s-1", *_RATES,
             "writers of one node, files that have their size already"),
    Quantity("file_system_overwrite_bytes_per_s", "B s-1", *_RATES,
             "writers of all nodes, files that have their size already"),
    Quantity("file_s", "s", 1e-8, 1e3,
             "making, closing and renaming a file, one after the other on each of the ranks"),
)  # fmt: skip
BY_NAME = {quantity.name: quantity for quantity in PARAMETERS}

# What is measured and not fitted: name -> unit.
MEASURED = {
    "step": "s",
    "exchange": "s",
    "gather": "s",
    "write_new": "B s-1",
    "overwrite": "B s-1",
    "file": "s",
}
