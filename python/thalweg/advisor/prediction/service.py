# SPDX-License-Identifier: Apache-2.0
"""The closed form: how long compute ranks, I/O ranks and restart ranks are busy, and the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from thalweg.advisor.prediction.run_facts import ManyRuns, Numbers

Machine = Mapping[str, float] | Mapping[str, float | Numbers]
GB = 1e9  # bytes
_VALUE_BYTES = 8.0  # of a value that is gathered: ICON gathers float64


@dataclass(frozen=True)
class Services:
    """Seconds of whole runs, each array of shape [run]. What adds to compute ranks is theirs."""

    compute_s: Numbers
    serial_output_s: Numbers  # compute ranks wait while one of them writes
    blocking_restart_s: Numbers  # the same of sync and joint restarts
    output_s: Numbers  # the busiest I/O rank
    restart_s: Numbers  # the busiest restart rank
    total_s: Numbers


def predict(runs: ManyRuns, machine: Machine) -> Services:
    """machine: a value of every parameter of `parameters.py`; or arrays of shape [machine, 1] for
    the runs on each of several machines, in arrays of shape [machine, run].
    """
    with np.errstate(over="ignore"):
        compute = _compute(runs, machine)
        serial = _serial_output(runs, machine)
        blocking = _blocking_restart(runs, machine)
        output = _output_of_io_ranks(runs, machine)
        restart = _restart_of_ranks(runs, machine)
        workers = compute + serial + blocking
        total = _smooth_maximum((workers, output, restart), machine["sharpness"])
    return Services(compute, serial, blocking, output, restart, total)


def _compute(runs: ManyRuns, machine: Machine) -> Numbers:
    step = (
        machine["cell_step_s"] * runs.cells / runs.compute_ranks
        + machine["shared_cell_step_s"] * runs.cells
        + machine["fixed_step_s"]
    )
    return machine["startup_s"] + runs.steps * step


def _serial_output(runs: ManyRuns, machine: Machine) -> Numbers:
    """One rank receives and writes. Ranks of its own node hand over in memory at no price."""
    far_ranks = np.maximum(0.0, runs.compute_ranks - runs.ranks_per_node)
    gathering = machine["output_gather_s"] * far_ranks * _column_values(runs, runs.output_bytes)
    event = gathering + machine["write_s_per_gb"] * runs.output_bytes / GB
    return np.where(runs.io_ranks > 0, 0.0, runs.outputs * event)


def _blocking_restart(runs: ManyRuns, machine: Machine) -> Numbers:
    """sync: one rank receives level by level, a message of every rank, and writes. joint: all."""
    gb = runs.checkpoint_bytes / GB
    values = _column_values(runs, runs.checkpoint_bytes)
    gathering = machine["restart_gather_s"] * runs.compute_ranks * values
    sync = gathering + machine["write_s_per_gb"] * gb
    joint = machine["multifile_event_s"] + gb * (
        machine["write_s_per_gb"] / runs.compute_ranks + machine["all_writers_s_per_gb"]
    )
    others = np.where(runs.in_mode["joint_multifile"], joint, 0.0)
    return runs.checkpoints * np.where(runs.in_mode["sync"], sync, others)


def _column_values(runs: ManyRuns, size: Numbers) -> Numbers:
    """Values of one event over each cell: so many gathers are there."""
    return size / _VALUE_BYTES / runs.cells


def _output_of_io_ranks(runs: ManyRuns, machine: Machine) -> Numbers:
    """Partitions go round: each rank has every K-th output, so that K outputs are under way."""
    asked = np.where(runs.partitions > 0, runs.partitions, runs.io_ranks)
    busy_ranks = np.maximum(1.0, np.minimum(runs.io_ranks, asked))
    gb = runs.output_bytes / GB
    each = machine["io_event_s"] + machine["io_s_per_gb"] * gb
    together = machine["all_writers_s_per_gb"] * gb
    return np.where(runs.io_ranks > 0, runs.outputs * (each / busy_ranks + together), 0.0)


def _restart_of_ranks(runs: ManyRuns, machine: Machine) -> Numbers:
    """async: one file of a domain, however many ranks. dedicated: a file of each rank."""
    ranks = np.maximum(1.0, runs.restart_ranks)
    gb = runs.checkpoint_bytes / GB
    together = machine["all_writers_s_per_gb"] * gb
    one_file = machine["async_restart_s_per_gb"] * gb * ranks ** -machine["async_restart_exponent"]
    a_file_each = machine["multifile_event_s"] + machine["write_s_per_gb"] * gb / ranks
    others = np.where(runs.in_mode["dedicated_multifile"], a_file_each + together, 0.0)
    return runs.checkpoints * np.where(runs.in_mode["async"], one_file + together, others)


def _smooth_maximum(
    services: tuple[Numbers, Numbers, Numbers], sharpness: float | Numbers
) -> Numbers:
    """The p-norm, run by run: above the longest where another is nearly as long.

    Outputs take longer at times than on average: near saturation ranks wait for each other.
    """
    first, second, third = services
    longest = np.maximum(np.maximum(first, second), third)
    shares = sum((each / longest) ** sharpness for each in services)
    norm: Numbers = longest * shares ** (1.0 / sharpness)
    return norm
