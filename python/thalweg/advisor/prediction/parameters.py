# SPDX-License-Identifier: Apache-2.0
"""The parameters of the closed form: the one list behind the fit, its table and its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Parameter:
    """A positive number of a machine or a model.

    centre    where a fit begins, and what it keeps to where runs say nothing
    spread    standard deviation of the prior of its natural logarithm: 2.3 is a factor of ten
    without   what it is where runs do not determine it; None: the term cannot be left out
    of        "model": cost of a step; "machine": cost of moving bytes
    """

    name: str
    unit: str
    meaning: str
    centre: float
    spread: float
    without: float | None
    of: str


_TEN = float(np.log(10.0))
PARAMETERS = (
    Parameter("cell_step_s", "s", "a step of one cell on one rank",
              3e-4, _TEN, None, "model"),
    Parameter("shared_cell_step_s", "s", "a step of one cell, whatever the ranks: ordered sums",
              1e-7, _TEN, 0.0, "model"),
    Parameter("fixed_step_s", "s", "a step, whatever cells and ranks: latencies",
              1e-3, _TEN, 0.0, "model"),
    Parameter("startup_s", "s", "before the first step and after the last",
              5.0, 1.0, 0.0, "model"),
    Parameter("write_s_per_gb", "s GB-1", "one rank writes by itself (serial, sync, multifile)",
              1.0, _TEN, None, "machine"),
    Parameter("output_gather_s", "s", "serial output: a value of the column of a far rank",
              1e-5, _TEN, None, "machine"),
    Parameter("restart_gather_s", "s", "sync restart: a value of the column of any rank",
              1e-5, _TEN, None, "machine"),
    Parameter("io_s_per_gb", "s GB-1", "an I/O rank gets, copies and writes",
              2.0, _TEN, None, "machine"),
    Parameter("io_event_s", "s", "an I/O rank, for each output beside its bytes",
              1e-2, _TEN, 0.0, "machine"),
    Parameter("async_restart_s_per_gb", "s GB-1", "restart ranks get and write one file",
              2.0, _TEN, None, "machine"),
    Parameter("async_restart_exponent", "", "their time falls as ranks to the minus this",
              0.1, 1.0, 0.0, "machine"),
    Parameter("multifile_event_s", "s", "a multifile restart beside its bytes: its files",
              0.3, _TEN, None, "machine"),
    Parameter("all_writers_s_per_gb", "s GB-1", "all writers together: the file system",
              1e-2, _TEN, 0.0, "machine"),
    Parameter("sharpness", "", "exponent of the smooth maximum; infinite: the longest alone counts",
              5.0, 0.5, None, "machine"),
)  # fmt: skip
BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


class Values(Mapping[str, float]):
    """A value for every parameter."""

    def __init__(self, given: Mapping[str, float]) -> None:
        assert set(given) == set(BY_NAME), set(given) ^ set(BY_NAME)
        self._given = dict(given)

    def __getitem__(self, name: str) -> float:
        return self._given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)
