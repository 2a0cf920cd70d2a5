# SPDX-License-Identifier: Apache-2.0
"""The one list of figures that `thalweg cpmip` tells: the table, the JSON and the page follow it.

Source: Balaji, V. et al.: CPMIP: measurements of real computational performance of Earth system
models in CMIP6, Geosci. Model Dev. 10, 19-34, 2017, section 3. Post-processing: after IS-ENES2
deliverable D9.5 (CDO performance analysis, 2017).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """name: key in the JSON, its unit at its end. head: a word for people. shown: in the table.

    never: the reason where no run can tell it.
    """

    name: str
    head: str
    meaning: str
    shown: bool = True
    never: str = ""

    @property
    def count(self) -> bool:
        """Of things, a whole number."""
        return self.name.endswith(("_cores", "_points", "_fields"))


def _part(name: str, head: str, meaning: str) -> Quantity:
    """What others are made of."""
    return Quantity(name, head, meaning, shown=False)


def _never(name: str, head: str, meaning: str, reason: str) -> Quantity:
    return Quantity(name, head, meaning, shown=False, never=reason)


QUANTITIES = (
    _part("simulated_s", "model time", "model time that the run covered"),
    _part("run_time_s", "run time", "wall time of the run, start and end included"),
    Quantity("sypd_years_per_day", "SYPD", "simulated years per day of run time"),
    _never("asypd_years_per_day", "ASYPD", "the same over an experiment, queues included",
           "no run tells how long its experiment queued and stood still"),
    Quantity("chsy_core_hours_per_year", "CHSY", "core hours per simulated year"),
    Quantity("node_hours_per_year", "node h/year", "node hours per simulated year"),
    _never("jpsy_joules_per_year", "JPSY", "energy per simulated year", "no energy is measured"),
    Quantity("parallelization_cores", "cores", "cores that the run had"),
    _part("output_gb", "output", "output of the run on the disk, without checkpoints"),
    Quantity("data_intensity_gb_per_core_hour", "GB/core h", "output per core hour"),
    _part("output_time_s", "time in output",
          "time of compute ranks in output and checkpoints, mean over them"),
    Quantity("data_output_cost_ratio", "output cost",
             "CHSY over CHSY without output and checkpoints, on the same cores"),
    Quantity("data_output_cost_with_io_ranks_ratio", "with I/O ranks",
             "the same, the run without output on the cores of compute ranks only"),
    _never("memory_bloat_ratio", "memory bloat", "memory in use over that of the model's state",
           "no memory is measured"),
    _never("coupling_cost_ratio", "coupling cost", "share of coupling in the cost of the model",
           "no times of coupled components are read"),
    Quantity("resolution_points", "points", "cells times levels"),
    Quantity("complexity_fields", "fields", "prognostic fields, those of a restart set"),
    Quantity("output_gb_per_year", "GB/year", "output per simulated year"),
    Quantity("read_rate_mb_per_s", "read MB/s", "rate at which post-processing reads"),
    Quantity("write_rate_mb_per_s", "write MB/s", "rate at which post-processing writes"),
    Quantity("post_processing_hours_per_year", "post h/year",
             "hours to read the output of a simulated year once and to write a share of it"),
)  # fmt: skip
BY_NAME = {each.name: each for each in QUANTITIES}
