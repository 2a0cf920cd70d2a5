# SPDX-License-Identifier: Apache-2.0
"""From a row of `thalweg logs import` to the figures of a run, each with its source or the reason
why it is not known. The formulas are those of `thalweg run` (run/metrics.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from thalweg.cpmip.quantities import BY_NAME, QUANTITIES
from thalweg.logs.columns import Row
from thalweg.run.metrics import SECONDS_PER_YEAR, chsy, data_intensity, output_cost, sypd

_GB = 1e9  # bytes
_OWN = "mini-model"
_SHORTEST_S = 1e-3  # the resolution of times in settings and logs; what is shorter is none


@dataclass(frozen=True)
class Given:
    """What the user says of all runs; None = not given. Rates in B s-1."""

    simulated_s: float | None = None
    cores: int | None = None
    cores_per_node: int | None = None
    read_rate: float | None = None
    write_rate: float | None = None
    write_share: float = 1.0
    measure_read: bool = False


@dataclass
class Figures:
    """Of one run: each quantity is in `values`, or in `not_known` with the reason."""

    run: str
    values: dict[str, float] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    not_known: dict[str, str] = field(default_factory=dict)

    def tell(self, name: str, value: float, source: str = "") -> None:
        """What is no finite number is not known."""
        assert name in BY_NAME, name
        if not math.isfinite(value):
            self.lack(name, "it is too large for a number")
            return
        self.values[name] = int(value) if BY_NAME[name].count else value
        if source:
            self.sources[name] = source

    def lack(self, name: str, reason: str) -> None:
        assert name in BY_NAME, name
        self.not_known[name] = reason

    def need(self, name: str, *parts: str) -> list[float] | None:
        """The parts; None, and the reason of the first that is not known, where one is not."""
        for part in parts:
            if part not in self.values:
                self.lack(name, self.not_known[part])
                return None
        return [self.values[part] for part in parts]


def figures_of(row: Row, given: Given) -> Figures:
    """All but the post-processing."""
    told = Figures(row.text("run"))
    for quantity in QUANTITIES:
        if quantity.never:
            told.lack(quantity.name, quantity.never)
    _tell_simulated(told, row, given)
    _tell_run_time(told, row, given)
    _tell_cores(told, row, given)
    _tell_speed(told, row)
    _tell_data(told, row)
    _tell_output_cost(told, row)
    _tell_model(told, row)
    return told


def _did_not_end(row: Row) -> str:
    """ "" where it did, or nobody knows."""
    ended = row["model"] != _OWN or row["status"] == "complete"
    return "" if ended else f"the run is '{row.text('status') or 'unknown'}'"


def _tell_simulated(told: Figures, row: Row, given: Given) -> None:
    name = "simulated_s"
    simulated_s = row.number(name)
    if given.simulated_s is not None:
        told.tell(name, given.simulated_s, "--simulated")
    elif _did_not_end(row):
        told.lack(name, f"{_did_not_end(row)} and does not say how far it came; --simulated does")
    elif simulated_s is None:
        steps, step_s = row.number("steps"), row.number("time_step_s")
        if steps and step_s:
            told.tell(name, steps * step_s, "steps times time_step_s")
        else:
            lacking = "the length of a time step is" if steps else "time steps are"
            told.lack(name, f"{lacking} not told; give the model time with --simulated")
    elif simulated_s < _SHORTEST_S:
        told.lack(name, "the run covered 0 s of model time")
    else:
        told.tell(name, simulated_s)


def _tell_run_time(told: Figures, row: Row, given: Given) -> None:
    name = "run_time_s"
    longest_s, mean_s = row.number("total_max_s"), row.number("total_s")
    total_s = mean_s if longest_s is None else longest_s
    steps, step_s = row.number("steps"), row.number("step_s")
    if _did_not_end(row) and given.simulated_s is None:
        told.lack(name, f"{_did_not_end(row)}: its times are of a part of it")
    elif total_s is not None and total_s >= _SHORTEST_S:
        which = "mean over compute ranks" if longest_s is None else "longest of a compute rank"
        told.tell(name, total_s, f"timer total, {which}")
    elif total_s is not None:
        told.lack(name, "its timer total is 0 s")
    elif steps and step_s and row["model"] != _OWN:
        told.tell(name, steps * step_s, "dates of time steps in the log: without start and end")
    else:
        told.lack(name, "no timer total of compute ranks is told")


def _tell_cores(told: Figures, row: Row, given: Given) -> None:
    name = "parallelization_cores"
    ranks, threads, nodes = (row.number(each) for each in ("ranks", "threads", "nodes"))
    if given.cores is not None:
        told.tell(name, given.cores, "--cores")
    elif given.cores_per_node is not None and nodes:
        told.tell(name, nodes * given.cores_per_node, "nodes times --cores-per-node")
    elif given.cores_per_node is not None:
        told.lack(name, "the number of nodes is not told; give --cores")
    elif not ranks:
        told.lack(name, "the number of all ranks is not told; give --cores")
    elif threads:
        told.tell(name, ranks * threads, "ranks times threads")
    else:
        told.tell(name, ranks, "one core a rank; threads are not told")


def _tell_speed(told: Figures, row: Row) -> None:
    if parts := told.need("sypd_years_per_day", "simulated_s", "run_time_s"):
        told.tell("sypd_years_per_day", sypd(*parts))
    name = "chsy_core_hours_per_year"
    if parts := told.need(name, "simulated_s", "run_time_s", "parallelization_cores"):
        simulated_s, run_time_s, cores = parts
        told.tell(name, chsy(cores * run_time_s / 3600.0, simulated_s))
    name, nodes = "node_hours_per_year", row.number("nodes")
    if not nodes:
        told.lack(name, "the number of nodes is not told")
    elif parts := told.need(name, "simulated_s", "run_time_s"):
        told.tell(name, chsy(nodes * parts[1] / 3600.0, parts[0]))


def _tell_data(told: Figures, row: Row) -> None:
    name, size_bytes = "output_gb", row.number("output_bytes")
    if size_bytes is None and row.number("output_file_bytes") == 0:
        size_bytes = 0.0  # a run without output is one that wrote 0 bytes
    if size_bytes is not None:
        told.tell(name, size_bytes / _GB, row.text("output_bytes_from"))
    elif row["model"] == _OWN:
        told.lack(name, "files/ holds output of other parts of the run, too")
    else:
        told.lack(
            name, "bytes of output are not told; give the directory with files, or the Darshan log"
        )
    name = "data_intensity_gb_per_core_hour"
    if parts := told.need(name, "output_gb", "run_time_s", "parallelization_cores"):
        size_gb, run_time_s, cores = parts
        told.tell(name, data_intensity(size_gb * _GB, cores * run_time_s / 3600.0))
    if parts := told.need("output_gb_per_year", "output_gb", "simulated_s"):
        told.tell("output_gb_per_year", parts[0] * SECONDS_PER_YEAR / parts[1])


def _tell_output_cost(told: Figures, row: Row) -> None:
    seconds, source = _time_in_output(row)
    if seconds is None:
        told.lack("output_time_s", source)
    else:
        told.tell("output_time_s", seconds, source)
    name, with_ranks = "data_output_cost_ratio", "data_output_cost_with_io_ranks_ratio"
    parts = told.need(name, "run_time_s", "output_time_s")
    if parts and 0.0 <= parts[1] < parts[0]:
        told.tell(name, output_cost(*parts))
    elif parts:
        told.lack(name, f"compute ranks were in output {parts[1]:g} s of a run of {parts[0]:g} s")
    ranks, compute = row.number("ranks"), row.number("compute_ranks")
    if not ranks or not compute or compute > ranks:
        told.lack(with_ranks, "the numbers of all ranks and of compute ranks are not told")
    elif costs := told.need(with_ranks, name):
        told.tell(with_ranks, costs[0] * ranks / compute)


def _time_in_output(row: Row) -> tuple[float | None, str]:
    """Seconds of compute ranks in output and checkpoints, and where they come from; or why not."""
    wait_s, copy_s = row.number("wait_s"), row.number("copy_s")
    if wait_s is not None:
        if copy_s is None:
            return wait_s, "waiting for output and checkpoints; copying is not told"
        return wait_s + copy_s, "waiting for and copying of output and checkpoints"
    output_s, restart_s = row.number("output_s"), row.number("restart_s")
    if output_s is None and restart_s is None:
        return None, "no timer of output is told (wrt_output, write_restart)"
    if output_s is None:
        return restart_s, "timer write_restart of compute ranks; wrt_output is not told"
    if restart_s is None:
        return output_s, "timer wrt_output of compute ranks; write_restart is not told"
    return output_s + restart_s, "timers wrt_output and write_restart of compute ranks"


def _tell_model(told: Figures, row: Row) -> None:
    cells, levels, fields = (row.number(each) for each in ("cells", "levels", "state_fields"))
    if cells and levels:
        told.tell("resolution_points", cells * levels)
    else:
        lacking = "levels" if cells else "cells"
        told.lack("resolution_points", f"the number of {lacking} is not told")
    if fields:
        told.tell("complexity_fields", fields)
    elif row["model"] == _OWN:
        told.lack("complexity_fields", "the run keeps no restart set that can be read")
    else:
        told.lack("complexity_fields", "logs do not tell what restart files hold")
